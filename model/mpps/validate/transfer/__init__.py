"""How well moves to other machines hold, on what somebody measured there.

    document = validate_transfer()

Three checks: operations timed on several hosts, one moved from the other; benchmarks that ran on several hosts, each
host from the others; and the SCION router on three platforms.
"""

from mpps.validate.transfer.board import validate_transfer

__all__ = ["validate_transfer"]
