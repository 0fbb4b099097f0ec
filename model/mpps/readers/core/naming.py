"""Counts of files: from the name or the content of each, so that one file a run makes one table."""

import re
from dataclasses import replace

from mpps.errors import DataError
from mpps.readers.core.counts import named_number, numbers_in_name, numbers_in_text
from mpps.readers.core.nouns import Part
from mpps.readers.core.source import Source


def number_files(found: list[tuple[Source, Part]], n_from: str | None) -> list[Part]:
    """The parts with n from where the user says; without that, files that give no count stay without, and say so."""
    if n_from == "name":
        return _by_name(found)
    if n_from == "content":
        return [_by_content(source, part) for source, part in found]
    out = []
    for source, part in found:
        bare = sum(row.n is None for row in part.rows)
        if bare == len(part.rows) and not part.locks:
            what = f"{source.file}: nothing in it says how many cores, threads or queues were used, so n stays empty"
            part = replace(
                part, warnings=(*part.warnings, f"{what}; say --n-from name or --n-from content, or --n COLUMN")
            )
        out.append(part)
    return out


def _by_name(found: list[tuple[Source, Part]]) -> list[Part]:
    counts = [_count_in_name(source, [other.stem for other, _ in found]) for source, _ in found]
    rests = [_rest(source.stem, start, end) for (source, _), (_, start, end) in zip(found, counts, strict=True)]
    several = len(set(rests)) > 1
    dataset = _common(rests) if len(found) > 1 else rests[0]
    out = []
    for (source, part), (n, _, _), rest in zip(found, counts, rests, strict=True):
        rows = []
        own = sorted({row.n for row in part.rows if row.n is not None})
        if len(own) > 1:
            raise DataError(
                f"{source.file}: found counts of its own ({', '.join(f'{count:g}' for count in own[:6])}): "
                f"expected one run a "
                "file for --n-from name; leave --n-from out"
            )
        for row in part.rows:
            name = _unlike(rest, dataset) if several else ""
            named = " ".join(text for text in (name, "" if row.variant == "measured" and name else row.variant) if text)
            whole = dataset if row.dataset == source.stem else row.dataset
            rows.append(replace(row, n=float(n), variant=named, dataset=whole or source.stem))
        told = f"{source.file}: n = {n} from its name"
        out.append(replace(part, rows=tuple(rows), understood=(*part.understood, told)))
    return out


def _count_in_name(source: Source, stems: list[str]) -> tuple[int, int, int]:
    if (named := named_number(source.stem)) is not None:
        return named
    numbers = numbers_in_name(source.stem)
    if not numbers:
        raise DataError(
            f"{source.file}: found no number in the name: expected a count, as in run-8.txt, for --n-from name; "
            "rename the file, or say --n-from content"
        )
    if len(numbers) > 1:
        # The one that differs among the files is the count.
        table = [[number for number, _, _ in numbers_in_name(stem)] for stem in stems]
        if len({len(row) for row in table}) == 1 and len(table) > 1:
            varying = [place for place, column in enumerate(zip(*table, strict=True)) if len(set(column)) > 1]
            if len(varying) == 1:
                return numbers[varying[0]]
        listed = ", ".join(str(number) for number, _, _ in numbers)
        raise DataError(
            f"{source.file}: found several numbers in the name ({listed}): expected one count for --n-from name; "
            "name the files as run-8cpus.txt, or say --n-from content"
        )
    return numbers[0]


def _by_content(source: Source, part: Part) -> Part:
    if all(row.n is not None for row in part.rows):
        return part
    counts = numbers_in_text(source.lines[:5000])
    if len(counts) != 1:
        seen = "; ".join(f"line {line}: {text!r}" for line, text in list(counts.values())[:6])
        raise DataError(
            f"{source.file}: found {f'several counts ({seen})' if counts else 'no count in the text'}: expected one, "
            "as '8 threads', for --n-from content; put it into the file name and say --n-from name"
        )
    n, (line, text) = next(iter(counts.items()))
    rows = tuple(row if row.n is not None else replace(row, n=float(n)) for row in part.rows)
    told = f"{source.file}: n = {n} from line {line}: {text!r}"
    return replace(part, rows=rows, understood=(*part.understood, told))


def _rest(stem: str, start: int, end: int) -> str:
    left = re.sub(
        r"(?i)[-_. ]*(?:cpus?|cores?|threads?|thr|queues?|senders?|clients?|streams?|procs?|n|t|c|q)?[-_. =]*$",
        "",
        stem[:start],
    )
    right = re.sub(
        r"(?i)^[-_. ]*(?:cpus?|cores?|threads?|thr|queues?|senders?|clients?|streams?|procs?)?[-_. ]*", "", stem[end:]
    )
    return "-".join(part for part in (left, right) if part)


def _common(rests: list[str]) -> str:
    words = [re.split(r"[-_. ]+", rest) for rest in rests]
    shared = [word for word in words[0] if word and all(word in other for other in words[1:])]
    return "-".join(shared)


def _unlike(rest: str, dataset: str) -> str:
    shared = set(dataset.split("-"))
    return " ".join(word for word in re.split(r"[-_. ]+", rest) if word and word not in shared)
