"""`python -m mpps.symbolic` writes `laws_generated.py` anew."""

import pathlib
import textwrap

from sympy.printing.numpy import NumPyPrinter

from mpps.symbolic import LAWS, Form, Law

TARGET = pathlib.Path(__file__).resolve().parent.parent / "laws_generated.py"

_HEADER = '''"""NumPy functions of the laws, written by `python -m mpps.symbolic`: do not edit, regenerate.

One function per form of each law in `mpps.symbolic`. Arguments are scalars or arrays and broadcast.
No guards: limits, domains and units are the business of `mpps.laws`.
"""

# fmt: off
import numpy as np


def _floats(*arguments):
    return [np.asarray(argument, dtype=float) for argument in arguments]
'''


class _Printer(NumPyPrinter):
    # SymPy prints Min as numpy.amin over a tuple, which fails on arguments of different shapes.
    def _print_Min(self, expression):
        return self._pairwise("np.minimum", expression.args)

    def _print_Max(self, expression):
        return self._pairwise("np.maximum", expression.args)

    def _pairwise(self, function, arguments):
        first, *rest = (self._print(argument) for argument in arguments)
        for other in rest:
            first = f"{function}({first}, {other})"
        return first


def generated() -> str:
    """The text of `laws_generated.py`."""
    return _HEADER + "".join(_function(law, form) for law in LAWS.values() for form in law.forms)


def function_name(law: Law, form: Form) -> str:
    """Name of the generated function: the law and the form."""
    return f"{law.name}_{form.name}"


def _function(law: Law, form: Form) -> str:
    arguments = ", ".join(law.arguments(form))
    code = _Printer().doprint(form.expression).replace("numpy.", "np.")
    head = f"\n\ndef {function_name(law, form)}({arguments}):\n"
    text = textwrap.fill(
        f'"""{form.meaning[0].upper()}{form.meaning[1:]} [{form.unit}]."""',
        110,
        initial_indent="    ",
        subsequent_indent="    ",
    )
    take = f"    {arguments + ',' if ',' not in arguments else arguments} = _floats({arguments})\n"
    body = textwrap.fill(
        f"return ({code})", 110, initial_indent="    ", subsequent_indent=" " * 8, break_long_words=False
    )
    return f"{head}{text}\n{take}{body}\n"


if __name__ == "__main__":
    TARGET.write_text(generated())
    print(f"{TARGET.name}: {sum(len(law.forms) for law in LAWS.values())} functions of {len(LAWS)} laws")
