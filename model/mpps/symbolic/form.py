"""What a law is on the symbolic side: named expressions, their symbols with units, and a source."""

import html
import re
from dataclasses import dataclass

import sympy

from mpps.errors import unknown_name


@dataclass(frozen=True)
class Quantity:
    """A symbol of a law: how formulas print it, what it means, its unit, and where the law holds."""

    symbol: sympy.Symbol
    label: str
    meaning: str
    unit: str
    domain: str


@dataclass(frozen=True)
class Form:
    """One expression of a law: the law itself or something derived from it."""

    name: str
    expression: sympy.Expr
    meaning: str
    unit: str
    holds: str = ""


@dataclass(frozen=True)
class Law:
    """A named law; `forms[0]` is the law, the others follow from it."""

    name: str
    question: str
    quantities: tuple[Quantity, ...]
    forms: tuple[Form, ...]
    source: str

    @property
    def expression(self) -> sympy.Expr:
        return self.forms[0].expression

    @property
    def derived(self) -> dict[str, sympy.Expr]:
        return {form.name: form.expression for form in self.forms[1:]}

    @property
    def symbols(self) -> dict[str, sympy.Symbol]:
        return {quantity.symbol.name: quantity.symbol for quantity in self.quantities}

    def form(self, name: str | None = None) -> Form:
        """The form called `name`, the law itself when no name is given; raises `UnknownNameError`."""
        for form in self.forms:
            if name in (None, form.name):
                return form
        raise unknown_name(f"form of the law {self.name}", name, [form.name for form in self.forms])

    def arguments(self, form: Form) -> list[str]:
        """Names of the symbols that `form` depends on, in the order of `quantities`."""
        return [q.symbol.name for q in self.quantities if q.symbol in form.expression.free_symbols]

    def latex(self, name: str | None = None) -> str:
        """The form as LaTeX, with the symbols spelled out."""
        labels = {q.symbol: rf"\text{{{q.label}}}" if len(q.label) > 1 else q.label for q in self.quantities}
        return sympy.latex(self.form(name).expression, symbol_names=labels, mul_symbol="dot")

    def mathml(self, name: str | None = None) -> str:
        """The form as MathML (presentation), which browsers draw without a script."""
        labels = {q.symbol: sympy.Symbol(q.label, positive=True) for q in self.quantities}
        inner = sympy.printing.mathml(
            self.form(name).expression.xreplace(labels), printer="presentation", mul_symbol="dot"
        )
        # SymPy writes HTML entities, which XML readers do not know: only the five of XML may stay.
        inner = re.sub(r"&(?!lt;|gt;|amp;|quot;|apos;)\w+;", lambda entity: html.unescape(entity[0]), inner)
        return f'<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">{inner}</math>'

    def table(self) -> list[dict[str, str]]:
        """One row per symbol: name, label, meaning, unit, domain."""
        return [
            {"name": q.symbol.name, "label": q.label, "meaning": q.meaning, "unit": q.unit, "domain": q.domain}
            for q in self.quantities
        ]


def quantity(name: str, label: str, meaning: str, unit: str, domain: str) -> Quantity:
    """A positive symbol (zero is reached as a limit) with its description."""
    return Quantity(sympy.Symbol(name, positive=True), label, meaning, unit, domain)
