"""What the verb `advise` does, for a code path and for files of the user's own."""

from mpps import arguments
from mpps.errors import MppsError
from mpps.path import CodePath
from mpps.targets import only_for_files, target
from mpps.verbs import show, working
from mpps.waiting import working as waiting


def advise(names, *, at: str | None, variants, how: dict, seed: int, as_json: bool) -> None:
    """`mpps advise PATH|FILE...`; at: one count; how: options of `mpps read`."""
    found = target(names)
    most = arguments.MOST_CORES if isinstance(found, CodePath) else arguments.MOST_OF_TABLE
    counts = arguments.core_counts(at, "--at", most) if at is not None else (None,)
    if len(counts) > 1:
        raise MppsError(f"--at {at!r}: found {len(counts)} counts: expected one, at which the rate is to be known")
    from mpps.answers.advice import advise_answer, advise_table
    from mpps.sentences.advice import advise_text

    if isinstance(found, CodePath):
        only_for_files(how)
        if len(variants) > 1:
            raise MppsError(f"--variant: found {len(variants)} variants: expected one, whose rate is to be known")
        with working(f"fitting {found.slug}"):
            document = advise_answer(found, at=counts[0], variant=next(iter(variants), None), seed=seed)
    else:
        with waiting(f"reading and fitting {found[0] if len(found) == 1 else f'{len(found)} files'}") as advance:
            document = advise_table(found, at=counts[0], variants=variants, seed=seed, advance=advance, **how)
    show(document, as_json, lambda: advise_text(document))
