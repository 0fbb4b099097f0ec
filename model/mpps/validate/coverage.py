"""How often intervals held, near and far, and how sure that is: points of one source stand and fall together."""

import numpy as np

#: Beyond this multiple of the largest training n a point is far.
FAR = 2.0
_DRAWS = 10_000


def cluster_interval(hits, sources, seed: int, level: float = 0.9) -> list[float] | None:
    """Ends of the interval of a mean of `hits` (P,) when whole `sources` (P,) are drawn again, with replacement.

    None without points; a single source has no spread, and its interval is a point.
    """
    hits = np.asarray(hits, dtype=float)
    if not hits.size:
        return None
    _, place = np.unique(np.asarray(sources), return_inverse=True)
    total = np.bincount(place, weights=hits)
    points = np.bincount(place)
    draws = np.random.default_rng(seed).multinomial(len(points), np.full(len(points), 1 / len(points)), size=_DRAWS)
    means = (draws @ total) / (draws @ points)
    return [float(end) for end in np.quantile(means, [(1 - level) / 2, (1 + level) / 2])]


def pooled(curves, scores, seed: int) -> dict:
    """Coverage over all points of all curves together, and of the near and the far ones, with its interval.

    Keys without `50` are of the 90 % intervals; a part without points is null.
    """
    if not curves:
        return {}
    far = np.concatenate([curve.held_n > FAR * curve.train_n[-1] for curve in curves])
    source = np.concatenate([np.full(len(curve.held_n), curve.source) for curve in curves])
    found: dict = {"points": len(far), "near_points": int((~far).sum()), "far_points": int(far.sum())}
    for figure, suffix in (("coverage", ""), ("coverage50", "50")):
        hits = np.concatenate([one[figure] for one in scores])
        parts = {f"coverage{suffix}": np.full(far.shape, True), f"near{suffix}": ~far, f"far{suffix}": far}
        for name, part in parts.items():
            found[name] = float(hits[part].mean()) if part.any() else None
            found[f"{name}_interval"] = cluster_interval(hits[part], source[part], seed)
    for name, part in (("near", ~far), ("far", far)):
        width = np.concatenate([one["width"] for one in scores])[part]
        found[f"{name}_width"] = float(np.median(width)) if part.any() else None
    return found
