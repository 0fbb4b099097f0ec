"""The explorer where no widget runs: one chart and one sentence, from the same answer."""

from mpps.charts import scaling
from mpps.charts.show import MIME, spec, to_svg

_HINT = "in JupyterLab the sliders of this chart move"


def rows(answer: dict) -> list[dict]:
    """Rows of `charts.scaling`: the curve with its band and the measured points, and the fit beside it where something was
    moved."""
    frame, position = answer["frame"], answer["position"]
    seen = _mean_by_count(frame["observed"])
    name = position["variant"]
    moved = bool(position["settings"])
    shown = f"{name}, moved" if moved else name
    found = [
        {"variant": shown, "n": n, "median": median, "lower": lower, "upper": upper, "extrapolated": extrapolated}
        | {"observed": None if moved else seen.get(n)}
        for n, median, lower, upper, extrapolated in zip(
            *(answer[key] for key in ("n", "median", "lower", "upper", "extrapolated")), strict=True
        )
    ]
    if answer["gain"]["moved"] or moved:
        beside = f"{name if position['against'] == 'as fitted' else position['against']}, as fitted"
        same = position["against"] == "as fitted"
        found += [
            {"variant": beside, "n": n, "median": median, "extrapolated": extrapolated}
            | {"observed": seen.get(n) if moved and same else None}
            for n, median, extrapolated in zip(
                *(answer[key] for key in ("n", "reference", "extrapolated")), strict=True
            )
        ]
    return found


def chart(answer: dict):
    """The curve of an answer as a specification, with all that it says as the words that replace the picture."""
    drawn = scaling(rows(answer), title=title(answer), unit=answer["frame"]["unit"], x_title=answer["frame"]["senders"])
    made = spec(drawn)
    made["description"] = f"{made['description']} {answer['says']['all']}"
    made["title"]["subtitle"] = [*_listed(made["title"].get("subtitle")), _HINT]
    return made


def title(answer: dict) -> str:
    """The finding: rate and limit at the asked count, and the gain where something was moved."""
    says = answer["says"]
    parts = [says["rate"].removesuffix("."), says["limit"].removesuffix(".").replace("What limits: ", "limited by ", 1)]
    if answer["gain"]["moved"]:
        parts.insert(1, says["gain"].removesuffix("."))
    return "; ".join(parts)


def bundle(answer: dict, *, svg: bool) -> dict:
    """Chart and sentence as a notebook shows them: Vega-Lite JSON for a page of a batch, a picture for all others."""
    made = chart(answer)
    shown = {"text/plain": answer["says"]["all"]}
    return {MIME: made, **shown} if not svg else {"image/svg+xml": to_svg(made, standalone=False), **shown}


def _mean_by_count(observed) -> dict:
    rates: dict[int, list] = {}
    for row in observed:
        rates.setdefault(row["n"], []).append(row["rate"])
    return {n: sum(each) / len(each) for n, each in rates.items()}


def _listed(value) -> list:
    return [] if value is None else value if isinstance(value, list) else [value]
