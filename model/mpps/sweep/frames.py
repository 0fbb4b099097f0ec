"""Columns as Parquet: a part from the columns of a chunk, and the whole from the parts."""

import contextlib
import io
import os
import pathlib

import numpy as np

from mpps.sweep.parts import flush_folder, written

#: Rows of a row group of the result.
_GROUP = 1 << 18
#: Columns that count cores, null where unbounded.
_COUNTS = ("peak_cores", "cores_for_load")


def parquet(columns: dict) -> bytes:
    """The bytes of a Parquet file: the same for the same columns. Infinite and missing numbers are null."""
    import polars

    made = []
    for name, value in columns.items():
        if isinstance(value, tuple):
            codes, names = value
            series = polars.Series(name, list(names), dtype=polars.String).gather(codes)
        elif value.dtype.kind == "f" and not np.isfinite(value).all():
            series = polars.Series(name, np.where(np.isfinite(value), value, np.nan)).fill_nan(None)
        else:
            series = polars.Series(name, value)
        if name.startswith(_COUNTS):
            series = series.cast(polars.Int32)
        made.append(series.alias(name))
    stream = io.BytesIO()
    polars.DataFrame(made).write_parquet(stream, compression="zstd", compression_level=1, statistics=True)
    return stream.getvalue()


def merge(files, out: pathlib.Path, metadata: dict[str, str]) -> int:
    """Write the rows of all parts, in their order, to `out`: streaming, beside its name, then renamed. Returns the rows.

    Row groups have a fixed number of rows, so the bytes depend neither on the parts' sizes nor on the threads.
    """
    import polars

    new = out.with_name(f"{out.name}.tmp")
    rows = sum(rows_of(file) for file in files)
    with written(out):
        try:
            polars.scan_parquet(files, glob=False, low_memory=True).sink_parquet(
                new,
                compression="zstd",
                compression_level=1,
                row_group_size=_GROUP,
                maintain_order=True,
                metadata=metadata,
            )
            with new.open("rb+") as stream:
                os.fsync(stream.fileno())
            found = rows_of(new)
            if found != rows:
                raise OSError(f"{found:,} rows of {rows:,} arrived")
            new.replace(out)
            flush_folder(out.parent)
        except polars.exceptions.PolarsError as error:
            new.unlink(missing_ok=True)
            raise OSError(str(error).splitlines()[0]) from None
        except BaseException:
            with contextlib.suppress(OSError):
                new.unlink(missing_ok=True)
            raise
    return rows


def rows_of(file) -> int:
    """Rows of a Parquet file."""
    import polars

    return polars.scan_parquet(file).select(polars.len()).collect().item()


def metadata_of(file) -> dict[str, str]:
    """Key-value metadata of a Parquet file; empty when it is none."""
    import polars

    try:
        return polars.read_parquet_metadata(file)
    except (OSError, polars.exceptions.PolarsError):
        return {}
