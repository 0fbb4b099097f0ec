"""Known points that contradict the table: an after-rate above what so many cores can do."""

import numpy as np

from mpps.change import Population
from mpps.errors import DataError
from mpps.table import Points

#: Twice the largest ratio of lone rates that any published change gave is no change of that kind, but another unit or digit.
_TWICE = 2.0


def checked_known(table: Points, known: dict[float, float], population: Population, series) -> None:
    """Raises `DataError` for a known rate (of all together) that the change cannot have given.

    Here in the unit of the file, for counts and lone senders; `mpps.change` holds known points against one another.
    """
    first, lone = float(table.n[0]), float(np.exp(table.log_rate[0]))
    most = max(float(np.exp(log).max()) for log, _ in population.ratios.values())
    for count, rate in sorted(known.items()):
        if count not in table.n:
            counts = ", ".join(f"{each:g}" for each in table.n)
            raise DataError(
                f"known {count:g}={_of(rate, count, series)}: {series.name} has no n = {count:g}: expected one of {counts}; the "
                "gain there needs the rate before the change too"
            )
        if not (np.isfinite(rate) and rate > 0):
            raise DataError(
                f"known {count:g}={rate:g}: expected a rate above zero, in {series.unit or 'the unit of the table'}"
            )
        share = count / first
        if rate > _TWICE * most * share * lone:
            raise DataError(
                f"known {count:g}={_of(rate, count, series)}: above what {'one core' if count == 1 else f'{count:g} cores'} can do: "
                f"before the change n = {first:g} carries {_of(lone, first, series)}, and no published change made a core more than "
                f"{most:.2g} times as fast; correct the rate or its unit"
            )


def _of(rate: float, count: float, series) -> str:
    return f"{rate / (count if series.each else 1.0):.6g}"
