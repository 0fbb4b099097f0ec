"""Rows left out and what was said of them: the model with its intervals, the USL with its own."""

import numpy as np

from mpps import compare
from mpps.baseline import fit_usl
from mpps.compare import Fit
from mpps.errors import MppsError
from mpps.fit import points_of
from mpps.heldout.folds import predictable, refits
from mpps.keep import kept
from mpps.path import CodePath
from mpps.predict import predict
from mpps.units import from_rate_pps

ONE, VARIANT, LARGEST = "one point", "one variant", "largest count"
KINDS = (ONE, VARIANT, LARGEST)
#: A table has a curve where a variant has at least this many counts.
_CURVE = 3
#: Code that a row depends on beside its fit.
MODULES = (
    "heldout/*.py",
    "predict.py",
    "structure.py",
    "discrepancy.py",
    "table/prior.py",
    "transfer.py",
    "baseline/*.py",
    "laws/*.py",
    "laws_generated.py",
    "machine/*.py",
    "text.py",
    "units.py",
)
_ENDS = ("lower", "lower50", "median", "upper50", "upper")


def curves(path: CodePath) -> tuple[str, ...]:
    """The tables of a path in which some variant has a curve, three counts at least."""
    found = []
    for dataset in dict.fromkeys(variant.dataset for variant in path.variants if variant.dataset):
        points = points_of(path, scope_of(path, dataset))
        counts = [len(np.unique(points.n[points.variant == k])) for k in _of(points, dataset)]
        found += [dataset] if max(counts) >= _CURVE else []
    return tuple(found)


def scope_of(path: CodePath, dataset: str) -> str:
    """The joint fit that is judged on a table: the first with all its variants."""
    names = {variant.name for variant in path.variants if variant.dataset == dataset}
    return next(scope.name for scope in path.scopes if names <= set(scope.variants))


def path_rows(path: CodePath, *, datasets=None, seed: int = 1) -> list[dict]:
    """Every row of every kind of the tables with a curve; computed once, then kept."""
    found = []
    for dataset in curves(path) if datasets is None else datasets:
        fitted = compare.fit(path, scope_of(path, dataset), seed=seed)
        for kind in KINDS:
            found += rows_of(fitted, kind, dataset)
    return found


def rows_of(fitted: Fit, kind: str, dataset: str | None = None) -> list[dict]:
    """Rows of one kind, of a table of the fit or of all of them."""
    tables = dict.fromkeys(source[0] for source in fitted.points.source) if dataset is None else (dataset,)
    return [
        row
        for table in tables
        for row in kept("heldout", fitted, MODULES, lambda t=table: _computed(fitted, kind, t), about=(kind, table))
    ]


def _computed(fitted: Fit, kind: str, dataset: str) -> list[dict]:
    points = fitted.points
    mine = np.array([source[0] == dataset for source in points.source]) & ~points.busy
    if kind == LARGEST:
        return _largest(fitted, mine)
    if kind == ONE:
        places = np.flatnonzero(mine)
        folds = {f"{_name(points, row)}, {points.n[row]:g}": np.arange(len(mine)) == row for row in places}
    else:
        folds = {points.variants[k].name: points.variant == k for k in _of(points, dataset)}
    shown = {label: predictable(fitted, mask) & mine for label, mask in folds.items()}
    folds = {label: mask for label, mask in folds.items() if shown[label].any()}
    if not folds:
        return []
    found = []
    for label, (without, averaged, said) in refits(fitted, folds, seed=fitted.seed).items():
        found += _rows(fitted, without, kind, label, folds[label], shown[label], averaged, said)
    return found


def _largest(fitted: Fit, mine) -> list[dict]:
    """The largest count of every variant of the fit left out together; all explanations compete anew, from many starts."""
    points = fitted.points
    last = np.array([points.n[points.variant == variant].max() for variant in points.variant])
    mask = points.n == last
    pairs = dict.fromkeys((_name(points, row), int(points.n[row])) for row in np.flatnonzero(mask))
    without = compare.fit(fitted.path, fitted.scope, held_out=tuple(pairs), seed=fitted.seed)
    label = f"the largest count of all {len(pairs)} variants"
    return _rows(fitted, without, LARGEST, label, mask, predictable(fitted, mask) & mine, None, {})


def _rows(fitted, without, kind, label, mask, shown, averaged, said) -> list[dict]:
    """Rows of one fold: mask is what the fit did not see, shown is what is reported."""
    path, points, found = fitted.path, fitted.points, []
    for index in np.unique(points.variant[shown]):
        variant = points.variants[index]
        rows = np.flatnonzero(shown & (points.variant == index))
        forecast = predict(path, points.n[rows].astype(int), variant=variant, fitted=without, seed=fitted.seed)
        left = np.unique(points.n[(points.variant == index) & ~mask])
        for k, row in enumerate(rows):
            unit, observed = points.unit[row], float(points.value[row])
            ends = dict(zip(_ENDS, map(float, forecast.quantiles[:, k]), strict=True))
            middle = _log_rate(path, ends["median"], unit)
            value = middle if averaged is None else float(averaged[row])
            spread = _disagreement(without, said, row)
            found.append(
                {
                    "path": path.slug,
                    "dataset": points.source[row][0],
                    "scope": fitted.scope,
                    "kind": kind,
                    "left_out": label,
                    "rows_left_out": int(mask.sum()),
                    "rows": len(points.n),
                    "variant": variant.name,
                    "n": int(points.n[row]),
                    "unit": unit,
                    "observed": float(from_rate_pps(np.exp(observed), unit, path.packet_bytes)),
                    **ends,
                    "averaged": value - observed,
                    "fit_error": float(np.expm1(fitted.fitted[row] - observed)),
                    "disagreement": spread,
                    "nearest": _nearest(left, points.n[row]),
                    "extrapolated": bool(forecast.extrapolated[k]),
                }
                | _usl(points, index, mask, row, path)
            )
    return found


