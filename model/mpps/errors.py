"""What went wrong, in words that a user can act on.

Every error that a user can cause is an `MppsError`.
The command prints its text without a traceback and ends with `exit_status`.
"""

import difflib


class MppsError(Exception):
    """A mistake in the input: the text says what was found, what was expected, and how to mend it."""

    exit_status = 2


class DataError(MppsError):
    """A file under `data/`, or a user's own table, that cannot be taken as it is."""


class UnknownNameError(MppsError):
    """A name of a path, machine, variant, stage or parameter that does not exist."""


class NotebookError(MppsError):
    """At least one notebook of a batch failed; the others completed."""

    exit_status = 1


def unknown_name(kind: str, name: str, known) -> UnknownNameError:
    """Error for a name that is not among `known`, with the nearest valid names first."""
    known = [str(item) for item in known]
    near = difflib.get_close_matches(str(name), known, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(repr(item) for item in near)}? " if near else ""
    # A name that holds a comma is quoted, or the list could not be read.
    listed = ", ".join(repr(item) if "," in item else item for item in known)
    return UnknownNameError(f"unknown {kind} {name!r}: {hint}known: {listed or 'none'}")
