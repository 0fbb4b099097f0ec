"""Measurements: a checked table with its card, cut into series."""

from dataclasses import dataclass

import numpy as np

from mpps.errors import DataError, unknown_name
from mpps.measurements.cards import Card, Check
from mpps.rounding import change_agrees, change_interval, printed_change_interval
from mpps.units import counts_bits, is_rate, rate_units, to_rate_pps


@dataclass(frozen=True, eq=False)
class Series:
    """The values of one variant, metric and set of labels, in ascending n. Arrays are (k,), float64, read-only."""

    dataset: str
    variant: str
    metric: str
    unit: str
    n: np.ndarray
    value: np.ndarray  # as printed, in `unit`
    printed: tuple[str, ...]  # the text behind each value
    lower: np.ndarray  # what the rounding of each printed value allows, see mpps.rounding
    upper: np.ndarray
    rows: tuple[int, ...]  # lines of the CSV
    extra: dict[str, str]  # label columns, such as gro
    numbers: dict[str, np.ndarray]  # number columns: lower and upper as the source states them, repeat, offered
    packet_bytes: float | None  # of the card

    @property
    def label(self) -> str:
        """Variant and labels as a chart names them: "no lock, gro on"."""
        return ", ".join([self.variant, *(f"{name} {text}" for name, text in self.extra.items())])

    def rate_pps(self, packet_bytes: float | None = None) -> np.ndarray:
        """Packets per second, (k,). `packet_bytes` replaces the packet size of the card.

        Raises `DataError` when the metric is no rate, or a bit rate whose packet size nobody states.
        """
        return to_rate_pps(self.value, self.unit, self._packet_bytes(packet_bytes))

    def rate_interval_pps(self, packet_bytes: float | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Ends of what the rounding of the printed values allows, in packets per second, (k,) each."""
        bytes_ = self._packet_bytes(packet_bytes)
        # Where rounding reaches zero the rate has no lower (or a time no upper) bound.
        with np.errstate(divide="ignore"):
            ends = [np.asarray(to_rate_pps(end, self.unit, bytes_)) for end in (self.lower, self.upper)]
        return np.minimum(*ends), np.maximum(*ends)

    def _packet_bytes(self, packet_bytes: float | None) -> float | None:
        what = f"{self.dataset}, {self.label}: {self.metric} in {self.unit}"
        if not is_rate(self.unit):
            raise DataError(
                f"{what} is no rate: expected a metric in {', '.join(rate_units())}; ask for another metric"
            )
        if packet_bytes is not None and not packet_bytes > 0:
            raise DataError(f"{what}: found a packet size of {packet_bytes!r} bytes: expected one above zero")
        packet_bytes = self.packet_bytes if packet_bytes is None else packet_bytes
        if counts_bits(self.unit) and packet_bytes is None:
            raise DataError(f"{what}: the source states no packet size; name the packet_bytes to assume")
        return packet_bytes


@dataclass(frozen=True)
class Change:
    """A printed change beside what its two rows give, in percent."""

    check: Check
    lower: float  # from the rows, with their rounding
    upper: float
    printed_lower: float
    printed_upper: float
    agrees: bool


@dataclass(frozen=True, eq=False)
class Measurements:
    """A table of measurements with its card."""

    dataset: str
    card: Card
    all_series: tuple[Series, ...]

    @property
    def variants(self) -> tuple[str, ...]:
        """Variants in the order of the table."""
        return tuple(dict.fromkeys(series.variant for series in self.all_series))

    @property
    def metrics(self) -> tuple[str, ...]:
        """Metrics in the order of the table."""
        return tuple(dict.fromkeys(series.metric for series in self.all_series))

    def series(self, metric: str | None = None, **where: str) -> tuple[Series, ...]:
        """Series of a metric (all when None) with the given variant and labels, in the order of the table.

        Empty when every name exists but no series has them all. Raises `UnknownNameError` for a name that does not.
        """
        wanted = {**({} if metric is None else {"metric": metric}), **where}
        for name, text in wanted.items():
            known = dict.fromkeys(_names(series)[name] for series in self.all_series if name in _names(series))
            if not known:
                raise unknown_name("label", name, [label for label in _names(self.all_series[0]) if label != "metric"])
            if text not in known:
                raise unknown_name(name, text, known)
        return tuple(series for series in self.all_series if wanted.items() <= _names(series).items())

    def one(self, metric: str | None = None, **where: str) -> Series:
        """The only such series. Raises `UnknownNameError` as `series`, and `DataError` for none or several."""
        found = self.series(metric, **where)
        if len(found) != 1:
            names = "; ".join(f"{series.label}: {series.metric}" for series in found or self.all_series)
            asked = ", ".join(map(str, [*([metric] if metric else []), *where.values()])) or "everything"
            raise DataError(
                f"{self.dataset}: found {len(found)} series for {asked}: expected one; choose from: {names}"
            )
        return found[0]

    def changes(self) -> tuple[Change, ...]:
        """Every printed change of the card beside the interval that the rounding of its two rows gives."""
        return tuple(self.change(check) for check in self.card.checks)

    def change(self, check: Check) -> Change:
        """One printed change beside its two rows; raises `DataError` or `UnknownNameError` when it has not two."""
        before, after = (self._printed(variant, check) for variant in (check.before, check.after))
        return Change(
            check,
            *change_interval(before, after),
            *printed_change_interval(check.printed),
            change_agrees(check.printed, before, after),
        )

    def _printed(self, variant: str, check: Check) -> str:
        series = self.one(check.metric, variant=variant, **check.where)
        places = np.flatnonzero(series.n == check.n)
        if len(places) != 1:
            raise DataError(
                f"{self.dataset}, {series.label}: found n = {', '.join(f'{n:g}' for n in series.n)}: "
                f"expected n = {check.n:g} once, as a check of the card names it; correct the check"
            )
        return series.printed[places[0]]


def _names(series: Series) -> dict[str, str]:
    return {"metric": series.metric, "variant": series.variant, **series.extra}
