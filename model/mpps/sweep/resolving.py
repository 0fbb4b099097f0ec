"""From the plain values of a spec to a `Spec`: shapes through pydantic, then names against what the workbook has."""

import functools
import math

from mpps.errors import MppsError, unknown_name
from mpps.sweep import outputs
from mpps.sweep.spec import DRAWS, LIMIT, PLACEMENTS, Spec, all_outputs, chosen, wrong

_SUBJECTS = ("path", "table", "network")
#: What a key takes, for messages about one that has another shape.
_EXPECTED = {
    "path": "the name of a code path (`mpps list paths`)",
    "table": "a file of your own, or {file: ..., unit: ..., n: ..., value: ..., format: ...} with the options of `mpps read`",
    "network": "a form of the hand-off, as constant or hump",
    "variants": "a list of names, as ['both locks', 'no lock']",
    "machines": "a list of names (`mpps list machines`), cards of your own (.yaml), or null for where it was measured",
    "placement": "packed, spread, or a list of both",
    "cores": "core counts, as 1-64, [1, 8, 64] or 8",
    "loads": "a list of rates to carry in packets/s, as [1e6, 2.5Mpps]",
    "changes": "a list of lists of changes, as [[], [{remove: ppp receive lock}]]",
    "parameters": "parameters with values: a number, a list, {from, to, steps} or {distribution, ...}",
    "sampling": "grid or latin hypercube",
    "draws": "a whole number: members of the fit for each scenario, 0 for the best estimate alone",
    "outputs": f"a list of {', '.join(all_outputs())}",
    "against": "the variant that gains are over, or unchanged: each without its changes",
    "queue": "a whole number from 1: packets that wait at most",
    "seed": "a whole number from 0",
    "limit": "a positive number: rates that the sweep may compute",
}


@functools.cache
def _shape():
    """The shapes of the keys, for pydantic."""
    from typing import Annotated, Any

    from pydantic import BaseModel, ConfigDict, Field, StrictStr

    whole = Annotated[int, Field(ge=0)]

    class Shape(BaseModel):
        model_config = ConfigDict(extra="forbid")
        path: StrictStr | None = None
        table: StrictStr | dict[str, str | int] | None = None
        network: StrictStr | None = None
        variants: list[str | int] | None = Field(None, min_length=1)
        machines: list[str | None] = Field([None], min_length=1)
        placement: str | list[str] | None = None
        cores: int | str | list[int]
        loads: list[float | str] = []
        changes: list[list[dict[str, Any] | str]] = Field([[]], min_length=1)
        parameters: dict[str, Any] = {}
        sampling: str = "grid"
        draws: whole | None = None
        outputs: list[str] = Field(["rate"], min_length=1)
        against: str | None = None
        queue: Annotated[int, Field(ge=1)] = 1024
        seed: whole = 1
        limit: Annotated[float, Field(gt=0)] = LIMIT

    return Shape


def _shaped(given: dict, place):
    from pydantic import ValidationError

    try:
        return _shape()(**{str(name): value for name, value in given.items()})
    except ValidationError as error:
        # An unknown key first: it is often the one that is missing, misspelt.
        first = min(error.errors(), key=lambda each: each["type"] != "extra_forbidden")
        name = first["loc"][0]
        if first["type"] == "extra_forbidden":
            raise MppsError(f"{place(name)}: {unknown_name('key', name, _EXPECTED)}") from None
        if first["type"] == "missing":
            raise MppsError(f"{place()}: missing key {name!r}: expected {_EXPECTED[name]}") from None
        raise wrong(place, (name,), given[name], _EXPECTED[name]) from None