def _log_rate(path, value: float, unit: str) -> float:
    return float(np.log(value / from_rate_pps(1.0, unit, path.packet_bytes)))


def _disagreement(without: Fit, said: dict, row: int) -> float | None:
    """Standard deviation of the log rate between the explanations, by their weight."""
    weight = np.array([one.weight for one in without.mechanisms])
    value = np.array([said[one.mechanism.name][row] for one in without.mechanisms]) if said else None
    if value is None:
        return None
    return float(np.sqrt(np.average((value - np.average(value, weights=weight)) ** 2, weights=weight)))


def _nearest(left, n) -> list:
    """The remaining counts of the variant on either side: [below or None, above or None]."""
    below, above = left[left < n], left[left > n]
    return [int(below.max()) if below.size else None, int(above.min()) if above.size else None]


def _usl(points, index: int, mask, row: int, path: CodePath) -> dict:
    """The universal scalability law on what remains of the variant alone, with its own intervals."""
    keep = (points.variant == index) & ~mask & ~points.busy
    names = ("usl", "usl_lower", "usl_upper", "usl_lower50", "usl_upper50")
    try:
        law = fit_usl(points.n[keep], np.exp(points.value[keep]), scale="log")
        at = points.n[row : row + 1]
        values = [law.predict(at), *law.interval(at, 0.9), *law.interval(at, 0.5)]
    except MppsError:
        return dict.fromkeys(names)
    shown = (float(from_rate_pps(value[0], points.unit[row], path.packet_bytes)) for value in values)
    return dict(zip(names, shown, strict=True))


def summary(rows) -> list[dict]:
    """Figures by table and kind: points, error (relative root mean square), median_error, coverage, coverage50 and
    width (median of log upper - log lower), the same with usl_ on the rows on which the law says something."""
    found = []
    for dataset, kind in dict.fromkeys((row["dataset"], row["kind"]) for row in rows):
        part = [row for row in rows if (row["dataset"], row["kind"]) == (dataset, kind)]
        line = {"path": part[0]["path"], "dataset": dataset, "kind": kind, "points": len(part)} | _figures(part, "")
        known = [row for row in part if row["usl"] is not None]
        usl = _figures(known, "usl_") if known else {}
        found.append(line | {"usl_points": len(known)} | {f"usl_{name}": value for name, value in usl.items()})
    return found


def _figures(rows, prefix: str) -> dict:
    middle, *ends = (
        np.array([row[name] for row in rows], float)
        for name in (
            prefix.removesuffix("_") or "median",
            *(f"{prefix}{end}" for end in ("lower", "upper", "lower50", "upper50")),
        )
    )
    seen = np.array([row["observed"] for row in rows])
    lower, upper, lower50, upper50 = ends
    off = np.abs(middle / seen - 1)
    with np.errstate(divide="ignore"):
        width = np.log(upper / lower)
    return {
        "error": float(np.sqrt(np.mean(off**2))),
        "median_error": float(np.median(off)),
        "coverage": float(((lower <= seen) & (seen <= upper)).mean()),
        "coverage50": float(((lower50 <= seen) & (seen <= upper50)).mean()),
        "width": float(np.median(width)),
    }


def cases(rows, shown: int = 4) -> dict[str, list[dict]]:
    """The best and the worst predicted rows by interval score at 90 % (in log rate), at most one of each variant and kind."""
    order = sorted(rows, key=_score)
    good = [row for row in order if row["lower"] <= row["observed"] <= row["upper"]]
    bad = [row for row in reversed(order) if not row["lower"] <= row["observed"] <= row["upper"]]
    return {"best": _one_of_each(good)[:shown], "worst": _one_of_each(bad)[:shown]}


def _score(row) -> float:
    lower, upper, seen = (np.log(row[name]) for name in ("lower", "upper", "observed"))
    return float(upper - lower + 20 * (max(lower - seen, 0.0) + max(seen - upper, 0.0)))


def _one_of_each(rows) -> list[dict]:
    return list({(row["variant"], row["kind"]): row for row in reversed(rows)}.values())[::-1]


def _name(points, row: int) -> str:
    return points.variants[points.variant[row]].name


def _of(points, dataset: str) -> list[int]:
    """Variants of the fit that the table measured."""
    return [k for k, variant in enumerate(points.variants) if variant.dataset == dataset]
