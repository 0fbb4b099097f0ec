"""Loads in a document `mpps.predict/1`: rows of `load` beside the predictions of each series."""

from mpps.answers import predict_answer
from mpps.answers.rows import assumptions
from mpps.errors import MppsError
from mpps.load.forecast import LoadForecast, under_load
from mpps.path import CodePath
from mpps.record import plain
from mpps.units import counts_bits, from_rate_pps, to_rate_pps

#: Units of a load as people write them, without regard to capitals.
UNITS = {
    "pps": "packets/s", "packets/s": "packets/s", "kpps": "kpps", "mpps": "Mpps",
    "bit/s": "bit/s", "mbit/s": "Mbit/s", "mbps": "Mbit/s", "gbit/s": "Gbit/s", "gbps": "Gbit/s",
}  # fmt: skip
_RATES = ("carried", "capacity", "all_busy", "calm")


def load_answer(
    path: CodePath, cores, loads, *, unit: str | None = None, variants=(), machine=None, settings=None,
    placement: str = "packed", room: int = 1024, flows: int | None = None, seed: int = 1,
) -> dict:  # fmt: skip
    """As `mpps.answers.predict_answer`, with `load` rows at offered loads: pairs (value, unit or None) as `rates` reads them.

    A load without a unit is in `unit`, or in that of the series. Raises `MppsError` for units that do not fit.
    """
    document = predict_answer(
        path, cores, variants=variants, machine=machine, settings=settings, placement=placement, seed=seed
    )
    forecasts = []
    for series in document["series"]:
        # A series of times is asked in packets.
        own = series["unit"] if series["unit"] != "ns/element" else "packets/s"
        shown = unit or next((named for _, named in loads if named), None) or own
        pps = [in_pps(value, named or shown, path) for value, named in loads]
        found = under_load(
            path, cores, pps, variant=series["variant"], machine=machine, settings=series["settings"],
            placement=placement, room=room, flows=flows, seed=seed,
        )  # fmt: skip
        forecasts.append(found)
        series |= {"load_unit": shown, "room": room, "flows": flows, "load": load_rows(found, shown, path.packet_bytes)}
    document["assumptions"] = assumptions(path, forecasts) + [{"says": text} for text in forecasts[0].notes]
    return plain(document)


def in_pps(value: float, unit: str, path: CodePath) -> float:
    """A load of `unit` in packets/s; `MppsError` where bits need the size of packets that the path does not say."""
    if counts_bits(unit) and not path.packet_bytes:
        raise MppsError(
            f"--load in {unit}: {path.slug} does not say how large its packets are: give packets/s, as 2Mpps"
        )
    return float(to_rate_pps(value, unit, path.packet_bytes))


def load_rows(found: LoadForecast, unit: str, packet_bytes=None) -> list[dict]:
    """Rows of a forecast with its rates in `unit`: n, load, utilisation, headroom, delay, drops and probabilities."""
    rows = []
    for row in found.rows():
        rate = lambda value: float(from_rate_pps(value, unit, packet_bytes))
        rates = {name: {end: rate(value) for end, value in row[f"{name}_pps"].items()} for name in _RATES}
        rows.append(
            {
                "n": row["n"],
                "load": float(f"{rate(row['load_pps']):.12g}"),
                "utilisation": row["busy"],
                **{name: row[name] for name in ("serving", "busiest", "station", "headroom", "dropped")},
                **{name: row[name] for name in ("delay_ns", "delay_99_ns", "time_ns")},
                **rates,
                **{name: row[name] for name in ("p_carried", "p_metastable", "p_second", "saturates", "saturates_p")},
            }
        )
    return rows
