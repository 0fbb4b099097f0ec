"""What each column of a posted table is: the counts, values, printed changes, spreads, ends, further keys."""

import itertools
import re
from dataclasses import dataclass

from mpps.readers.core.columns import folded_name, split_unit
from mpps.readers.core.counts import counts_what
from mpps.readers.core.intervals import is_phrase
from mpps.readers.core.nouns import Options
from mpps.readers.core.source import Source
from mpps.readers.core.units import unit_of
from mpps.readers.posted.cells import REPEATS
from mpps.readers.posted.grid import Column, Grid
from mpps.readers.posted.heads import SPREAD

_CHANGE = re.compile(
    r"(?:%\s*)?(?:change|chg|delta|diff(?:erence)?|gain|improv\w*|impr|impact|speed[- ]?up|increase|decrease"
    r"|regression|vs\.?|ratio|factor|rel(?:ative)?|boost|overhead|%|pct|win|norm\w*|Δ)(?:\s*\(?[%x]\)?)?",
    re.IGNORECASE,
)
_LOW = frozenset(("min", "minimum", "low", "lower", "worst", "lo"))
_HIGH = frozenset(("max", "maximum", "high", "upper", "best", "hi"))
_MIDDLE = frozenset(("avg", "average", "mean", "median", "med", "value", "typical"))
_BUSY = re.compile(
    r"\b(?:cpu|idle|util\w*|usage|busy|load|sys|user|usr|soft\w*|irq|steal|miss\w*|hit\w*|loss|drop\w*|share"
    r"|overhead|wait|iowait)\b",
    re.IGNORECASE,
)
_METRIC = re.compile(
    r"\b(?:throughput|tput|latency|lat|cpu|idle|util\w*|pps|packets|bps|bandwidth|bw|goodput|drops?|loss|cycles|ipc"
    r"|instructions|"
    r"p\d{2,4}|99(?:\.9+)?%?|misses|ops|iops|qps|tps|rps|requests|time|elapsed|runtime|real|user|sys|retrans\w*"
    r"|rate|memory|rss|power|watts?|"
    r"avg|mean|median|min|max|ctxt|context|switches|faults|wait|hold|delay|jitter|rtt)\b",
    re.IGNORECASE,
)
_NOT_COUNT = re.compile(
    r"\b(?:size|bytes?|length|len|mtu|packet|frame|time|seconds?|sec|ms|us|interval|offset|pid|tid|id|port|burst"
    r"|batch|budget|ring|year|date|line|rate|load|latency|msg|message|block|bs|order|level|prio|percent|age|depth"
    r"|run|iteration|iter|sample|round|trial|repeat|loop|index|no|seq|addr\w*|version|weight|delay|rtt)\b|%",
    re.IGNORECASE,
)
_REPEAT = frozenset(
    ("run", "iteration", "iter", "sample", "round", "trial", "repeat", "rep", "boot", "test", "#", "no", "index", "seq")
)


@dataclass(frozen=True)
class Roles:
    """Places of columns by what they are; `why_n` says how the counts were found, `warnings` what was a guess."""

    n: int | None
    values: tuple[int, ...]
    changes: tuple[int, ...]
    spreads: tuple[int, ...]
    lows: tuple[int, ...]
    highs: tuple[int, ...]
    keys: tuple[int, ...]
    repeat: int | None
    counts: str  # what n counts
    why_n: str
    warnings: tuple[str, ...] = ()
    variant: int | None = None  # the column of --variant


