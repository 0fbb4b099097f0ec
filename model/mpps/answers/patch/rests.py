"""What a what-if for a table rests on: shares of its variance, what was taken as given, and what looks wrong."""

import numpy as np

from mpps.change import ChangeForecast
from mpps.change.laps import laps
from mpps.table import Points

_GROUP = 100
#: A lap of the largest count that is shorter than this many lone ones holds nothing that a removal could free.
_CONTENDED = 1.05
#: Fewer different draws than this agree with the known points.
_FEW = 100
#: A run with a profile whose rate is off that of the table by more than this is another run.
_OTHER = 1.3


def rests_on(forecast: ChangeForecast, last: int) -> dict:
    """Shares of the variance of the log gain at the largest count that one input alone explains: the gain of a lone sender,
    the share of the plateau and of the collapse that the change keeps; the rest is the second bottleneck, drift, and what
    they do together."""
    gain = forecast.gain[:, last]
    total = float(gain.var())
    inputs = {
        "lone_sender": forecast.gain[:, 0],
        "kept_plateau": forecast.kept[:, 0],
        "kept_collapse": forecast.kept[:, 1],
    }
    shares = {name: _explained(values, gain) / total if total > 0 else 0.0 for name, values in inputs.items()}
    whole = sum(shares.values())
    if whole > 1:
        shares = {name: share / whole for name, share in shares.items()}
    return {"n": int(forecast.n[last])} | shares | {"second_bottleneck_and_drift": max(0.0, 1 - whole)}


def _explained(values, result) -> float:
    """Variance of the group means of `result` (K,) when draws are grouped by `values` (K,), less what chance gives."""
    if np.ptp(values) < 1e-9:
        return 0.0
    groups = result[np.argsort(values, kind="stable")].reshape(-1, _GROUP)
    return max(float(groups.mean(axis=1).var() - groups.var(axis=1).mean() / _GROUP), 0.0)


def assumptions(forecast: ChangeForecast, change: str, source, known, named) -> list[str]:
    """What the answer takes as given, in sentences."""
    without = f", those of {source} not among them, since this table is of the same source" if source else ""
    said = [
        f"How much contended time a {'change of cost' if change == 'cost' else change} keeps, and what shows up behind it, was learnt from {forecast.population.words}{without}."
    ]
    if 1 not in known and not known:
        said.append(
            "No rate after the change is known: what it does to a lone sender is that of published changes, too."
        )
    if named is not None:
        share = named[1]["share_of_waits"]
        said.append(
            f"The profile says how long packets wait for {named[1]['lock']} ({100 * share:.0f} % of all waits that it holds); time "
            "contended elsewhere stays. A profiler slows what it profiles; that is not corrected."
        )
    said.append("Machine, load and everything else stay as they were; only the change acts.")
    if not forecast.measured.all():
        said.append("Where the table has no count, the rate before the change is itself a forecast from the table.")
    return said


def warnings_of(forecast: ChangeForecast, change: str, table: Points, known, series, named) -> list[str]:
    """What looks wrong about the question, or the answer."""
    said = []
    parts = laps(table.n, table.log_rate)
    if change == "removal" and parts.lap[0, -1] < _CONTENDED:
        said.append(
            f"{series.name}: the rate grows with n up to {table.n[-1]:g}: nothing in this table is contended, so that no removal can "
            "free anything here; measure more cores, or ask for --change cost"
        )
    if known and len(np.unique(forecast.gain, axis=0)) < _FEW:
        said.append(
            f"{series.name}: the known points lie where hardly any published change of this kind leads: the intervals are rough there"
        )
    if named is not None and "rate_of_table" in named[1]:
        ratio = named[1]["rate_of_run"] / named[1]["rate_of_table"]
        if not 1 / _OTHER < ratio < _OTHER:
            said.append(
                f"{named[1]['file']}: the profiled run carried {ratio:.2g} times the rate of the table at n = {named[1]['cores_used']}: "
                "check --rate, or profile the run of the table"
            )
    return said
