"""The model as formulas: SymPy expressions of the stages' demands and of the network, written as LaTeX."""

import functools
import re

from mpps.locks import FORMS
from mpps.path import CEILING, CORE, STATION, Mechanism, formula
from mpps.workbook.studies import Study
from mpps.workbook.words import markdown

#: A factor for each core count, such as `name_4**at(n, 4)`: one factor that depends on n.
_BY_COUNT = re.compile(r"(?:\b(\w+?)_(\d+)\*\*at\(n, \2\)\*?)+")
_UNITS = re.compile(r"_(ns|pps|gbit)\b")
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
    present = study.path.stages_of(chosen, mechanism)
    names = {stage.name for stage in present}
    serial = [s for s in present if s.on != CEILING and mechanism.reading != "spread" and (s.on == STATION or names & set(s.inside)) and (s.on == CORE or not s.inside or names & set(s.inside))]
    private = [s for s in present if s.on == CORE and s not in serial]
    ceilings = [s for s in present if s.on == CEILING and (not s.inside or names & set(s.inside))]
    lap = chosen.packets_per_lap
    lines = [_display(f"Z(n) = {_sum(private, lap)}")] if private else []
    if serial:
        lines.append(_display(f"S = {_sum(serial, lap)}"))
        lines += _handoff(mechanism)
        lines.append(_display(r"p_k \propto \prod_{j=1}^{k} \frac{(n-j+1)\, S(j)}{Z(n)}, \qquad X(n) = \frac{n - \sum_k k\, p_k}{Z(n)} \le \min\left(\frac{n}{Z(n)+S},\; \frac{1}{S(n)}\right)"))
    else:
        lines.append(_display(r"X(n) = \frac{n}{Z(n)}"))
    lines += [_display(rf"X(n) \le {latex(stage.demand)}") for stage in ceilings]
    return markdown("\n\n".join(lines))


def latex(text: str, **names: str) -> str:
    """A demand as LaTeX, parameters as words; names: words for variables."""
    import sympy

    names = {"shared": "[n > 1]", "cross": r"\text{cross}(n)"} | names
    short = _BY_COUNT.sub(lambda match: f"{match[1]}_of_n*", text)
    short = re.sub(r"\*(?=\s*(?:[)+-]|$))", "", short)
    expression = formula(short)
    words = {symbol: names.get(symbol.name, _symbol(symbol.name)) for symbol in expression.free_symbols}
    return sympy.latex(expression, symbol_names=words, mul_symbol="dot", fold_short_frac=True).replace(r"\left(1 - [n > 1]\right)", "[n = 1]")


@functools.lru_cache(maxsize=None)
def _symbol(name: str) -> str:
    if len(name) == 1:
        return name
    if name.endswith("_of_n"):
        return rf"\text{{{name[: -len('_of_n')].replace('_', ' ')}}}_n"
    return rf"\text{{{_UNITS.sub('', name).replace('_', ' ')}}}"


def _handoff(mechanism: Mechanism) -> list[str]:
    """The section at a depth, with the hand-off of a mechanism."""
    text = FORMS[mechanism.handoff].formula
    if text == "0":
        return [_display("S(k) = S")]
    waiters = "(depth - 1)/handoff_depth"
    short = latex(text.replace(waiters, "x"), depth="k")
    where = rf", \qquad x = {latex(waiters, depth='k')}" if waiters in text else ""
    if mechanism.relative:
        return [_display(rf"S(k) = S \cdot \left(1 + \frac{{{short}}}{{\text{{section}}}}\right){where}")]
    return [_display(f"S(k) = S + {short}{where}")]


def _sum(stages, packets_per_lap: str) -> str:
    """The demands of a lap added up, by the names of their stages; their formulas stand in the table of stages."""
    return " + ".join(
        (rf"{latex(packets_per_lap)} \cdot " if stage.per == "packet" and packets_per_lap != "1" else "") + rf"\text{{{stage.name}}}"
        for stage in stages
    )


def _display(body: str) -> str:
    return f"$$ {body} $$"
