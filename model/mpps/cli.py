"""The command: `mpps VERB ...`, the words of the API in the order of work.

What a verb needs is imported when it runs, so that `--help` is quick. A mistake of the user is one paragraph on
stderr and exit status 2; with --json, stdout holds one document and nothing else.
"""

import os
import pathlib
import sys
from typing import Annotated

import typer

from mpps.errors import MppsError, unknown_name
from mpps.options import (
    Format,
    Json,
    LockProfile,
    Machine,
    NColumn,
    NFrom,
    Placement,
    ProfileCores,
    ProfileRate,
    ProfileSeconds,
    Seed,
    Settings,
    Target,
    ValueColumn,
    ValueUnit,
    Variants,
)
from mpps.root import data_folder

#: What typer raises for a line that it cannot read; newer versions carry click inside, so the base is found by descent.
_ClickException = typer.BadParameter.__mro__[2]
_KINDS = ("paths", "machines", "datasets", "notebooks")

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Models of packet-path scaling: what limits a kernel network path, what a packet costs, how it scales.",
)


def _example(verb: str) -> str:
    """`Example: ...` for the help of a verb, a paragraph for each of its lines in `data/examples.txt`."""
    lines = (data_folder() / "examples.txt").read_text(encoding="utf-8").splitlines()
    found = [line.partition(": ")[2] for line in lines if line.startswith(f"{verb}: ")]
    return "\n\n".join(f"Example: {line}" for line in found)


