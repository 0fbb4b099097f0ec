"""What `mpps predict --load` does: how busy cores are at offered loads, for a code path and for files of the user's own."""

import re

from mpps import arguments
from mpps.errors import MppsError
from mpps.path import CodePath
from mpps.targets import only_for_files, only_for_paths, target

#: Largest number of loads that one call answers for, and the largest room of a queue.
MOST_LOADS, MOST_ROOM = 64, 1_000_000


def predict_load(
    names, *, load, cores, room, flows, unit, machine, placement, variants, settings, how, seed, as_json
) -> None:
    """`mpps predict PATH|FILE --load RATE[,RATE]`; how: options of `mpps read`, the unit apart."""
    from mpps.verbs import show, working

    found = target(names)
    room = _whole("--room", room, 1024, MOST_ROOM)
    flows = _whole("--flows", flows, None, 10_000_000)
    if isinstance(found, CodePath):
        counts, values = arguments.core_counts(cores), arguments.settings(settings)
        only_for_files(how)
        named = _unit(unit, "--unit") if unit is not None else None
        loads = rates(load)
        from mpps.load.answer import load_answer
        from mpps.load.words import load_text
        from mpps.machine import load_machine
        from mpps.sentences.words import assumptions, marks, title

        card = load_machine(machine or found.machine)
        with working(f"predicting {found.slug}"):
            document = load_answer(
                found, counts, loads, unit=named, variants=variants, machine=card, settings=values,
                placement=placement or "packed", room=room, flows=flows, seed=seed,
            )  # fmt: skip

        def text() -> str:
            rows = [row for each in document["series"] for row in each["predictions"]]
            parts = [title(found), *(load_text(each, card.slug) for each in document["series"])]
            return "\n\n".join(part for part in (*parts, marks(found, card, rows), assumptions(document)) if part)

        show(document, as_json, text)
        return
    counts = arguments.core_counts(cores)
    only_for_paths(found, {"machine": machine, "set": settings, "placement": placement})
    from mpps.load.own import load_table, load_table_text
    from mpps.waiting import working as waiting

    with waiting(f"reading and fitting {found[0]}") as advance:
        document = load_table(
            found, counts, rates(load), room=room, flows=flows, variants=variants, seed=seed, advance=advance,
            unit=unit, **how,
        )  # fmt: skip
    show(document, as_json, lambda: load_table_text(document))


def rates(text: str) -> list[tuple[float, str | None]]:
    """Pairs (value, unit or None) of `2Mpps,40Gbit/s` or `2,3`. Raises `MppsError` for other texts, and for too many."""
    found = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d[\d_]*\.?\d*(?:[eE][+-]?\d{1,3})?|\.\d+)\s*(\D.*?)?\s*", part, re.ASCII)
        value = float(match[1].replace("_", "")) if match else 0.0
        if not 0 < value < 1e18:
            raise MppsError(
                f"--load {text!r}: found {part.strip()!r}: expected a positive rate, as 2Mpps or 40Gbit/s, or several: 1,2,3"
            )
        found.append((value, _unit(match[2], "--load") if match[2] else None))
    if len(found) > MOST_LOADS:
        raise MppsError(f"--load {text!r}: found {len(found)} loads: expected {MOST_LOADS} at most in one call")
    return found


def _unit(text: str, option: str) -> str:
    from mpps.load.answer import UNITS

    unit = UNITS.get(text.strip().lower())
    if unit is None:
        raise MppsError(f"{option}: unknown unit {text.strip()!r}: expected pps, kpps, Mpps, Mbit/s or Gbit/s")
    return unit


def _whole(option: str, value, default, most: int):
    if value is None:
        return default
    try:
        number = int(value)
    except ValueError:
        number = 0
    if not 1 <= number <= most:
        raise MppsError(f"{option} {value!r}: expected a whole number from 1 to {most:,}")
    return number
