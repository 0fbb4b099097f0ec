"""Posted tables, out of a message as it is: an e-mail, a commit message, an org file, a page of Markdown."""

from mpps.readers.core.nouns import Claim, Options, Part, Reader
from mpps.readers.core.source import Source
from mpps.readers.posted.blocks import table_decimal
from mpps.readers.posted.lines import lines_of
from mpps.readers.posted.message import read_message, tables
from mpps.readers.posted.sentences import read_sentences


def claim(source: Source) -> Claim | None:
    """Why the text is of this format, None when it is not."""
    if not source.text:
        return None
    found = tables(source, Options())
    if not found:
        lines = lines_of(source)
        part = read_sentences(source, lines, table_decimal(lines), Options())
        return Claim(20, f"values in the text of line {part.rows[0].line}") if part else None
    grid = found[0].grid
    line = grid.header_line or grid.lines[0].number
    counted = any(table.roles is not None and table.roles.n is not None for table in found)
    what = f"{len(found)} tables, the first" if len(found) > 1 else "a table"
    return Claim(50 if counted else 30, f"{what} of {len(grid.columns)} columns from line {line} on")


def read(source: Source, options: Options) -> Part:
    """What the text says, as rows with their lines; `DataError` for what cannot stand."""
    return read_message(source, options)


READER = Reader("posted", "tables out of free text: e-mail, commit message, org, Markdown, boxes, tabs", claim, read)