@app.command("list", epilog=_example("list"), short_help="List paths, machines, data sets, notebooks.")
def list_command(
    kind: Annotated[
        str | None,
        typer.Argument(
            metavar="[paths|machines|datasets|notebooks]", help="Everything when left out.", show_default=False
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """List code paths, machines, data sets and notebooks."""
    from mpps.listing import document, listed

    if kind is not None and kind not in _KINDS:
        raise unknown_name("list", kind, _KINDS)
    if as_json:
        from mpps.verbs import show

        show(document([kind] if kind else _KINDS), True, None)
        return
    print("\n\n".join(listed(each, head=not kind) for each in ([kind] if kind else _KINDS)))


@app.command(epilog=_example("read"), short_help="Read your own table, log or profile.")
def read(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE...",
            help="A message with a table, the output of a tool, a profile, CSV, Parquet, JSON; - is standard input.",
            show_default=False,
        ),
    ] = None,
    format: Format = None,
    n: NColumn = None,
    value: ValueColumn = None,
    variant: Annotated[
        str | None, typer.Option("--variant", metavar="COL", help="The column that names variants.", show_default=False)
    ] = None,
    unit: ValueUnit = None,
    n_from: NFrom = None,
    out: Annotated[
        str | None,
        typer.Option("--out", metavar="FILE", help="Write tidy CSV; - is standard output.", show_default=False),
    ] = None,
    as_json: Json = False,
) -> None:
    """Read your own measurements as they are, and say what was understood and what was left out."""
    from mpps.readers.core.command import show_formats, show_reading

    if format == "list":
        print(show_formats())
        return
    show_reading(
        files or (),
        out=out,
        as_json=as_json,
        format=format,
        n=n,
        value=value,
        variant=variant,
        unit=unit,
        n_from=n_from,
    )


@app.command(epilog=_example("fit"), short_help="Fit a code path, or a table of your own.")
def fit(
    target: Target,
    at: Annotated[
        str | None,
        typer.Option(
            "--at", metavar="CORES", help="Also predict at these core counts: 16,32 or 1-128.", show_default=False
        ),
    ] = None,
    format: Format = None,
    n: NColumn = None,
    value: ValueColumn = None,
    variant: Variants = None,
    unit: ValueUnit = None,
    n_from: NFrom = None,
    seed: Seed = 1,
    as_json: Json = False,
    as_page: Annotated[
        bool, typer.Option("--report", help="Of a file: write a page with charts instead, and print where it is.")
    ] = False,
    out: Annotated[
        pathlib.Path | None,
        typer.Option(
            "--out", metavar="DIR", help="Folder of that page; mpps-report when left out.", show_default=False
        ),
    ] = None,
) -> None:
    """Fit a code path, or a table of your own: mechanisms, parameters, limits, and how well it holds.

    Variants that are before and after a change are compared. The options --format to --n-from say how to read a file,
    as those of `mpps read`.
    """
    how = {"format": format, "n": n, "value": value, "unit": unit, "n_from": n_from}
    if as_page or out is not None:
        from mpps.verbs import fit_page

        raise typer.Exit(
            fit_page(target, as_page, out, at=at, variants=variant or (), how=how, seed=seed, as_json=as_json)
        )
    from mpps.verbs import fit as run

    run(target, at=at, variants=variant or (), how=how, seed=seed, as_json=as_json)


@app.command(epilog=_example("predict"), short_help="Predict rates at any core count and machine.")
def predict(
    target: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PATH|FILE...]",
            help="A code path, or a table, log or profile of your own; - is standard input. Nothing with --lock-profile.",
            show_default=False,
        ),
    ] = None,
    *,
    cores: Annotated[
        str, typer.Option("--cores", metavar="CORES", help="Core counts: 1-128 or 1,8,64.", show_default=False)
    ],
    machine: Machine = None,
    placement: Placement = None,
    variant: Variants = None,
    settings: Settings = None,
    load: Annotated[
        str | None,
        typer.Option(
            "--load",
            metavar="RATE,...",
            help="Offered loads, all cores together: 2Mpps or 40Gbit/s. How busy cores are, what is left, delay and loss.",
            show_default=False,
        ),
    ] = None,
    room: Annotated[
        str | None, typer.Option("--room", metavar="N", help="Packets that a core's queue holds: 1024.", show_default=False)
    ] = None,
    flows: Annotated[
        str | None,
        typer.Option("--flows", metavar="F", help="Flows that hash onto the cores; an even load when left out.", show_default=False),
    ] = None,
    format: Format = None,
    n: NColumn = None,
    value: ValueColumn = None,
    unit: ValueUnit = None,
    n_from: NFrom = None,
    lock_profile: LockProfile = None,
    rate: ProfileRate = None,
    seconds: ProfileSeconds = None,
    cores_used: ProfileCores = None,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """Predict the rate at any core count, variant and machine, with an interval and what it rests on.

    The options --format to --n-from say how to read a file, as those of `mpps read`. With --lock-profile the prediction
    rests on that one run alone: private work from rate and cores, a station for each lock.
    """
    profile = {"lock_profile": lock_profile, "rate": rate, "seconds": seconds, "cores_used": cores_used}
    if any(each is not None for each in profile.values()):
        from mpps.verbs_whatif import predict_run

        others = {"a path or table": target, "--machine": machine, "--variant": variant, "--set": settings, "--placement": placement, "--load": load}
        predict_run(profile, others, cores=cores, seed=seed, as_json=as_json)
        return
    if not target:
        raise typer.BadParameter(
            "found no path and no file: name a code path, a table of your own, or --lock-profile FILE"
        )
    from mpps.verbs import predict as run

    how = {"format": format, "n": n, "value": value, "unit": unit, "n_from": n_from}
    run(
        target, cores=cores, machine=machine, variants=variant or (), settings=settings or (), how=how, seed=seed,
        as_json=as_json, placement=placement, load=load, room=room, flows=flows,
    )  # fmt: skip


