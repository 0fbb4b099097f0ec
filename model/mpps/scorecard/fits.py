"""The fits that a check is about."""

from dataclasses import replace

from mpps import compare
from mpps.compare import Fit
from mpps.path import Check, CodePath, pinned


def full_fit(path: CodePath, check: Check, seed: int) -> Fit:
    """The joint fit that a check is about, with its pins and its choice of mechanisms, all rows seen."""
    return compare.fit(asked_of(path, check), check.scope, seed=seed)


def asked_of(path: CodePath, check: Check) -> CodePath:
    """The path with the pins of a check, and with its choice of mechanisms."""
    if check.mechanisms:
        path = replace(path, mechanisms=tuple(one for one in path.mechanisms if one.name in check.mechanisms))
    return pinned(path, **dict(check.pins)) if check.pins else path
