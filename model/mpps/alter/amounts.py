"""Parameters set, packets of another size, another link, more packets per skb or per batch."""

from dataclasses import replace

import numpy as np

from mpps.alter.drafts import Altered, on_path, saving, scaled_member, stages_of, with_prior, with_stage
from mpps.alter.parsing import Change
from mpps.errors import MppsError
from mpps.machine import Assumption, load_machine
from mpps.machine.draws import draw_assumption
from mpps.path import CEILING, CORE, Stage
from mpps.path.formula import compiled
from mpps.units import WIRE_OVERHEAD_BYTES, counts_bits, is_rate, line_rate_pps

#: Smallest Ethernet frame, FCS included (IEEE 802.3, clause 4A.4.2).
SMALLEST_FRAME = 64
GRO_COST = Assumption(
    "GRO lookup and merge of one packet",
    30.0,
    15.0,
    60.0,
    "ns",
    "26 to 33 ns for GRO that finds nothing to merge (xdp-project, areas/core, commit 539c25f); merging costs more",
)
PER_BYTE = Assumption(
    "touching one byte of a packet (a copy or a checksum)",
    0.037,
    0.012,
    0.13,
    "ns/byte",
    "copy with checksum 0.037, checksum alone 0.062 (xdp-project, areas/mem, commit 539c25f), rep movsb 0.012, "
    "bpf_csum_diff 0.13; a copy that leaves the caches costs more",
)
TOUCHED = Assumption(
    "the path touches every byte of a packet",
    0.5,
    0.0,
    1.0,
    "probability",
    "its stages do not say: once in half of the draws, not at all in the others",
)
BATCHED = Assumption(
    "work of one packet that a batch shares",
    18.0,
    7.0,
    45.0,
    "ns",
    "single against bulk: skb slab 30.5 to 17.9 ns, page 55.5 to 37.3 or 30.6 (xdp-project, areas/mem, commit 539c25f), "
    "redirect transmit 165.5 to 145.9 (commit 735fc4054b3a); a system call or doorbell of one packet costs more",
)
SAVED = Assumption(
    "part of a packet's work that a batch saves at most",
    0.5,
    0.25,
    0.75,
    "ratio",
    "assumed: the published bulk costs are of longer paths, and where a packet takes tens of ns they say little",
)

_REST = (
    "Private work is taken as once per packet, though part of it would run once per skb too: the gain is that or more."
)


def setting(draft: Altered, change: Change) -> Altered:
    """Parameters take given values."""
    for name in change.pairs:
        draft.path.parameter(name)
    words = [f"{name} = {value:g}" for name, value in change.pairs.items()]
    return draft.said(*words, settings=change.pairs)


def coalescing(draft: Altered, change: Change) -> Altered:
    """G packets per skb: the parameter that says so where the variant has one, else what runs once per skb is shared."""
    packets, text = float(change.value), draft.variant.packets_per_lap
    own = [name for name in compiled(text).co_names if name in {each.name for each in draft.path.parameters}]
    if len(own) == 1 and text == own[0]:
        return draft.said(f"{packets:g} packets per skb", settings={own[0]: packets})
    shared = [stage.name for stage in stages_of(draft) if stage.per == "skb"]
    if text != "1" or not shared:
        raise MppsError(
            f"change coalescing: variant {draft.variant.name!r} of {draft.path.slug} has nothing to coalesce: none of its stages runs "
            f"once per skb ({', '.join(stage.name for stage in stages_of(draft))})"
        )
    draft = replace(draft, variant=replace(draft.variant, packets_per_lap=repr(packets)))
    if packets > 1:
        draft = with_prior(draft, "merging_ns", GRO_COST, role="core")
        draft = with_stage(draft, Stage("GRO, assumed", "merging_ns", "lookup and merge, once per packet", on=CORE))
    return draft.said(
        f"{packets:g} packets per skb",
        notes=(f"Once per skb run: {', '.join(shared)}. {_REST}",),
    )


def packet_bytes(draft: Altered, change: Change) -> Altered:
    """Packets of B bytes at the layer that the rates count: what the wire carries, and work that touches bytes."""
    given, path = change.pairs, draft.path
    new, old = float(given["packet_bytes"]), path.packet_bytes
    if not old:
        raise MppsError(
            f"change packet_bytes: {path.slug} does not say how large its packets are, so nothing can be scaled"
        )
    before = path.frame_bytes or old
    frame = max(new + before - old, SMALLEST_FRAME)
    wire = (before + WIRE_OVERHEAD_BYTES) / (frame + WIRE_OVERHEAD_BYTES)
    for name in _wires(draft):
        draft = scaled_member(draft, name, wire)
    for stage in stages_of(draft):
        bits = [name for name in compiled(stage.demand).co_names if _in_bits(draft, name)]
        if stage.on == CEILING and bits:
            changed = replace(stage, name=f"{stage.name} at {new:g} bytes", demand=f"{old / new!r}*({stage.demand})")
            draft = with_stage(draft, changed, stage.name)
    draft = on_path(draft, packet_bytes=new, frame_bytes=frame)
    if not _wires(draft):
        draft = _source_wire(draft)
    draft = draft.said(f"packets of {new:g} bytes")
    elements = any(metric == "time" for metric, _ in draft.variant.observe)
    if new == old or elements:
        note = "Rates count elements, whose cost does not depend on the bytes of a packet." if elements else ""
        return draft.said(notes=(note,) if note else ())
    note = f"Gains count packets; in bits they are {new / old:.3g} times as high, as a packet has {new:g} bytes, not {old:g}."
    return _bytes_touched(draft.said(notes=(note,)), new - old, given.get("per_byte_ns"))


