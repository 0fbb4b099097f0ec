"""`mpps read`: the answer on stdout, warnings on stderr."""

import json
import sys

from mpps.readers import formats, read
from mpps.readers.core.output import csv_text, document, text, write_csv


def show_formats() -> str:
    """Names of all formats with what each reads, one a line."""
    known = formats()
    width = max(map(len, known))
    return "\n".join(f"{name:<{width}}  {title}" for name, title in known.items())


def show_reading(files, *, out: str | None, as_json: bool, **choices) -> None:
    """Read and print. Raises `MppsError` as `mpps.readers.read`."""
    reading = read(files, **choices)
    if out is not None and out != "-":
        write_csv(reading, out)
    for warning in reading.warnings:
        print(f"mpps: warning: {warning}", file=sys.stderr)
    if as_json:
        from mpps.record import library_versions

        json.dump(document(reading, library_versions()), sys.stdout, ensure_ascii=False, allow_nan=False)
        print()
    elif out == "-":
        print(csv_text(reading), end="")
    else:
        print(text(reading))
        if out is not None:
            print(f"\n{len(reading.rows)} values written to {out}")
