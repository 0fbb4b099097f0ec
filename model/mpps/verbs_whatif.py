"""What the verb `whatif` does, for a code path and for files of the user's own; and predictions from a lock profile."""

import sys

from mpps import arguments
from mpps.errors import MppsError
from mpps.path import CodePath
from mpps.targets import only_for_files, target
from mpps.verbs import show, working
from mpps.waiting import working as waiting


def whatif(
    names,
    *,
    start,
    without,
    settings,
    machine,
    change,
    known,
    compare,
    cores,
    profile: dict,
    how: dict,
    seed,
    as_json,
    as_text,
    changed: dict | None = None,
) -> None:
    """`mpps whatif PATH|FILE...`; how: options of `mpps read`; profile: those of a run with a lock profile; changed: those of
    changes to a path, option -> text or texts."""
    if as_json and as_text:
        raise MppsError("--json and --text at once: expected one of them")
    found = target(names)
    if isinstance(found, CodePath):
        for name, value in {"change": change, "known": known, "compare": compare, **profile}.items():
            if value is not None:
                raise MppsError(
                    f"--{name.replace('_', '-')} is for a table of your own; {found.slug} is a code path, whose stages say what "
                    "changes: name one with --without, or set a parameter with --set"
                )
        only_for_files(how)
        _of_path(found, start, without, settings, changes_of(changed or {}), machine, cores, seed, as_json, as_text)
    else:
        for name, value in (changed or {}).items():
            if value:
                raise MppsError(
                    f"--{name.replace('_', '-')} needs a code path, whose stages say what changes; {found[0]} is a table of rates: say "
                    "what the change does with --change removal, replacement or cost"
                )
        _of_files(
            found,
            start,
            without,
            settings,
            machine,
            change,
            known,
            compare,
            cores,
            profile,
            how,
            seed,
            as_json,
            as_text,
        )


def changes_of(changed: dict) -> list[str]:
    """Options of the command as the texts that `mpps.alter` reads."""
    texts = [f"add:{text}" if "=" in text else f"add={text}" for text in changed.get("add") or ()]
    for kind in ("scale", "mix"):
        for text in changed.get(kind) or ():
            parts = text.split(",") if kind == "mix" else [text]
            texts += [f"{kind}:{part.strip()}" for part in parts]
    names = {"link": "link_gbit"}
    single = ("bypass", "coalescing", "packet_bytes", "link", "batch", "queues", "flows")
    return texts + [f"{names.get(name, name)}={changed[name]}" for name in single if changed.get(name) is not None]


def _of_path(found: CodePath, start, without, settings, changes, machine, cores, seed, as_json, as_text) -> None:
    counts = arguments.core_counts(cores) if cores is not None else ()
    values = arguments.settings(settings)
    from mpps.answers import whatif_answer
    from mpps.machine import load_machine
    from mpps.sentences import whatif_text, whatif_words
    from mpps.sentences.posted import posted

    card = load_machine(machine or found.machine)
    with working(f"predicting {found.slug}"):
        document = whatif_answer(
            found, counts, start=start, without=without, machine=card, settings=values, changes=changes, seed=seed
        )
    if as_text:
        print(posted(document, [whatif_words(found, each) for each in document["series"]]))
        return
    show(document, as_json, lambda: whatif_text(found, document, card))


def _of_files(
    files, start, without, settings, machine, change, known, compare, cores, profile, how, seed, as_json, as_text
) -> None:
    for name, value in {"without": without, "set": settings, "machine": machine}.items():
        if value:
            raise MppsError(
                f"--{name} needs a code path, whose stages say what changes; {files[0]} is a table of rates: say what the change "
                "does with --change removal, replacement or cost"
            )
    if change is None:
        raise MppsError(
            "nothing changes: say with --change what the patch does to what is contended: removal (a lock or another shared "
            "resource goes or is split), replacement (another scheme takes its place), or cost (less work per packet)"
        )
    counts = arguments.core_counts(cores, most=arguments.MOST_OF_TABLE) if cores is not None else ()
    points = arguments.known_points(known, unit=lambda: _unit_of(files, start, how)) if known is not None else {}
    lock = profile["lock"]
    run = run_of({name: value for name, value in profile.items() if name != "lock"})
    if lock is not None and run is None:
        raise MppsError("--lock names a lock of a profile: give the profile with --lock-profile")
    from mpps.answers.patch import whatif_table
    from mpps.sentences.patch import whatif_table_text
    from mpps.sentences.posted import posted

    with waiting(f"reading {files[0]} and predicting"):
        document = whatif_table(
            files,
            counts,
            start=start,
            change=change,
            known=points,
            compare=compare,
            profile=run,
            lock=lock,
            seed=seed,
            **how,
        )
    if as_text:
        print(posted(document))
        return
    if as_json:
        for warning in document["warnings"]:
            print(f"mpps: warning: {warning}", file=sys.stderr)
    show(document, as_json, lambda: whatif_table_text(document))


def _unit_of(files, start: str, how: dict) -> str | None:
    """The unit of the rates of a variant of files, None where it has none or several, or cannot be read."""
    from mpps.answers.own.series import rates
    from mpps.readers import read

    try:
        found = rates(read(files, **how))[0]
    except MppsError:
        return None  # What is wrong with the file is told once the option is right.
    units = {each.unit for each in found if start in (each.variant, *each.variant.split(", "))}
    return units.pop() if len(units) == 1 else None


def run_of(profile: dict):
    """The run of --lock-profile, --rate, --seconds and --cores-used; None without any. Raises `MppsError` for a part of them."""
    given = {name: value for name, value in profile.items() if value is not None}
    if not given:
        return None
    missing = [f"--{name.replace('_', '-')}" for name in profile if name not in given]
    if missing:
        raise MppsError(
            f"a lock profile needs {', '.join(missing)} too: waits become times of one packet by the rate, seconds and cores of the "
            "run that was profiled"
        )
    from mpps.lock_profiles import lock_run

    rate = arguments.packet_rate(profile["rate"])
    return lock_run(profile["lock_profile"], rate=rate, seconds=profile["seconds"], cores=profile["cores_used"])


def predict_run(profile: dict, others: dict, *, cores: str, seed: int, as_json: bool) -> None:
    """`mpps predict --lock-profile FILE --rate R --seconds S --cores-used N`: a prediction from a profile alone.

    others: name -> value of the options that go with a path or a table.
    """
    for name, value in others.items():
        if value:
            raise MppsError(
                f"{name} and --lock-profile at once: a profile is predicted from alone; leave one of them out"
            )
    counts = arguments.core_counts(cores)
    run = run_of(profile)
    from mpps.answers.profiled import predict_profile
    from mpps.sentences.profiled import predict_profile_text

    document = predict_profile(run, counts, seed=seed)
    show(document, as_json, lambda: predict_profile_text(document))
