"""Tables that no mechanism explains: the leading explanation misses them, or the rate rises faster than the count."""

import numpy as np

from mpps.answers.own.doubts import listed
from mpps.answers.own.series import Rates
from mpps.table import TableFit
from mpps.table.parameters import error
from mpps.text import percent

#: A leading explanation that misses by more than this explains a table badly, and so does it a rate for each of n that
#: grows by more: of the published tables one in twenty is such.
BADLY = 0.12
#: Either must stand out from the scatter of repeats by so many standard deviations.
_STANDS_OUT = 3.0


def misfit(fit: TableFit) -> dict | None:
    """error: relative root mean square of the leading mechanism; faster: counts from and to which the rate rises faster than
    n, and by what factor, None where it does not. None for a table that is explained well."""
    missed = error(fit, int(np.argmax(fit.weights)))
    scatter = _STANDS_OUT * fit.points.spread
    faster = _faster(fit.points, scatter)
    if faster is None and missed <= max(BADLY, scatter / np.sqrt(fit.points.weight.mean())):
        return None
    return {"error": missed, "faster": faster}


def _faster(points, scatter: float) -> dict | None:
    each = points.log_rate - np.log(points.n)
    rise = each - np.minimum.accumulate(each)
    last = int(rise.argmax())
    first = int(each[: last + 1].argmin())
    noise = scatter * np.sqrt(1 / points.weight[first] + 1 / points.weight[last])
    if rise[last] <= max(BADLY, noise):
        return None
    return {"from": int(points.n[first]), "to": int(points.n[last]), "factor": float(np.exp(rise[last]))}


def misfit_words(found: dict) -> str:
    """Why a table is explained badly, and what to do."""
    said = f"no mechanism explains this table well (error {percent(found['error'])})"
    faster = found["faster"]
    if faster is not None:
        said += (
            f"; from n = {faster['from']} to {faster['to']} the rate rises {faster['factor']:.2g} times as fast as n, which more "
            "senders of the same kind cannot do"
        )
    return f"{said}: check the measurement"


def misfit_warnings(series: list[Rates], fits: list[TableFit]) -> list[str]:
    """One warning for each reason, with the series that it holds for."""
    said: dict[str, list[str]] = {}
    for each, fit in zip(series, fits, strict=True):
        found = misfit(fit)
        if found is not None:
            said.setdefault(misfit_words(found), []).append(each.name)
    return [f"{listed(names)}: {text}" for text, names in said.items()]
