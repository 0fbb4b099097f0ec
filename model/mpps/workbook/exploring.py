"""The explorer of a page: what it shows, made from one or several studies of a path."""

from dataclasses import dataclass

from mpps.charts import style
from mpps.errors import unknown_name
from mpps.explorer import MIME
from mpps.explorer.document import frame, leading, variant_entry
from mpps.explorer.error import rounding
from mpps.explorer.picture import picture, words
from mpps.workbook.curves import curves
from mpps.workbook.studies import Study


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
    document = frame(first.path, first.unit, first.shown(1.0), last, measured)
    if variant is not None and variant not in places:
        raise unknown_name("variant", variant, list(places))
    document |= {"start": {"variant": variant or next(iter(places)), "cores": n or max(max(measured) // 2, 1)}}
    document |= {"rounding": 0.0, "mechanisms": [], "variants": []}
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


def _answer(study: Study, name: str, last: int) -> dict:
    """Measured points (n, rate, source), and the ends of the 90 % interval of the fitted answer, all explanations together."""
    counts = sorted({*(n for n in (1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64, 96) if n < last), *study.counts(name), last})
    rows = curves(study, counts, name)
    points = [[row["n"], _short(row["observed"]), row["source"]] for row in rows if row["observed"] is not None]
    band = {"n": counts} | {end: [_short(row[end]) for row in rows] for end in ("lower", "upper")}
    return {"points": points, "band": band}


def _short(value: float) -> float:
    return float(f"{value:.5g}")
