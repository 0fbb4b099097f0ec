"""Arguments and options that several verbs of the command share."""

from typing import Annotated

import typer

Target = Annotated[
    list[str],
    typer.Argument(
        metavar="PATH|FILE...",
        help="A code path (`mpps list paths`), or a table, log or profile of your own; - is standard input.",
        show_default=False,
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format", metavar="NAME", help="Force a format; `mpps read --format list` names them.", show_default=False
    ),
]
NColumn = Annotated[
    str | None, typer.Option("--n", metavar="COL", help="The column of counts, by name or number.", show_default=False)
]
ValueColumn = Annotated[
    str | None, typer.Option("--value", metavar="COL", help="The column of values.", show_default=False)
]
ValueUnit = Annotated[
    str | None,
    typer.Option("--unit", metavar="U", help="The unit of values that state none: Mpps, Gbit/s.", show_default=False),
]
NFrom = Annotated[
    str | None,
    typer.Option(
        "--n-from",
        metavar="name|content",
        help="The count of each file: from its name or its text.",
        show_default=False,
    ),
]
LockProfile = Annotated[
    str | None,
    typer.Option(
        "--lock-profile",
        metavar="FILE",
        help="perf lock contention, perf lock report or lock_stat of a run.",
        show_default=False,
    ),
]
ProfileRate = Annotated[
    str | None,
    typer.Option("--rate", metavar="R", help="Packets/s of that run, all cores: 1.2Mpps.", show_default=False),
]
ProfileSeconds = Annotated[
    float | None, typer.Option("--seconds", metavar="S", help="Seconds that the profile covers.", show_default=False)
]
ProfileCores = Annotated[
    int | None, typer.Option("--cores-used", metavar="N", help="Cores that sent in that run.", show_default=False)
]
Json = Annotated[bool, typer.Option("--json", help="One JSON document on stdout instead of text.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of all random draws.")]
Variants = Annotated[
    list[str] | None,
    typer.Option(
        "--variant",
        metavar="V",
        help="A variant, all when left out; may be repeated. Of a file also the column that names them.",
        show_default=False,
    ),
]
Machine = Annotated[
    str | None,
    typer.Option(
        "--machine",
        metavar="M",
        help="Another machine: a name from `mpps list machines`, or a card of yours (.yaml).",
        show_default=False,
    ),
]
Placement = Annotated[
    str | None,
    typer.Option(
        "--placement",
        metavar="packed|spread",
        help="Senders fill one cluster and socket before the next (packed, as tables were measured), or alternate over all.",
        show_default=False,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="Replace a fitted parameter; may be repeated.", show_default=False
    ),
]
