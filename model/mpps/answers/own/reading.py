"""Reading a user's files for an answer, and what `--variant` means for them: a variant, or the column that names it."""

import os

from mpps.errors import MppsError, UnknownNameError
from mpps.readers import Reading, read


def read_for(files, variants=(), **options) -> tuple[Reading, tuple[str, ...]]:
    """The reading, and the variants that are asked for of it; all when empty.

    Each of `variants` is the name of a variant of the files; a single one may be the column of variants instead, as it
    is for `mpps.read`. Raises `MppsError` as that does.
    """
    variants = tuple(dict.fromkeys(variants))
    files = [files] if isinstance(files, str | os.PathLike) else list(files)
    if not variants:
        return read(files, **options), ()
    try:
        reading = read(files, **options)
    except MppsError:
        # Without its column of variants the file may not be understood.
        if len(variants) > 1 or "-" in files:
            raise
        return read(files, variant=variants[0], **options), ()
    names = {series.variant for series in reading.series()}
    if len(variants) == 1 and variants[0] not in names and "-" not in files:
        try:
            return read(files, variant=variants[0], **options), ()
        except (MppsError, UnknownNameError):
            pass  # No column either: the unknown variant is told with the names that there are.
    return reading, variants
