"""Stages taken out, put in, rescaled, bypassed and mixed."""

from dataclasses import replace

from mpps.alter.drafts import Altered, with_stage
from mpps.alter.parsing import Change
from mpps.errors import MppsError, unknown_name
from mpps.path import CEILING, CORE, STATION, Stage, Variant, without_stage

#: Shares of a mix sum to 1 within this.
_ROUNDING = 1e-6


def remove(draft: Altered, change: Change) -> Altered:
    """Stages go; what the path says of what that gives up is said."""
    for name in change.pairs:
        draft = _without(draft, name).said(f"without {name}")
    return draft


def add(draft: Altered, change: Change) -> Altered:
    """Stages of the path come in, or new ones with a time of their own: name -> "" or (ns, on, per)."""
    for name, given in change.pairs.items():
        if name in draft.variant.stages:
            raise MppsError(f"change add {name!r}: variant {draft.variant.name!r} has it already: scale it instead")
        known = {stage.name for stage in draft.path.stages}
        if given == "":
            if name not in known:
                raise MppsError(
                    f"{unknown_name('stage', name, known)}; for one that the path does not know give its time: add:{name}=50 (ns per packet)"
                )
            draft = replace(draft, variant=replace(draft.variant, stages=(*draft.variant.stages, name)))
            draft = draft.said(f"with {name}")
            continue
        ns, on, per = given
        if name in known:
            raise MppsError(
                f"change add {name!r}: the path has a stage of that name: leave out the time, or choose another name"
            )
        place = STATION if on == "station" else CORE
        draft = with_stage(draft, Stage(name, f"{ns!r}", f"added: {ns:g} ns per {per}", on=place, per=per))
        where = f" at the {draft.path.station}" if on == "station" else ""
        draft = draft.said(f"with {name} of {ns:g} ns per {per}{where}")
    return draft


def scale(draft: Altered, change: Change) -> Altered:
    """Stages take a multiple of their time; a ceiling is a multiple as high."""
    for name, factor in change.pairs.items():
        stage = _own(draft, name, "scale")
        if factor != 1:  # once as long is the same variant, as sure as it was
            draft = with_stage(draft, _times(stage, factor), name)
        draft = draft.said(f"{name} {factor:g} times" + (" as high" if stage.on == CEILING else " as long"))
    return draft


def bypass(draft: Altered, change: Change) -> Altered:
    """A named stage goes, or all that a variant of the path goes without whose name says that it bypasses."""
    if change.value:
        return _without(draft, str(change.value)).said(f"bypass of {change.value}")
    work = {stage.name for stage in draft.path.stages if stage.on != CEILING}
    own = [name for name in draft.variant.stages if name in work]
    for known in draft.path.variants:
        if "bypass" in known.name.lower() and set(known.stages) & work < set(own):
            gone = [name for name in own if name not in known.stages]
            for name in gone:
                draft = _without(draft, name)
            return draft.said(f"bypass of {', '.join(gone)}")
    raise MppsError(
        f"change bypass: {draft.path.slug} lists no bypass for variant {draft.variant.name!r}: name what is bypassed, "
        f"one of its stages {', '.join(own)}, as bypass={own[-1]}"
    )


def mix(draft: Altered, change: Change) -> Altered:
    """Packets take the ways of several variants by shares: each stage takes part in the packets that meet it.

    Work that is under a lock in some of the ways is at the station for those. Ceilings are those of the start.
    """
    shares: dict[str, float] = {}
    for name, share in change.pairs.items():
        way = _way(draft, name)
        shares[way.name] = shares.get(way.name, 0.0) + share
    total = sum(shares.values())
    if abs(total - 1) > _ROUNDING:
        listed = ", ".join(f"{name} {share:g}" for name, share in shares.items())
        raise MppsError(f"change mix: the shares sum to {total:g} ({listed}): expected 1")
    ways = [(draft.path.variant(name), share) for name, share in shares.items() if share > 0]
    laps = {way.packets_per_lap for way, _ in ways}
    if laps != {draft.variant.packets_per_lap}:
        raise MppsError(
            f"change mix: {', '.join(way.name for way, _ in ways)} differ from {draft.variant.name!r} in packets per skb, so a mean has no "
            "meaning: mix variants that are alike in it"
        )
    ceilings = [name for name in draft.variant.stages if draft.path.stage(name).on == CEILING]
    draft = replace(draft, variant=replace(draft.variant, stages=tuple(ceilings)))
    for name in [stage.name for stage in draft.path.stages if stage.on != CEILING]:
        # As it is by now: a lock that was rescaled before is named among those that it is done under.
        stage = draft.path.stage(name)
        have = [(way, share) for way, share in ways if stage.name in way.stages and _exists(stage, way)]
        weight = sum(share for _, share in have)
        locked = sum(share for way, share in have if _locked(stage, way))
        if not have:
            continue
        draft = replace(draft, variant=replace(draft.variant, stages=(*draft.variant.stages, stage.name)))
        changed = _times(stage, weight) if weight < 1 - _ROUNDING else stage
        if stage.on == CORE and 0 < locked < weight - _ROUNDING:
            changed = replace(changed, name=f"{changed.name}, locked in part", share=f"{locked / weight!r}")
        if changed is not stage:
            draft = with_stage(draft, changed, stage.name)
    part = 0 < sum(share for way, share in ways if any(_serial(draft, each) for each in way.stages)) < 1 - _ROUNDING
    notes = (
        ("Every packet is charged the hand-off of the station, though only part of them visits it.",) if part else ()
    )
    draft = draft.said(notes=notes)
    return draft.said("mix of " + ", ".join(f"{share:.3g} {name}" for name, share in shares.items()))


def _serial(draft: Altered, name: str) -> bool:
    return draft.path.stage(name).on == STATION


def _exists(stage: Stage, way: Variant) -> bool:
    return stage.on == CORE or not stage.inside or bool(set(stage.inside) & set(way.stages))


def _locked(stage: Stage, way: Variant) -> bool:
    return bool(set(stage.inside) & set(way.stages))


def _way(draft: Altered, name: str) -> Variant:
    """The variant of that name, or the shortest one that begins so, where all that do are that one with an addition."""
    known = [variant for variant in draft.path.variants if variant.name.lower().startswith(name.lower())]
    exact = [variant for variant in draft.path.variants if variant.name == name]
    shortest = min(known, key=lambda variant: len(variant.name), default=None)
    if exact:
        return exact[0]
    if name and shortest and all(variant.name.startswith(shortest.name) for variant in known):
        return shortest
    raise unknown_name("variant of a mix", name, [variant.name for variant in draft.path.variants])


def _times(stage: Stage, factor: float) -> Stage:
    return replace(stage, name=f"{stage.name}, {factor:g} times", demand=f"{factor!r}*({stage.demand})")


def _own(draft: Altered, name: str, kind: str) -> Stage:
    stage = draft.path.stage(name)
    if name not in draft.variant.stages:
        raise MppsError(
            f"change {kind} {name!r}: variant {draft.variant.name!r} of {draft.path.slug} has no such stage; its stages: "
            f"{', '.join(draft.variant.stages)}"
        )
    return stage


def _without(draft: Altered, name: str) -> Altered:
    changed = without_stage(draft.path, draft.variant, name)
    gives_up = tuple(text for stage, text in draft.path.tradeoffs if stage == name)
    return replace(draft, variant=changed).said(tradeoffs=gives_up)
