"""Changes applied to a fit, one kind after the other, whatever the order in which they are named."""

from dataclasses import replace

from mpps.alter import amounts, flows, stages
from mpps.alter.drafts import Altered, missing
from mpps.alter.parsing import parse_changes
from mpps.compare import Fit, fit
from mpps.errors import MppsError
from mpps.path import CEILING, CodePath, Variant
from mpps.predict import scope_for

#: Stages first, then what passes through them; what waits for packets comes last, as it depends on all work.
_APPLY = {
    "mix": stages.mix,
    "bypass": stages.bypass,
    "remove": stages.remove,
    "add": stages.add,
    "scale": stages.scale,
    "set": amounts.setting,
    "packet_bytes": amounts.packet_bytes,
    "link_gbit": amounts.link_gbit,
    "coalescing": amounts.coalescing,
    "batch": amounts.batch,
    "queues": flows.queues,
}


class LackingFit(MppsError):
    """A fit that does not have the parameters of the changed variant; another joint fit of the path may."""


def altered(fitted: Fit, variant: Variant | str, changes) -> Altered:
    """`variant` of a fit after `changes`, as `parse_changes` takes them.

    A variant that the path lists already is that one; others have a name that says what changed. Raises `MppsError` for
    stages and parameters that are not there, a change that has no meaning on this path, and a fit without the parameters
    that the changed variant needs.
    """
    start = fitted.path.variant(variant) if isinstance(variant, str) else variant
    draft = Altered(fitted, start)
    found = {change.kind: change for change in parse_changes(changes)}
    for kind, apply in _APPLY.items():
        if kind in found:
            draft = apply(draft, found[kind])
    if not found:
        return draft
    lacking = missing(draft)
    if lacking:
        raise LackingFit(
            f"{start.name!r} {draft.change}: the fit {fitted.scope!r} of {fitted.path.slug} does not have {', '.join(lacking)}: "
            "take a fit whose variants have those stages (mpps.alter.fit_for_changes)"
        )
    _some_work(draft)
    return replace(draft, variant=_named(draft, start))


def fit_for_changes(path: CodePath, variant: Variant | str, changes, *, seed: int = 1) -> Fit:
    """The joint fit that answers for a variant before and after `changes`: the first that has all parameters they need."""
    start = path.variant(variant) if isinstance(variant, str) else variant
    first = scope_for(path, start).name
    names = [first, *(scope.name for scope in path.scopes if scope.name != first and start.name in scope.variants)]
    for name in names[:-1]:
        fitted = fit(path, name, seed=seed)
        try:
            altered(fitted, start, changes)
        except LackingFit:
            continue
        return fitted
    return fit(path, names[-1], seed=seed)


def _some_work(draft: Altered) -> None:
    kept = [name for name in draft.variant.stages if draft.path.stage(name).on != CEILING]
    if not kept:
        raise MppsError(f"{draft.change}: no work is left for a packet: keep one stage")


def _named(draft: Altered, start: Variant) -> Variant:
    """The path's own variant with the same stages in the same table where it lists one, else the changed one by name."""
    changed = draft.variant
    for known in draft.path.variants:
        same = set(known.stages) == set(changed.stages) and not changed.most_running
        alike = known.packets_per_lap == changed.packets_per_lap and known.where == start.where
        if same and alike and known.dataset == start.dataset:
            return known
    only = all(word.startswith("without ") for word in draft.words)
    name = f"{start.name} {' '.join(draft.words)}" if only else f"{start.name}: {draft.change}"
    return replace(changed, name=name, series="", words=draft.change)