def find_roles(source: Source, grid: Grid, options: Options) -> Roles:
    """The role of each column. Raises `DataError` when two columns could be the counts, or no value is left."""
    columns = grid.columns
    line = grid.header_line or grid.lines[0].number
    names = [column.heading or f"column {place}" for place, column in enumerate(columns, 1)]
    n, counts, why, warnings = _count_column(source, grid, names, line, options)
    variant = _named(source, line, names, "--variant", options.variant)
    only = _named(source, line, names, "--value", options.value)
    repeat = None
    changes, spreads, lows, highs, keys, values = [], [], [], [], [], []
    for place, column in enumerate(columns):
        if place == n or (n is not None and _same_counts([column, columns[n]])):
            continue
        bare = folded_name(column.heading)
        numbers = column.numbers
        if only is not None and place == only:
            values.append(place)
        elif place == variant or 2 * len(numbers) <= sum(cell is not None and not cell.hole for cell in column.cells):
            keys.append(place)
        elif _repeats(column):
            # The same number again, over a second part of the row, says nothing new.
            repeat = place if repeat is None else repeat
        elif repeat is None and bare in _REPEAT and all(number.value == int(number.value) for number in numbers):
            repeat = place
        elif place and _is_change(column, bool(values)):
            changes.append(place)
        elif SPREAD.fullmatch(_last(column)) or place and _bracketed(column) and values:
            spreads.append(place)
        elif _last(column) in _LOW or _ends_other(column, columns, _LOW):
            lows.append(place)
        elif _last(column) in _HIGH or _ends_other(column, columns, _HIGH):
            highs.append(place)
        elif _constant_count(column, n) or (place == 0 and n is None and _not_counts(column)):
            keys.append(place)
        else:
            values.append(place)
    if only is not None:
        values = [only]
    # "min avg max" belong together; a lone min or max is a value of its own.
    if not values:
        values, lows, highs = lows + highs, [], []
    if not values and not changes:
        raise source.wrong(line, grid.lines[0].text.strip(), "a column of values", "name it with --value COLUMN")
    if not values:
        raise source.wrong(
            grid.lines[0].number, grid.lines[0].text.strip(), "values beside the changes: only percentages are printed here",
            "paste the table with the rates themselves, or say --value COLUMN to read a column of percentages as "
            "values",
        )  # fmt: skip
    return Roles(
        n, tuple(values), tuple(changes), tuple(spreads), tuple(lows), tuple(highs), tuple(keys), repeat, counts, why,
        tuple(warnings), variant,
    )  # fmt: skip


def metric_and_variant(column: Column) -> tuple[str, str, str]:
    """Metric words, variant and unit that the names of a column give."""
    metric, variant, unit = [], [], ""
    for name in column.names:
        rest, found = split_unit(name)
        if found and not unit:
            unit = found
        elif found:
            rest = name
        if not rest or folded_name(rest) in ("value", "values", "result", "results"):
            continue
        named_unit = unit_of(rest)
        if _METRIC.search(rest) and not re.search(
            r"\b(?:before|after|patch\w*|base\w*|v\d|without|with|old|new|stock|vanilla|on|off)\b", rest, re.IGNORECASE
        ):
            metric.append(rest)
        elif named_unit is None:
            variant.append(rest)
    return " ".join(metric), ", ".join(variant), unit


def _repeats(column: Column) -> bool:
    """Whether cells such as `run 1:` number the runs."""
    return any(cell is not None and cell.noun in REPEATS for cell in column.cells)


def _bracketed(column: Column) -> bool:
    cells = [cell for cell in column.cells if cell is not None and cell.number is not None]
    return bool(cells) and all(cell.bracketed for cell in cells)


def _last(column: Column) -> str:
    return column.names[-1].strip().lower().rstrip(".") if column.names else ""


def _named(source: Source, line: int, names: list[str], option: str, choice: str | None) -> int | None:
    from mpps.readers.core.columns import wanted

    return None if choice is None else wanted(source, line, names, option, choice)


def _is_change(column: Column, after_values: bool) -> bool:
    heading = column.heading.replace("_", " ")
    name = _last(column)
    numbers = column.numbers
    if numbers and all(cell.times for cell in column.cells if cell is not None and cell.number is not None):
        return True
    if _CHANGE.fullmatch(name) or (
        re.search(r"\b(?:change|delta|diff|gain|improv\w*|speed-?up|ratio|%diff)\b|%change|Δ", heading, re.IGNORECASE)
        and after_values
    ):
        return after_values or bool(numbers and all(number.percent for number in numbers))
    percents = [number for number in numbers if number.percent]
    if percents and len(percents) == len(numbers) and not _BUSY.search(heading):
        signed = any(number.sign for number in percents)
        return signed or not heading
    return False


