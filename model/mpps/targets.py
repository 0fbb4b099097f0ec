"""What `PATH|FILE` on a command line is: a known code path, or files of the user's own; and which options go with it."""

import os

from mpps import paths
from mpps.errors import MppsError, unknown_name
from mpps.path import CodePath


def target(names) -> CodePath | tuple[str, ...]:
    """The code path that the single name is, otherwise the files that all names are (`-` is standard input).

    Raises `UnknownNameError` for a name that is neither, with the nearest paths.
    """
    names = tuple(names)
    if len(names) == 1 and names[0] in paths.names():
        return paths.load_path(names[0])
    for name in names:
        if name in paths.names():
            raise MppsError(
                f"{name!r} is a code path and stands beside other names: ask for one path, or for files alone"
            )
        if name != "-" and not os.path.exists(name):
            # The nearest paths, and what else could have been meant.
            error = unknown_name("code path", name, paths.names())
            raise type(error)(
                f"{error}; a file of that name, with a table, log or profile of your own, does not exist either"
            )
    return names


def only_for_files(options: dict) -> None:
    """Raises `MppsError` when one of the options of `mpps read`, name -> value, is given with a code path."""
    for name, value in options.items():
        if value:
            raise MppsError(
                f"--{name.replace('_', '-')} says how to read a file; a code path has its own tables: leave it out"
            )


def only_for_paths(files, options: dict) -> None:
    """Raises `MppsError` when an option that needs a code path is given with files."""
    for name, value in options.items():
        if value:
            raise MppsError(
                f"--{name} needs a code path, whose stages say what changes; {files[0]} is a table of rates: leave --{name} out"
            )
