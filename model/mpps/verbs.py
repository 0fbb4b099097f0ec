"""What the verbs `fit` and `predict` do, for a code path and for files of the user's own; and how an answer is shown."""

import json
import sys

from mpps import arguments
from mpps.errors import MppsError
from mpps.path import CodePath
from mpps.targets import only_for_files, only_for_paths, target
from mpps.waiting import working as waiting


def fit(names, *, at: str | None, variants, how: dict, seed: int, as_json: bool) -> None:
    """`mpps fit PATH|FILE...`; how: options of `mpps read`."""
    found = target(names)
    if isinstance(found, CodePath):
        counts = arguments.core_counts(at, "--at") if at is not None else ()
        only_for_files(how | {"variant": variants})
        from mpps.answers import fit_answer
        from mpps.sentences import fit_text

        with working(f"fitting {found.slug}"):
            document = fit_answer(found, at=counts, seed=seed)
        show(document, as_json, lambda: fit_text(found, document))
        return
    counts = arguments.core_counts(at, "--at", arguments.MOST_OF_TABLE) if at is not None else ()
    from mpps.answers.own import fit_table
    from mpps.sentences.own import fit_table_text

    with waiting(f"reading and fitting {_named(found)}") as advance:
        document = fit_table(found, counts, variants=variants, seed=seed, advance=advance, **how)
    _show_own(document, as_json, lambda: fit_table_text(document))


def fit_page(names, as_page: bool, out, *, at: str | None, variants, how: dict, seed: int, as_json: bool) -> int:
    """`mpps fit FILE... --report [--out DIR]`: the page of a table, and where it is; the exit status."""
    if not as_page:
        raise MppsError("--out is the folder of a page: ask for one with --report")
    if as_json:
        raise MppsError("--json and --report at once: expected one of them")
    found = target(names)
    if isinstance(found, CodePath):
        raise MppsError(f"--report makes the page of a table of your own; {found.slug} is a code path: see `mpps report`")
    counts = arguments.core_counts(at, "--at", arguments.MOST_OF_TABLE) if at is not None else ()
    from mpps.answers.own.page import page

    batch = page(found, out or "mpps-report", at=counts, variants=variants, how=how, seed=seed)
    (made,) = batch.pages
    print(f"{made.html}" if not made.error else f"{made.html} is partial: {made.error}")
    return batch.exit_status


def predict(
    names,
    *,
    cores: str,
    machine: str | None,
    variants,
    settings,
    how: dict,
    seed: int,
    as_json: bool,
    placement: str | None = None,
    load: str | None = None,
    room: str | None = None,
    flows: str | None = None,
) -> None:
    """`mpps predict PATH|FILE...`; how: options of `mpps read`; load, room, flows: those of an offered load."""
    if load is not None:
        from mpps.verbs_load import predict_load

        unit = how["unit"]
        rest = {name: value for name, value in how.items() if name != "unit"}
        predict_load(
            names, load=load, cores=cores, room=room, flows=flows, unit=unit, machine=machine, placement=placement,
            variants=variants, settings=settings, how=rest, seed=seed, as_json=as_json,
        )  # fmt: skip
        return
    for name, value in {"room": room, "flows": flows}.items():
        if value is not None:
            raise MppsError(f"--{name} goes with an offered load: give one with --load, as --load 2Mpps")
    found = target(names)
    if isinstance(found, CodePath):
        counts, values = arguments.core_counts(cores), arguments.settings(settings)
        only_for_files(how)
        from mpps.answers import predict_answer
        from mpps.machine import load_machine
        from mpps.sentences import predict_text

        card = load_machine(machine or found.machine)
        with working(f"predicting {found.slug}"):
            where = {"machine": card, "placement": placement or "packed"}
            document = predict_answer(found, counts, variants=variants, settings=values, seed=seed, **where)
        show(document, as_json, lambda: predict_text(found, document, card))
        return
    counts = arguments.core_counts(cores, most=arguments.MOST_OF_TABLE)
    only_for_paths(found, {"machine": machine, "set": settings, "placement": placement})
    from mpps.answers.own import predict_table
    from mpps.sentences.own import predict_table_text

    with waiting(f"reading and fitting {_named(found)}") as advance:
        document = predict_table(found, counts, variants=variants, seed=seed, advance=advance, **how)
    _show_own(document, as_json, lambda: predict_table_text(document))


def _named(files) -> str:
    return files[0] if len(files) == 1 else f"{len(files)} files"


def _show_own(document: dict, as_json: bool, text) -> None:
    """As `show`; with JSON the warnings go to stderr too, as text holds them anyway."""
    if as_json:
        for warning in document["warnings"]:
            print(f"mpps: warning: {warning}", file=sys.stderr)
    show(document, as_json, text)


def show(document: dict, as_json: bool, text) -> None:
    """One JSON document, or the text that `text()` makes, on stdout."""
    if as_json:
        json.dump(document, sys.stdout, ensure_ascii=False, allow_nan=False)
        print()
    else:
        print(text())


def working(words: str):
    """A line on a terminal's stderr while a code path is fitted."""
    return waiting(f"{words}: up to two minutes the first time, then the fit is kept")