def _count_column(source: Source, grid: Grid, names, line: int, options: Options):
    columns = grid.columns
    chosen = _named(source, line, names, "--n", options.n)
    if chosen is not None:
        return chosen, counts_what(names[chosen]) or names[chosen], f"--n {options.n}", []
    nouns = [
        place
        for place, column in enumerate(columns)
        if column.cells
        and not _repeats(column)
        and not any(cell and cell.number is None and is_phrase(cell.text) for cell in column.cells)
        and sum(bool(cell and cell.noun) for cell in column.cells) * 2 > len(column.cells)
    ]
    if nouns:
        cell = next(cell for cell in columns[nouns[0]].cells if cell and cell.noun)
        return nouns[0], counts_what(cell.noun) or cell.noun, f"its cells count {cell.noun}", []
    named = [
        place
        for place, column in enumerate(columns)
        if (counts_what(column.heading) or (column.names and counts_what(column.names[-1]))) and _whole(column)
    ]
    varying = [place for place in named if len({number.value for number in columns[place].numbers}) > 1]
    if len(varying) > 1 and _same_counts([columns[place] for place in varying]):
        # Two tables side by side, each with the counts: the first column stands for all.
        varying = varying[:1]
    if len(varying) > 1:
        listed = " and ".join(repr(names[place]) for place in varying)
        raise source.wrong(
            line, "  ".join(names), f"one column of counts: {listed} both could be it",
            f"say --n {_quoted(names[varying[0]])} or --n {_quoted(names[varying[1]])}",
        )  # fmt: skip
    if varying or named:
        place = (varying or named)[0]
        what = counts_what(columns[place].heading) or counts_what(columns[place].names[-1])
        return place, what, f"column {names[place]!r} in line {line}", []
    like = [
        place for place, column in enumerate(columns) if _whole(column) and _count_like(column) and not _repeats(column)
    ]
    first = columns[0]
    bare = [
        place
        for place in like
        if place and not columns[place].heading and min(number.value for number in columns[place].numbers) <= 16
    ]
    if 0 not in like and len(bare) == 1 and not first.numbers and len(columns) > bare[0] + 1:
        told = f"{source.file}, line {line}: column {bare[0] + 1}, which has no name, is taken for the counts, because it rises; say --n COLUMN if another is"
        return bare[0], "n", f"column {bare[0] + 1}, whose whole numbers rise", [told]
    if 0 not in like or len(columns) < 2:
        return None, "", "", []
    if first.heading and (_NOT_COUNT.search(first.heading) or unit_of(first.heading)):
        return None, "", "", []
    rivals = [
        place
        for place in like[1:]
        if not columns[place].heading and min(number.value for number in columns[place].numbers) <= 16
    ]
    if not first.heading and rivals:
        raise source.wrong(
            grid.lines[0].number, grid.lines[0].text.strip(), "one column of counts: columns 1 and 2 both could be it, and no heading tells",
            "say --n 1 or --n 2, or write a heading such as 'threads' over the counts",
        )  # fmt: skip
    if first.heading:
        return (
            0,
            first.heading,
            f"column {names[0]!r}, the first",
            [
                f"{source.file}, line {line}: {names[0]!r} is taken for the counts, because it comes first and "
                f"rises; say --n COLUMN if another is"
            ],
        )
    return 0, "n", "the first column, whose whole numbers rise; no heading says so", []


def _same_counts(columns: list[Column]) -> bool:
    """Whether columns of one name hold the same counts, row for row."""
    rows = [
        tuple(cell.number.value if cell is not None and cell.number else None for cell in column.cells)
        for column in columns
    ]
    return len(set(rows)) == 1 and len({_last(column) for column in columns}) == 1


def _quoted(name: str) -> str:
    return f"'{name}'" if " " in name or "#" in name else name


def _ends_other(column: Column, columns, words) -> bool:
    """Whether a heading such as `before lower` is that of another column, `before` or `before median`, and one of `words`."""
    owner, _, last = folded_name(column.heading).rpartition(" ")
    others = {folded_name(each.heading) for each in columns}
    return bool(owner) and last in words and bool(others & {owner, f"{owner} median", f"{owner} mean"})


def _whole(column: Column) -> bool:
    numbers = column.numbers
    # Counts that passed through a program's floats are all printed as 1.0, 2.0.
    floats = bool(numbers) and all(number.printed.endswith(".0") for number in numbers)
    return bool(numbers) and all(
        number.value == int(number.value)
        and number.value >= 0
        and not number.percent
        and (number.unit is None or not number.unit.is_rate)
        and not number.prefix
        and (floats or "." not in number.printed)
        for number in numbers
    )


def _count_like(column: Column) -> bool:
    """Whole numbers as counts are chosen: they rise (or start over), and stay small."""
    values = [number.value for number in column.numbers]
    if not values or max(values) > 4096 or min(values) < 1 or len(values) < 2:
        return False
    steps = [b - a for a, b in itertools.pairwise(values)]
    return any(step > 0 for step in steps) and all(
        step >= 0 or b == values[0] for step, b in zip(steps, values[1:], strict=True)
    )


def _not_counts(column: Column) -> bool:
    return bool(column.heading) and bool(_NOT_COUNT.search(column.heading)) and _whole(column)


def _constant_count(column: Column, n: int | None) -> bool:
    """A second count that stays the same: a label of the table."""
    return n is not None and counts_what(column.heading) is not None and _whole(column)
