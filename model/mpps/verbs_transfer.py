"""What `mpps validate --transfer` does."""

from mpps.errors import MppsError
from mpps.verbs import show
from mpps.waiting import working


def transfer(others: dict, *, seed: int, as_json: bool) -> None:
    """Score moves to other machines; others: what else was asked for on the line, which has no meaning here."""
    from mpps.sentences.transfer import transfer_text
    from mpps.validate.transfer import validate_transfer

    for name, value in others.items():
        if value:
            raise MppsError(f"{name} and --transfer at once: expected one of them")
    with working("moving curves and operations between hosts"):
        document = validate_transfer(seed=seed)
    show(document, as_json, lambda: transfer_text(document))
