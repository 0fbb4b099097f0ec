"""Why a row left out was well or badly predicted, and why a row cannot be left out: sentences from the numbers."""

import numpy as np

from mpps.compare import Fit
from mpps.heldout.folds import predictable
from mpps.text import count, percent
from mpps.uncertainty import effective_parameters, sensitivity

#: A row that decides more than this share of its own fitted value has no other row to be predicted from.
ALONE = 0.98


def reason(row: dict, sender: str = "core") -> str:
    """One row of `mpps.heldout`: what was left to predict it from, and why that did or did not do."""
    off = row["median"] / row["observed"] - 1
    size = f"{percent(abs(off))} too {'high' if off > 0 else 'low'}"
    inside = row["lower"] <= row["observed"] <= row["upper"]
    return (
        f"{_from(row, sender)}: {size}, {'inside' if inside else 'outside'} the 90 % interval. {_why(row, off, inside)}"
    )


def _from(row: dict, sender: str) -> str:
    below, above = row["nearest"]
    if row["kind"] == "one variant":
        return f"From {count(row['rows'] - row['rows_left_out'], 'row')} of other variants alone"
    if row["kind"] == "largest count":
        return f"From all counts up to {below}, {row['n'] / below:.2g} times fewer {sender}s"
    if below is None or above is None:
        return f"At the {'lower' if below is None else 'upper'} end of its variant, from {above if below is None else below} {sender}s on"
    return f"Between its neighbours at {below} and {above}"


def _why(row: dict, off: float, inside: bool) -> str:
    seen = row["fit_error"]
    if not inside and abs(seen) > 0.5 * abs(off) and seen * off > 0:
        return (
            f"The fit misses it by {percent(abs(seen))} also where it sees it: the row departs from every explanation, "
            "or scatters more than is assumed."
        )
    if row["kind"] == "largest count" and not inside:
        return "What happens beyond shows in no smaller count: the explanations that the smaller counts favour go on another way."
    if row["kind"] == "one variant" and not inside:
        return "What this variant has and no other is known from its own rows alone."
    if not inside:
        return f"The row itself says where the curve bends; seen, it is met within {percent(abs(seen))}."
    if row["disagreement"] is not None and row["disagreement"] > 0.03:
        return f"The explanations differ by {percent(row['disagreement'])} here, so the interval is wide."
    if row["extrapolated"]:
        return "Beyond what remains the interval widens, and holds it."
    if abs(off) < 0.03:
        return "The other rows fix what it is made of."
    return "The interval says how far the other rows leave it open."


def cannot(fitted: Fit) -> list[str]:
    """What of a table cannot be held out, in words: rows that alone decide what is known of them. Empty for a table in
    which every row can be predicted from others."""
    one, points = fitted.best, fitted.points
    alone = leverage(fitted) > ALONE
    if not alone.any():
        return _unknown_variants(fitted)
    free = round(effective_parameters(one.problem, one.solved.x[0]))
    counts = sorted({int(n) for n in points.n})
    said = [
        f"Each variant has one count ({', '.join(map(str, counts))}), so a point left out is a variant left out."
        if len(counts) == 1
        else f"The counts are {', '.join(map(str, counts))}."
    ]
    said.append(
        f"{count(len(points.n), 'row')} decide {count(free, 'parameter')}: "
        + (
            "no row can be left out, for without it only priors speak of what it measured."
            if alone.all()
            else f"{int(alone.sum())} of them cannot be left out, for without them only priors speak of what they measured."
        )
    )
    said += _deciders(points, one)
    said.append("What can be checked: the printed changes, what rounding leaves, and bounds of the wire.")
    return said


def _unknown_variants(fitted: Fit) -> list[str]:
    """Variants that no others predict, though each of their rows is predicted by the rest of them."""
    points, said = fitted.points, []
    for index, variant in enumerate(points.variants):
        mask = points.variant == index
        open_rows = mask & ~predictable(fitted, mask)
        if open_rows.any():
            counts = [int(n) for n in points.n[open_rows]]
            where = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else f"{counts[0]}"
            others = {name for k, other in enumerate(points.variants) if k != index for name in other.stages}
            own = ", ".join(name for name in variant.stages if name not in others)
            why = f"no other has {own}" if own else "they tell its work only in sums with stages of their own"
            said.append(f"`{variant.name}` cannot be predicted from the other variants at {where}: {why}.")
    return said


def leverage(fitted: Fit) -> np.ndarray:
    """Share of each row's fitted value that the row itself decides, data against data and priors (R,): the hat matrix."""
    one = fitted.best
    slope = sensitivity(one.problem, one.solved.x[0]) * np.sqrt(one.problem.weight)[:, None]
    hat = slope @ np.linalg.pinv(slope.T @ slope) @ slope.T
    return np.diag(hat)[: len(fitted.points.n)]


def _deciders(points, one) -> list[str]:
    """For each parameter that the rows decide, more than its prior does, the row that moves its estimate most."""
    slope, root = sensitivity(one.problem, one.solved.x[0]), np.sqrt(one.problem.weight)[:, None]
    inverse = np.linalg.pinv(slope * root)
    moves = np.abs(inverse * root[:, 0])[:, : len(points.n)]
    prior = dict(zip(one.problem.priors[0].tolist(), one.problem.priors[2].tolist(), strict=True))
    said = []
    for column, name in enumerate(one.problem.names):
        believed = (inverse[column] ** 2).sum() / prior[column] ** 2 if column in prior else 0.0
        if believed < 0.5 and moves[column].max() > 0:
            row = int(moves[column].argmax())
            variant, kind = points.variants[points.variant[row]].name, "idle share" if points.busy[row] else "rate"
            said.append(f"{name} is decided above all by the {kind} of `{variant}`.")
    return said
