"""The explorer of a page: what it shows, made from one or several studies of a path."""

from dataclasses import dataclass

from mpps.charts import style
from mpps.errors import unknown_name
from mpps.explorer import MIME
from mpps.explorer.document import LEAST_WEIGHT, MOST, frame, leading, variant_entry
from mpps.explorer.error import rounding
from mpps.explorer.own import known_mechanism, own_model, own_rounding
from mpps.explorer.picture import picture, words
from mpps.readers.core.units import unit_of
from mpps.workbook.curves import curves
from mpps.workbook.own import OwnFit
from mpps.workbook.studies import Study
from mpps.workbook.words import markdown


@dataclass(frozen=True)
class Explorer:
    """The document of an explorer, as a notebook shows it: for a page its JSON, elsewhere a drawing and a sentence."""

    document: dict

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {MIME: self.document, "text/plain": words(self.document), "image/svg+xml": picture(self.document)}


def explorer(*studies: Study, variant: str | None = None, n: int | None = None, last: int | None = None) -> Explorer:
    """Sliders over the leading explanations of these studies; a variant belongs to the first study that measured it.

    It opens at `variant` (the first) with n senders (half of the measured range); counts reach to `last`, four times the
    measured ones when None. All studies share the unit of the first.
    """
    first, places = studies[0], {}
    for study in studies:
        for name in study.variants:
            places.setdefault(name, study)
    measured = [count for study in studies for count in study.counts()]
    last = last or min(max(1 << (4 * max(measured) - 1).bit_length(), 16), 128)
    document = frame(first.path.title, first.path.sender, "packet", first.unit, first.shown(1.0), last, measured)
    if variant is not None and variant not in places:
        raise unknown_name("variant", variant, list(places))
    document |= {"start": {"variant": variant or next(iter(places)), "cores": n or max(max(measured) // 2, 1)}}
    document |= {"rounding": 0.0, "checked": "at random positions of the sliders", "mechanisms": [], "variants": []}
    names = list(places)
    looks = {"colour": style.series_colours(names), "shape": style.series_shapes(names)}
    for name, study in places.items():
        entry = variant_entry(study.fitted, study.variant(name), last, document["mechanisms"])
        entry |= {kind: look[name] for kind, look in looks.items()}
        entry |= _answer(study, name, last)
        document["variants"].append(entry)
        for one, model in zip(leading(study.fitted), entry["models"], strict=True):
            off = rounding(study.fitted, one, study.variant(name), document, model, study.seed)
            document["rounding"] = max(document["rounding"], off)
    return Explorer(document)


def own_explorer(fit: OwnFit, last: int = 64):
    """The same over the leading mechanisms of a user's own table; a sentence where it has no rate of operations a second,
    or no mechanism that an explorer can show. `last`: the largest count, from 16 to 128."""
    chosen = [(each, found) for each in fit.of_one_unit() if each["lap_cost"] and (found := _own_leading(each))]
    if not chosen:
        return markdown(
            "No explorer: it takes rates of operations, and private work, a station or a ceiling that explains them."
        )
    first, last = chosen[0][0], min(max(last, 16), 128)
    rows = {each["name"]: [row for row in each["predictions"] if row["n"] <= last] for each, _ in chosen}
    measured = sorted({row["n"] for each in rows.values() for row in each if row["observed"] is not None})
    unit = _per_second(first["unit"])
    document = frame("a table", "core", first["lap_cost"]["of"], fit.unit, 1 / unit, last, measured)
    document |= {"start": {"variant": first["name"], "cores": measured[len(measured) // 2]}}
    document |= {"rounding": 0.0, "checked": "for the fitted values", "mechanisms": [], "variants": []}
    looks = {"colour": style.series_colours(list(rows)), "shape": style.series_shapes(list(rows))}
    for each, found in chosen:
        name, models = each["name"], []
        for one in found:
            values = {row["name"]: row["median"] for row in one["parameters"]}
            lone_ns = 1e9 / (values.pop("lone_rate") * _per_second(each["file_unit"]))
            models.append(own_model(document["mechanisms"], one, values, lone_ns, last))
            document["rounding"] = max(document["rounding"], own_rounding(document, models[-1], one, values, lone_ns))
        entry = {"name": name, "words": "", "station": "serial station", "models": models}
        document["variants"].append(entry | {kind: look[name] for kind, look in looks.items()} | _shown(rows[name]))
    return Explorer(document)


def _own_leading(series: dict) -> list[dict]:
    """The most probable mechanism of a series and others that an explorer can show; none where it cannot show the first."""
    told = [one for one in series["mechanisms"] if one["parameters"] and one["weight"] >= LEAST_WEIGHT]
    known = [one for one in told if known_mechanism(one["name"]) is not None][:MOST]
    whole = series["rate_of"] == "all together" and _per_second(series["file_unit"]) and _per_second(series["unit"])
    return known if whole else []


def _per_second(unit: str) -> float | None:
    """Operations a second that one of the unit is, also as tidy tables spell it: ops_per_s."""
    found = unit_of(unit) or unit_of(unit.replace("_per_", "/").replace("_", " "))
    return found.factor if found else None


def _answer(study: Study, name: str, last: int) -> dict:
    """Measured points (n, rate, source), and the ends of the 90 % interval of the fitted answer, all explanations together."""
    counts = sorted(
        {*(n for n in (1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64, 96) if n < last), *study.counts(name), last}
    )
    return _shown(curves(study, counts, name))


def _shown(rows) -> dict:
    points = [
        [row["n"], _short(row["observed"]), row.get("source", "the table")]
        for row in rows
        if row["observed"] is not None
    ]
    band = {"n": [row["n"] for row in rows]} | {end: [_short(row[end]) for row in rows] for end in ("lower", "upper")}
    return {"points": points, "band": band}


def _short(value: float) -> float:
    return float(f"{value:.5g}")
