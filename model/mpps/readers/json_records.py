"""JSON lines and JSON arrays of objects: tidy (one value an object) or wide; any other JSON as named values."""

from mpps.readers.core.delimited import Records
from mpps.readers.core.jsontext import Fields, Items, Scalar, documents, looks_like_json, walk
from mpps.readers.core.nouns import Claim, Options, Part, Reader
from mpps.readers.core.source import Source
from mpps.readers.core.tidy_rows import is_tidy, tidy_rows
from mpps.readers.core.tool import finished, number_row
from mpps.readers.wide import from_records


def claim(source: Source) -> Claim | None:
    """Why the text is of this format, None when it is not."""
    return Claim(75, "the text begins as JSON does") if looks_like_json(source) else None


def read(source: Source, options: Options) -> Part:
    """What the text says, as rows with their lines; `DataError` for what cannot stand."""
    found = documents(source)
    objects = _objects(found)
    if objects:
        names = list(
            dict.fromkeys(name for item in objects for name, value in item.items() if isinstance(value, Scalar))
        )
        names = names or [""]
        rows = tuple((item.line, tuple(_text(item.get(name)) for name in names)) for item in objects)
        line = objects[0].line
        if is_tidy(source, names, line, options):
            return tidy_rows(source, names, line, rows, ".", options)
        if len(objects) >= 2:
            return from_records(source, Records(tuple(names), line, rows, ".", ", ", ()), options)
    rows = []
    for document in found:
        for path, value in walk(document):
            if value.kind == "number" and path:
                rows.append(number_row(source, value.line, ".".join(path), value.text, options.unit or ""))
    return finished(
        source,
        rows,
        ["JSON of another make: every number under its path"],
        "JSON with numbers",
        '{"n": 8, "value": 49.40}',
    )


def _objects(found) -> list[Fields]:
    """The records of a file: objects one a line, of an array, or of the only array of objects inside an object."""
    if len(found) == 1 and isinstance(found[0], Items):
        found = found[0]
    elif len(found) == 1 and isinstance(found[0], Fields):
        inner = [
            value
            for value in found[0].values()
            if isinstance(value, Items) and value and all(isinstance(item, Fields) for item in value)
        ]
        rows = found[0].get("rows")
        if isinstance(rows, Items) and rows in inner:
            return list(rows)
        if len(inner) == 1:
            return list(inner[0])
        columns = {
            name: value
            for name, value in found[0].items()
            if isinstance(value, Items) and all(isinstance(item, Scalar) for item in value)
        }
        if len(columns) >= 2 and len({len(value) for value in columns.values()}) == 1:
            return _turned(columns)
    if (
        len(found) == 1
        and isinstance(found[0], Fields)
        and any(not isinstance(value, Scalar) for value in found[0].values())
    ):
        return []
    return list(found) if found and all(isinstance(item, Fields) for item in found) else []


def _turned(columns) -> list[Fields]:
    out = []
    for place in range(len(next(iter(columns.values())))):
        item = Fields({name: values[place] for name, values in columns.items()})
        item.line = min(value.line for value in item.values())
        out.append(item)
    return out


def _text(value) -> str:
    return "" if not isinstance(value, Scalar) or value.text == "null" else value.text


READER = Reader("json", "JSON lines, arrays of objects (tidy or wide), other JSON as named values", claim, read)