@app.command(epilog=_example("whatif"), short_help="Ask what a change would give.")
def whatif(
    target: Target,
    start: Annotated[str, typer.Option("--from", metavar="V", help="The variant to start from.", show_default=False)],
    without: Annotated[
        list[str] | None,
        typer.Option(
            "--without", metavar="STAGE", help="A stage of the path to take away; may be repeated.", show_default=False
        ),
    ] = None,
    scale: Annotated[
        list[str] | None,
        typer.Option(
            "--scale", metavar="STAGE=F", help="A stage takes F times as long; may be repeated.", show_default=False
        ),
    ] = None,
    add: Annotated[
        list[str] | None,
        typer.Option(
            "--add",
            metavar="STAGE[=NS]",
            help="A stage of the path comes in, or a new one of so many ns per packet; may be repeated.",
            show_default=False,
        ),
    ] = None,
    mix: Annotated[
        list[str] | None,
        typer.Option(
            "--mix",
            metavar="V=SHARE,...",
            help="Packets take the ways of these variants by shares.",
            show_default=False,
        ),
    ] = None,
    bypass: Annotated[
        str | None,
        typer.Option(
            "--bypass",
            metavar="STAGE|yes",
            help="A stage is bypassed; yes: what the path knows to bypass.",
            show_default=False,
        ),
    ] = None,
    coalescing: Annotated[
        str | None, typer.Option("--coalescing", metavar="G", help="Packets per skb.", show_default=False)
    ] = None,
    packet_bytes: Annotated[
        str | None,
        typer.Option(
            "--packet-bytes", metavar="B", help="Bytes of a packet, as the rates count it.", show_default=False
        ),
    ] = None,
    link: Annotated[
        str | None, typer.Option("--link", metavar="GBIT", help="Gbit/s of the link.", show_default=False)
    ] = None,
    batch: Annotated[
        str | None,
        typer.Option("--batch", metavar="B", help="Packets that share what runs once a batch.", show_default=False),
    ] = None,
    queues: Annotated[
        str | None, typer.Option("--queues", metavar="Q", help="Queues; n cores serve at most Q.", show_default=False)
    ] = None,
    flows: Annotated[
        str | None, typer.Option("--flows", metavar="F", help="Flows that hash onto the queues.", show_default=False)
    ] = None,
    change: Annotated[
        str | None,
        typer.Option(
            "--change",
            metavar="removal|replacement|cost",
            help="Of a file: what the patch does. A lock goes or is split; another scheme takes its place; less work per packet.",
            show_default=False,
        ),
    ] = None,
    known: Annotated[
        str | None,
        typer.Option(
            "--known",
            metavar="N=RATE,...",
            help="Of a file: rates measured after the change: 1=19.45.",
            show_default=False,
        ),
    ] = None,
    compare: Annotated[
        str | None,
        typer.Option(
            "--compare",
            metavar="V",
            help="Of a file: show this variant, measured after the change.",
            show_default=False,
        ),
    ] = None,
    lock_profile: LockProfile = None,
    rate: ProfileRate = None,
    seconds: ProfileSeconds = None,
    cores_used: ProfileCores = None,
    lock: Annotated[
        str | None,
        typer.Option(
            "--lock",
            metavar="NAME",
            help="The lock that the change is about; by default the one waited for longest.",
            show_default=False,
        ),
    ] = None,
    cores: Annotated[
        str | None,
        typer.Option(
            "--cores",
            metavar="CORES",
            help="Core counts: 1-128 or 1,8,64. The measured ones when left out.",
            show_default=False,
        ),
    ] = None,
    machine: Machine = None,
    settings: Settings = None,
    format: Format = None,
    n: NColumn = None,
    value: ValueColumn = None,
    variant: Annotated[
        str | None,
        typer.Option("--variant", metavar="COL", help="Of a file: the column that names variants.", show_default=False),
    ] = None,
    unit: ValueUnit = None,
    n_from: NFrom = None,
    seed: Seed = 1,
    as_json: Json = False,
    as_text: Annotated[bool, typer.Option("--text", help="A summary for a mailing list, 72 columns wide.")] = False,
) -> None:
    """Ask what a change would give: stages of a path taken away, added or rescaled, parameters set, other packets, links,
    batches and queues; or, from a table of your own, a patch.

    Of a table: the curve after the change, from the curve before it and from what published patches kept.
    """  # fmt: skip
    from mpps.verbs_whatif import whatif as run

    run(
        target, start=start, without=without or (), settings=settings or (), machine=machine, change=change, known=known,
        changed={
            "scale": scale, "add": add, "mix": mix, "bypass": bypass, "coalescing": coalescing, "packet_bytes": packet_bytes,
            "link": link, "batch": batch, "queues": queues, "flows": flows,
        },
        compare=compare, cores=cores, seed=seed, as_json=as_json, as_text=as_text,
        profile={"lock_profile": lock_profile, "rate": rate, "seconds": seconds, "cores_used": cores_used, "lock": lock},
        how={"format": format, "n": n, "value": value, "variant": variant, "unit": unit, "n_from": n_from},
    )  # fmt: skip


