"""The model as formulas: SymPy expressions of the stages' demands and of the network, written as LaTeX."""

import functools
import re

from mpps.locks import FORMS
from mpps.path import CEILING, CORE, STATION, Mechanism, Variant, formula
from mpps.workbook.studies import Study
from mpps.workbook.words import markdown

#: A factor for each core count, such as `name_4**at(n, 4)`: one factor that depends on n.
_BY_COUNT = re.compile(r"(?:\b(\w+?)_(\d+)\*\*at\(n, \2\)\*?)+")
_UNITS = re.compile(r"_(ns|pps|gbit)\b")
_PRODUCT_FORM = (
    r"p_k \propto \prod_{j=1}^{k} \frac{(n-j+1)\, S(j)}{Z(n)}, \qquad X(n) = \frac{n - \sum_k k\, p_k}{Z(n)}"
    r" \le \min\left(\frac{n}{Z(n)+S},\; \frac{1}{S(n)}\right)"
)
_PLACES = {CORE: "the sender's core", STATION: "station", CEILING: "ceiling"}


def stages(study: Study, *variants: str):
    """Every stage that the variants have: what it is, where it runs, what it demands; as Markdown with formulas."""
    asked = [study.variant(name) for name in variants or study.variants]
    names = dict.fromkeys(stage for variant in asked for stage in variant.stages)
    rows = ["| stage | what it is | once per | on | demand |", "| --- | --- | --- | --- | --- |"]
    for stage in (one for one in study.path.stages if one.name in names):
        place = f"{_PLACES[stage.on]}: {study.path.station}" if stage.on == STATION else _PLACES[stage.on]
        if stage.inside and stage.on == CORE:
            place += f"; under a lock: {study.path.station}"
        per = "" if stage.on == CEILING else stage.per
        rows.append(f"| {stage.name} | {stage.words} | {per} | {place} | ${latex(stage.demand)}$ |")
    return markdown("\n".join(rows))


def network(study: Study, variant: str):
    """The closed network of a variant: its private work, section, hand-off, and the rate that follows; as Markdown."""
    chosen = study.variant(variant)
    mechanism = study.fitted.best.mechanism
    serial, private, ceilings = _placed(study.path.stages_of(chosen, mechanism), mechanism)
    lines = [f"Z(n) = {_sum(private, chosen, None if mechanism.reading == 'spread' else CORE)}"] if private else []
    if not serial:
        lines.append(r"X(n) = \frac{n}{Z(n)}")
    elif mechanism.reading == "bound":
        lines += [f"S = {_sum(serial, chosen, STATION)}", r"X(n) = \min\left(\frac{n}{Z(n)+S},\; \frac{1}{S}\right)"]
    else:
        lines += [f"S = {_sum(serial, chosen, STATION)}", _handoff(mechanism), _PRODUCT_FORM]
    if ceilings:
        names = r",\; ".join(rf"\text{{{stage.name}}}" for stage in ceilings)
        lines.append(rf"X(n) \le \min\left({names}\right)" if len(ceilings) > 1 else rf"X(n) \le {names}")
    return markdown("\n\n".join(f"$$ {line} $$" for line in lines))


def _placed(present, mechanism: Mechanism):
    """Stages at the station, on the cores (both for a stage of which a share is serial), and ceilings."""
    names = {stage.name for stage in present}
    act = [stage for stage in present if stage.on == CORE or not stage.inside or names & set(stage.inside)]
    work = [stage for stage in act if stage.on != CEILING]
    serial = [s for s in work if mechanism.reading != "spread" and (s.on == STATION or names & set(s.inside))]
    private = [s for s in work if s not in serial or s.share != "1"]
    return serial, private, [stage for stage in act if stage.on == CEILING]


def latex(text: str, **names: str) -> str:
    """A demand as LaTeX, parameters as words; names: words for variables."""
    import sympy

    names = {"shared": "[n > 1]", "cross": r"\text{cross}(n)"} | names
    short = _BY_COUNT.sub(lambda match: f"{match[1]}_of_n*", text)
    short = re.sub(r"\*(?=\s*(?:[)+-]|$))", "", short)
    expression = formula(short)
    expression = expression.xreplace({number: sympy.Float(number, 5) for number in expression.atoms(sympy.Float)})
    words = {symbol: names.get(symbol.name, _symbol(symbol.name)) for symbol in expression.free_symbols}
    return (
        sympy.latex(expression, symbol_names=words, mul_symbol="dot", fold_short_frac=True)
        .replace(r"\left(1 - [n > 1]\right)", "[n = 1]")
        .replace(r"1.0 \cdot 10", "10")
    )


@functools.cache
def _symbol(name: str) -> str:
    if len(name) == 1:
        return name
    if name.endswith("_of_n"):
        return rf"\text{{{name[: -len('_of_n')].replace('_', ' ')}}}_n"
    return rf"\text{{{_UNITS.sub('', name).replace('_', ' ')}}}"


def _handoff(mechanism: Mechanism) -> str:
    """The section at a depth, with the hand-off of a mechanism."""
    text = FORMS[mechanism.handoff].formula
    if text == "0":
        return "S(k) = S"
    waiters = "(depth - 1)/handoff_depth"
    short = latex(text.replace(waiters, "x"), depth="k")
    where = rf", \qquad x = {latex(waiters, depth='k')}" if waiters in text else ""
    if mechanism.relative:
        return rf"S(k) = S \cdot \left(1 + \frac{{{short}}}{{\text{{section}}}}\right){where}"
    return f"S(k) = S + {short}{where}"


def _sum(stages, variant: Variant, place: str | None) -> str:
    """The demands of a lap added up, by the names of their stages; their formulas stand in the table of stages.

    place: the part of a shared stage that counts here, that of the station or that of the cores; None: all of it.
    """
    terms = []
    for stage in stages:
        term = rf"\text{{{stage.name}}}"
        if stage.per == "packet" and variant.packets_per_lap != "1":
            term = rf"{latex(variant.packets_per_lap)} \cdot {term}"
        if stage.share != "1" and place:
            part = latex(stage.share if place == STATION else f"1 - ({stage.share})")
            term = rf"\left({part}\right) \cdot {term}" if place == CORE else rf"{part} \cdot {term}"
        terms.append(term)
    return " + ".join(terms)
