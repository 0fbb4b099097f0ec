"""The scorecard: for each code path, the figures by which its fit is to be judged, beside their goals.

A path declares its `checks`; one without gets the parameters that its table decides. Kinds of checks:

    fit                relative RMS of all rows of the joint fit, with the USL per series beside it
    leave one out      relative RMS of rows that are predicted from all others, with the USL beside it
    leave variant out  relative RMS of a variant (rows) that is predicted from the others
    held out           relative RMS of rows that a fit did not see: `rows`, or more (`unseen`)
    median of held out, largest of held out: the median, or the largest, absolute relative error of such rows
    inside             share of held-out rows inside their 90 % interval
    order              share of pairs that the fit puts in order: rows come in pairs, the slower one first
    parameter          value of the parameter `about`, its interval, and what rounding of the prints alone leaves
    cost               work of one packet of `rows`, all cores together, without any waiting
    budget             that work over the time between packets at the ceiling `about`, a stage

Errors are those of predicted/observed - 1.
"""

from dataclasses import dataclass

from mpps import compare
from mpps.heldout.rows import MODULES as ROW_MODULES
from mpps.keep import kept
from mpps.path import CEILING, Check, CodePath
from mpps.scorecard import errors, values

#: Code that a figure depends on beside its fit: that of the rows left out, and its own.
_MODULES = ("scorecard/*.py", *ROW_MODULES)
_KINDS = errors.KINDS | values.KINDS
_SHARES = ("inside", "order")


@dataclass(frozen=True)
class Figure:
    """One computed figure. `unit` is "" for errors and shares (fractions); lower and upper where it has an interval.

    met: whether it reaches the goal of its check, None without goal; usl: the same figure of the baseline;
    note: what belongs to the figure in words (rows, parameters, what rounding leaves).
    """

    path: str
    check: Check
    value: float
    lower: float | None = None
    upper: float | None = None
    unit: str = ""
    usl: float | None = None
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached: a share at least, an error at most."""
        if self.check.goal is None:
            return None
        return self.value >= self.check.goal if self.check.kind in _SHARES else self.value <= self.check.goal


def scorecard(path: CodePath, *, seed: int = 1) -> list[Figure]:
    """All figures of a path, in the order of its checks. Hold-outs take tens of seconds the first time, then are kept."""
    found = []
    for check in path.checks or _default_checks(path, seed):
        fitted = compare.fit(path, check.scope, seed=seed)
        numbers = kept("scorecard", fitted, _MODULES, lambda c=check: _KINDS[c.kind](path, c, seed), about=check)
        found.append(Figure(path.slug, check, **numbers))
    return found


def _default_checks(path: CodePath, seed: int) -> list[Check]:
    """A path without checks is shown by what its packets cost: in all and against the device, and stage by stage."""
    scope = path.scopes[-1].name
    fitted = compare.fit(path, scope, seed=seed)
    last = int(fitted.points.n.max())
    checks = [
        Check(f"work of one packet, `{variant.name}`", "cost", scope, rows=((variant.name, last),))
        for variant in path.variants
        if variant.dataset
    ]
    for variant in path.variants:
        checks += [
            Check(
                f"its work in budgets of one packet at the {stage.name}, `{variant.name}`",
                "budget",
                scope,
                rows=((variant.name, last),),
                about=stage.name,
            )
            for stage in path.stages
            if stage.name in variant.stages and _of_device(path, stage)
        ]
    own = [p for p in fitted.best.problem.parameters if p.prior is None and p.unit == "ns"]
    return checks + [Check(p.meaning, "parameter", scope, about=p.name) for p in own]


def _of_device(path: CodePath, stage) -> bool:
    """Whether a stage is the ceiling of the device: its demand is a parameter that moves with the device."""
    return stage.on == CEILING and any(p.name == stage.demand and p.role == "device" for p in path.parameters)