@app.command(epilog=_example("advise"), short_help="Name what to measure next.")
def advise(
    target: Target,
    at: Annotated[
        str | None,
        typer.Option(
            "--at",
            metavar="N",
            help="The count at which the rate is to be known. Four times the largest when left out.",
            show_default=False,
        ),
    ] = None,
    format: Format = None,
    n: NColumn = None,
    value: ValueColumn = None,
    variant: Variants = None,
    unit: ValueUnit = None,
    n_from: NFrom = None,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """Name what to measure next: the count, and the variant, that narrow a prediction most, and by how much.

    The options --format to --n-from say how to read a file, as those of `mpps read`.
    """
    from mpps.verbs_advise import advise as run

    how = {"format": format, "n": n, "value": value, "unit": unit, "n_from": n_from}
    run(target, at=at, variants=variant or (), how=how, seed=seed, as_json=as_json)


@app.command(epilog=_example("sweep"), short_help="Compute scenarios by the million into a Parquet file.")
def sweep(
    spec: Annotated[str, typer.Argument(metavar="SPEC.yaml", help="What to compute (docs/sweeps.md).")],
    out: Annotated[
        str | None,
        typer.Option("--out", metavar="OUT.parquet", help="The file to write; parts lie beside it until it is whole.", show_default=False),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", metavar="K", min=1, help="Processes; one a core when left out.", show_default=False),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option("--scheduler", metavar="ADDRESS", help="A Dask cluster instead: tcp://host:8786.", show_default=False),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only check, and estimate size and time.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a file and parts of another sweep.")] = False,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="Seed in place of the spec's.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """Compute every scenario of a spec: machines, cores, variants, changes, loads and parameters. Ended at any moment, the same
    command goes on where it was."""  # fmt: skip
    from mpps.verbs_sweep import sweep as run

    run(spec, out=out, workers=workers, scheduler=scheduler, seed=seed, dry_run=dry_run, force=force, as_json=as_json)


@app.command(epilog=_example("validate"), short_help="Score forecasts on published tables.")
def validate(
    folder: Annotated[
        pathlib.Path | None,
        typer.Argument(
            metavar="[FOLDER]",
            help="Tidy CSVs; the corpus of this project (data/corpus) when left out.",
            show_default=False,
        ),
    ] = None,
    pairs: Annotated[
        bool,
        typer.Option("--pairs", help="Score curves after a change, from those before it (pairs.yaml in the folder)."),
    ] = False,
    transfer: Annotated[
        bool, typer.Option("--transfer", help="Score moves to other machines, on what somebody measured there.")
    ] = False,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """Score forecasts on published tables: train on the lower core counts, compare with what was measured beyond."""
    if transfer:
        from mpps.verbs_transfer import transfer as run

        run({"a folder": folder, "--pairs": pairs}, seed=seed, as_json=as_json)
        return
    if pairs:
        from mpps.sentences.pairs import pairs_text
        from mpps.validate.pairs import kept_pairs
        from mpps.verbs import show

        found = kept_pairs(folder, seed=seed)
        show(found, as_json, lambda: pairs_text(found))
        return
    from mpps.progress import steps
    from mpps.sentences.scoreboard import validate_text
    from mpps.validate import validate as scored
    from mpps.verbs import show

    with steps("forecasts") as advance:
        document = scored(folder, seed=seed, advance=advance)
    show(document, as_json, lambda: validate_text(document))


@app.command(epilog=_example("report"), short_help="Execute notebooks and write their pages.")
def report(
    notebooks: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NOTEBOOK]...", help="Notebooks; all when left out.", show_default=False),
    ] = None,
    parameters: Annotated[
        list[str] | None,
        typer.Option(
            "-p",
            "--parameter",
            metavar="NAME=VALUE",
            help="A parameter of the notebooks; may be repeated.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        pathlib.Path | None,
        typer.Option("--out", metavar="DIR", help="Folder of the pages; reports/ when left out.", show_default=False),
    ] = None,
    matrix: Annotated[
        pathlib.Path | None,
        typer.Option(
            "--matrix",
            metavar="FILE",
            help="One notebook with every combination of values, as this YAML file says.",
            show_default=False,
        ),
    ] = None,
    workers: Annotated[int, typer.Option("--workers", metavar="K", min=1, help="Notebooks at a time.")] = 2,
    scheduler: Annotated[
        str | None,
        typer.Option(
            "--scheduler",
            metavar="ADDRESS",
            help="A Dask cluster whose workers execute the notebooks: tcp://host:8786.",
            show_default=False,
        ),
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            "--engine",
            metavar="warm|stock",
            help="Fork kernels from a process that is ready (warm, on Linux the default), or start each anew (stock).",
            show_default=False,
        ),
    ] = None,
    png: Annotated[bool, typer.Option("--png", help="Each chart as PNG too, beside its SVG and CSV.")] = False,
) -> None:
    """Execute notebooks and write their pages, records, pictures and the index."""
    from mpps.report import parse_parameters
    from mpps.report import report as run

    if matrix is not None and notebooks:
        raise typer.BadParameter("--matrix names its notebook in the file: leave out " + ", ".join(notebooks))
    batch = run(
        notebooks or None,
        parameters=parse_parameters(parameters or ()),
        out=out,
        workers=workers,
        engine=engine,
        scoreboard=not notebooks and matrix is None,
        matrix=matrix,
        scheduler=scheduler,
        png=png,
    )
    print(batch.text())
    raise typer.Exit(batch.exit_status)


machine_app = typer.Typer(rich_markup_mode=None, help="Write a card of your own machine.")
app.add_typer(
    machine_app, name="machine", epilog=_example("machine"), short_help="Write a card of your own machine."
)


@machine_app.callback()
def _machine() -> None:
    """Write a card of your own machine, for --machine."""


@machine_app.command(epilog=_example("machine"), short_help="Read topology, clocks and line transfers of a machine.")
def detect(
    core_to_core: Annotated[
        pathlib.Path | None,
        typer.Option(
            "--core-to-core",
            metavar="FILE.csv",
            help="Latencies between CPUs, as `core-to-core-latency --csv` prints them.",
            show_default=False,
        ),
    ] = None,
    sysfs: Annotated[
        str | None,
        typer.Option(
            "--sysfs",
            metavar="DIR",
            help="A saved sys/ and proc/ of another host (docs/add_a_machine.md); none: all from the matrix.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        pathlib.Path | None,
        typer.Option("--out", metavar="FILE.yaml", help="A new file; standard output when left out.", show_default=False),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(
            "--kind",
            metavar="NAME",
            help="Of a part with several kinds of core: performance or efficiency. The fastest when left out.",
            show_default=False,
        ),
    ] = None,
    nic: Annotated[
        str | None,
        typer.Option("--nic", metavar="NAME", help="The network device; the fastest when left out.", show_default=False),
    ] = None,
) -> None:
    """Read topology, clocks, mitigations, link speed and line transfers, and write a card that --machine takes.

    What cannot be read is not stated in the card, with a note how to find it.
    """
    from mpps.verbs_machine import detect as run

    run(core_to_core, sysfs, out, kind, nic)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; the exit status: 0, 1 for a failed notebook or no room for the answer, 2 for a user's mistake."""
    if sys.stdout is None:
        print("mpps: standard output is closed: nowhere to write the answer", file=sys.stderr)
        return 1
    try:
        status = _run(arguments)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        # Whoever read has enough; what is still buffered goes nowhere, also when Python ends.
        _forget_output()
        return 141
    except OSError as error:
        # A file that cannot be read has a name; without one it is stdout that cannot be written, as on a full disk.
        if error.filename is not None:
            raise
        _forget_output()
        print(f"mpps: cannot write the answer: {error.strerror or error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return 130


def _forget_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments) -> int:
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        return app(args=arguments or ["--help"], prog_name="mpps", standalone_mode=False) or 0
    except _ClickException as error:
        context = getattr(error, "ctx", None)
        hint = f"; try `{context.command_path} --help`" if context else ""
        print(f"mpps: {error.format_message().rstrip('.')}{hint}", file=sys.stderr)
        return 2
    except typer.Abort:
        return 130
    except MppsError as error:
        print(f"mpps: {error}", file=sys.stderr)
        return error.exit_status


if __name__ == "__main__":
    sys.exit(main())