def resolved(file: str, folder, given: dict, place) -> Spec:
    """A `Spec` of plain values; place(*key) says where a key stands. Raises `MppsError`."""
    shape = _shaped(given, place)
    stated = [name for name in _SUBJECTS if getattr(shape, name) is not None]
    if len(stated) != 1:
        raise MppsError(
            f"{place()}: found {' and '.join(stated) or 'no subject'}: expected one of path (a code path), table (a file of "
            "your own) and network (a hand-off form)"
        )
    subject = stated[0]
    cores = _cores(shape.cores, place, subject)
    wanted = _outputs(shape, place)
    loads = _loads(shape.loads, wanted, place)
    from mpps.sweep.parameters import axes_of

    axes = axes_of(shape.parameters, shape.sampling, shape.seed, place)
    placement = (shape.placement,) if isinstance(shape.placement, str | None) else tuple(shape.placement)
    for name in placement:
        if name is not None:
            chosen(place, ("placement",), name, "placement", PLACEMENTS)
    name, how = (shape.path or shape.network, ()) if subject != "table" else _table(shape.table, place)
    spec = Spec(
        file=file,
        folder=folder,
        subject=subject,
        name=name,
        how=how,
        variants=tuple(map(str, shape.variants or ())),
        machines=tuple(dict.fromkeys(shape.machines)),
        placement=tuple(dict.fromkeys(placement)),
        cores=cores,
        loads=loads,
        changes=tuple(tuple(each) for each in shape.changes),
        axes=axes,
        draws=DRAWS[subject] if shape.draws is None or subject == "network" else shape.draws,
        every=shape.draws is None and subject != "network",
        outputs=wanted,
        against=shape.against,
        queue=shape.queue,
        seed=shape.seed,
        limit=shape.limit,
        given=given,
    )
    from mpps.sweep.naming import named

    return named(spec, place)


def _cores(value, place, subject: str) -> tuple[int, ...]:
    from mpps.arguments import MOST_CORES, MOST_OF_TABLE, core_counts

    text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
    most = MOST_OF_TABLE if subject == "table" else MOST_CORES
    try:
        return core_counts(text, "cores", most)
    except MppsError as error:
        raise MppsError(f"{place('cores')}: {error}") from None


def _outputs(shape, place) -> tuple[str, ...]:
    known = all_outputs()
    for name in shape.outputs:
        chosen(place, ("outputs",), name, "output", known)
    wanted = tuple(name for name in known if name in shape.outputs)
    kinds = {
        "a row for each core count": outputs.EACH,
        "one for each core count and load": outputs.LOADED,
        "one for all core counts": outputs.WHOLE | outputs.WHOLE_LOADED,
    }
    asked = {kind: ", ".join(name for name in wanted if name in names) for kind, names in kinds.items()}
    if sum(map(bool, asked.values())) > 1:
        told = "; ".join(f"{names}: {kind}" for kind, names in asked.items() if names)
        raise wrong(place, ("outputs",), shape.outputs, f"outputs of one kind ({told})", "make two sweeps")
    if ("gain" in wanted) != (shape.against is not None):
        raise MppsError(
            f"{place('outputs')}: gain and the key `against` come together: the variant that the gain is over"
        )
    return wanted


def _loads(values, wanted, place) -> tuple[float, ...]:
    from mpps.arguments import packet_rate

    needing = [name for name in wanted if name in outputs.LOADED or name in outputs.WHOLE_LOADED]
    if needing and not values:
        raise MppsError(f"{place('outputs')}: {', '.join(needing)} need the key `loads`: {_EXPECTED['loads']}")
    if values and not needing:
        raise MppsError(
            f"{place('loads')}: no output uses the loads: expected one of {', '.join([*outputs.LOADED, *outputs.WHOLE_LOADED])}"
        )
    found = []
    for value in values:
        try:
            rate = packet_rate(value, "loads") if isinstance(value, str) else float(value)
        except MppsError as error:
            raise MppsError(f"{place('loads')}: {error}") from None
        if not (math.isfinite(rate) and rate > 0):
            raise wrong(place, ("loads",), value, "positive rates in packets/s")
        found.append(rate)
    return tuple(dict.fromkeys(found))


def _table(value, place) -> tuple[str, tuple]:
    if isinstance(value, str):
        return value, ()
    options = ("format", "n", "value", "variant", "unit", "n_from")
    for name in value:
        chosen(place, ("table", name), name, "key", ("file", *options))
    if not isinstance(value.get("file"), str):
        raise wrong(place, ("table",), value, _EXPECTED["table"])
    return value["file"], tuple((name, str(value[name])) for name in options if name in value)