def _bytes_touched(draft: Altered, more: float, per_byte) -> Altered:
    if any(each.unit == "ns/byte" for each in draft.path.parameters):
        raise MppsError(
            f"change packet_bytes: {draft.path.slug} has a cost per byte of its own: set it with set:NAME=VALUE"
        )
    if per_byte is not None:
        cost, said = repr(float(per_byte)), f"{per_byte:g} ns per byte"
    else:
        cost, said = "per_byte_ns", ""

        def draws(count, rng):
            there = rng.random(count) < TOUCHED.median
            return np.where(there, draw_assumption(PER_BYTE, count, rng), 1e-9)

        draft = with_prior(draft, cost, PER_BYTE, role="core", draws=draws).said(assumptions=(TOUCHED,))
    amount = f"{abs(more)!r}*{cost}"
    demand = amount if more > 0 else saving(draft, amount)
    words = f"{abs(more):g} bytes {'more' if more > 0 else 'fewer'} are touched"
    draft = with_stage(draft, Stage("bytes of a packet", demand, words))
    return draft.said(*([said] if said else []))


def link_gbit(draft: Altered, change: Change) -> Altered:
    """A link of L Gbit/s: its line rate for the path's frames takes the place of the link of the path, if it has one."""
    gbit, frame = float(change.value), draft.path.frame_bytes or draft.path.packet_bytes
    if not frame:
        raise MppsError(
            f"change link_gbit: {draft.path.slug} does not say how large its packets are: the packets a link carries depend on it"
        )
    rate = float(line_rate_pps(gbit * 1e9, frame))
    wires = _wires(draft)
    draft = draft.said(f"a link of {gbit:g} Gbit/s")
    if wires:
        return draft.said(settings=dict.fromkeys(wires, rate))
    device = [stage.name for stage in stages_of(draft) if stage.on == CEILING and _of_device(draft, stage)]
    note = (
        f"{', '.join(device)} stays: it counts packets, whatever the link; another device replaces it."
        if device
        else ""
    )
    return _wire(draft, f"line rate of {gbit:g} Gbit/s", repr(rate)).said(notes=(note,) if note else ())


def batch(draft: Altered, change: Change) -> Altered:
    """B packets share what runs once a batch, against `batch_from` (1 when not said) before."""
    given = change.pairs
    size, before = float(given["batch"]), float(given.get("batch_from", 1.0))
    share = 1 / before - 1 / size
    draft = draft.said(f"batches of {size:g}" + (f" instead of {before:g}" if before != 1 else ""))
    if not share:
        return draft
    draft = with_prior(draft, "per_batch_ns", BATCHED, role="core")
    amount = f"{abs(share)!r}*per_batch_ns"
    if share > 0:
        draft = with_prior(draft, "saved_most", SAVED, role="none")
    demand = saving(draft, amount, "minimum(saved_most, 0.95)") if share > 0 else amount
    draft = with_stage(draft, Stage("batch", demand, "what a batch shares"))
    taken = (
        ()
        if "batch_from" in given
        else ("Packets are taken to have been handled one at a time before (batch_from says otherwise).",)
    )
    return draft.said(notes=taken)


def _wires(draft: Altered) -> list[str]:
    """Parameters that are the line rate of a link: of the device, with a prior that clocks alone blur, in a ceiling."""
    names = {name for stage in stages_of(draft) if stage.on == CEILING for name in compiled(stage.demand).co_names}
    return [
        each.name
        for each in draft.path.parameters
        if each.name in names and each.role == "device" and each.prior and each.prior.log_sd < 1e-3
    ]


def _in_bits(draft: Altered, name: str) -> bool:
    return any(each.name == name and is_rate(each.unit) and counts_bits(each.unit) for each in draft.path.parameters)


def _of_device(draft: Altered, stage: Stage) -> bool:
    used = compiled(stage.demand).co_names
    return any(each.name in used and each.role == "device" for each in draft.path.parameters)


def _source_wire(draft: Altered) -> Altered:
    """The line rate of the source's link as a ceiling, where its card states a link; another machine brings its own."""
    link = load_machine(draft.path.machine)["device.link"].value
    if not link:
        return draft
    rate = float(line_rate_pps(link * 1e9, draft.path.frame_bytes))
    # A parameter of the device, so that a move to another machine replaces it.
    wire = Assumption(
        "line rate", rate, rate * 0.9999, rate * 1.0001, "packets/s", "clocks may be 100 ppm off (IEEE 802.3)"
    )
    listed = draft.assumptions
    draft = replace(with_prior(draft, "wire_pps", wire, role="device"), assumptions=listed)
    return _wire(draft, "line rate of the link", "wire_pps")


def _wire(draft: Altered, name: str, rate: str) -> Altered:
    return with_stage(draft, Stage(name, rate, "what the link carries", on=CEILING))
