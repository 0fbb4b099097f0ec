"""What holds for any table and any text: values survive every style of posting, and nothing but a clear error is raised."""

import string

import hypothesis
import pytest
from hypothesis import strategies as st

from mpps.errors import MppsError
from mpps.readers import Reading, Row, csv_text, formats
from mpps.readers.core.nouns import Options
from mpps.readers.core.numbers import decimal_mark, plain, quantity
from mpps.readers.core.reading import read_source
from mpps.readers.core.source import make_source
from mpps.readers.core.units import unit_of

NAMES = st.text(
    st.characters(exclude_categories=("C", "Z"), include_characters=" ,\"'#;"), min_size=1, max_size=12
).filter(lambda name: name == " ".join(name.split()))
COUNTS = st.lists(st.integers(1, 512), min_size=2, max_size=7, unique=True).map(sorted)
WORDS = ("before", "after", "v6.1", "patched", "no lock", "GRO on", "rx1024")


def readable(text, **choices):
    """The reading of a text; an error must be one of ours."""
    try:
        return read_source(
            make_source("any", "any", "", text if isinstance(text, bytes) else text.encode("utf-8", "replace")),
            **choices,
        )
    except MppsError as error:
        assert str(error)
        return None


@hypothesis.given(
    st.lists(
        st.tuples(
            NAMES,
            NAMES,
            st.none() | st.integers(0, 4096) | st.floats(0, 1e6),
            st.decimals(-10000, 10**9, places=3),
            NAMES,
        ),
        min_size=1,
        max_size=8,
    ),
    st.booleans(),
)
def test_tidy_csv_reads_back_to_the_same_rows(cells, extra):
    rows = tuple(
        Row("data", variant, None if n is None else float(n), metric, float(value), unit, str(value), "any", line,
            stdev=0.5 if extra else None, labels=(("gro", unit),) if extra else ())
        for line, (variant, metric, n, value, unit) in enumerate(cells, 2)
    )  # fmt: skip

    again = readable(csv_text(Reading(rows, ())), format="tidy")

    def bare(row):
        return (row.dataset, row.variant, row.n, row.metric, row.value, row.stdev, row.labels, row.line)

    assert [bare(row) for row in again.rows] == [bare(row) for row in rows]


def _number(value: int, style: str) -> str:
    text = f"{value:,}"
    return {"plain": str(value), "comma": text, "dot": text.replace(",", "."), "underscore": text.replace(",", "_")}[
        style
    ]


@st.composite
def posted(draw):
    """A posted table, and what it holds: {variant: {n: value}}, unit."""
    counts = draw(COUNTS)
    variants = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4, unique=True))
    values = {variant: {n: draw(st.integers(1000, 99_999_999)) for n in counts} for variant in variants}
    style = draw(st.sampled_from(("plain", "comma", "dot", "underscore")))
    head = draw(st.sampled_from(("threads", "# CPUs", "cores", "nr_threads", "Senders", "# of threads")))
    rows = [[str(n), *(_number(values[variant][n], style) for variant in variants)] for n in counts]
    # A lone group after a dot could be decimals: the table must hold one number that tells.
    hypothesis.assume(style != "dot" or any(cell.count(".") > 1 for row in rows for cell in row))
    table = [[head, *variants], *rows]
    widths = [max(len(row[place]) for row in table) for place in range(len(table[0]))]
    layout = draw(st.sampled_from(("right", "left", "markdown", "box", "org", "tabs", "dashes")))
    lines = _laid_out(table, widths, layout)
    caption = draw(
        st.sampled_from(("", "Rates in packets/s:", "Some words about the test; values are in packets per second."))
    )
    text = "\n".join([caption, "", *lines] if caption else lines) + "\n"
    prefix = draw(st.sampled_from(("", "> ", "  ")))
    text = "".join(f"{prefix}{line}\n" for line in text.splitlines())
    return (text.replace("\n", "\r\n") if draw(st.booleans()) else text), values, "packets/s" if caption else ""


def _laid_out(table, widths, layout) -> list[str]:
    if layout in ("right", "left", "dashes"):
        align = str.ljust if layout == "left" else str.rjust
        joint = "  --  " if layout == "dashes" else "   "
        return [
            joint.join(align(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table
        ]
    if layout == "tabs":
        return ["\t".join(row) for row in table]
    lines = [
        "| " + " | ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in table
    ]
    if layout == "markdown":
        return [lines[0], "|" + "|".join("-" * (width + 1) + ":" for width in widths) + "|", *lines[1:]]
    if layout == "org":
        return [lines[0], "|" + "+".join("-" * (width + 2) for width in widths) + "|", *lines[1:]]
    rule = "+" + "+".join("-" * (width + 2) for width in widths) + "+"
    return [rule, lines[0], rule.replace("-", "="), *(line for row in lines[1:] for line in (row, rule))]


@hypothesis.given(posted())
@hypothesis.settings(max_examples=150)
def test_a_table_survives_every_style_of_posting(case):
    text, values, unit = case

    reading = readable(text)

    assert reading is not None
    found: dict = {}
    for row in reading.rows:
        found.setdefault(row.variant, {})[int(row.n)] = int(row.value)
    if len(values) == 1:
        # A lone heading may be read as the name of the metric.
        assert list(found.values()) == list(values.values())
    else:
        assert found == values
    assert {row.unit for row in reading.rows} == {unit}


@hypothesis.given(st.integers(0, 10**12), st.integers(0, 999), st.sampled_from((".", ",")))
def test_separators_and_decimals_come_off(whole, tail, decimal):
    group = "," if decimal == "." else "."
    text = f"{whole:,}".replace(",", group) + f"{decimal}{tail:03d}"

    assert plain(text, decimal) == f"{whole}.{tail:03d}"
    if whole > 999:
        assert decimal_mark([text]) == decimal


@hypothesis.given(
    st.floats(0.001, 1e9), st.sampled_from(("", "k", "M", "G")), st.sampled_from(("", "pps", " Mbit/s", " ops/s", "%"))
)
def test_a_number_with_suffix_or_unit_is_one_quantity(value, prefix, unit):
    text = f"{value:.4f}{prefix if not unit else ''}{unit}"

    amount = quantity(text)

    assert amount is not None and amount.value == float(f"{value:.4f}")
    assert (amount.unit is None) == (not unit)


@hypothesis.given(st.text(max_size=30))
def test_a_unit_is_one_of_ours_or_none(text):
    unit = unit_of(text)

    assert unit is None or unit_of(unit.name) is None or unit_of(unit.name).name == unit.name


ODD = st.text(string.digits + " .,%|-+=()[]{}\n\t:/\"'#xkMGabs±\u2212<>_*~", max_size=400)


@hypothesis.given(ODD | st.text(max_size=300))
@hypothesis.settings(max_examples=300)
def test_no_text_raises_anything_but_an_error_of_ours(text):
    readable(text)


@hypothesis.given(st.binary(max_size=300))
def test_no_bytes_raise_anything_but_an_error_of_ours(raw):
    readable(raw)


@pytest.mark.parametrize("name", formats())
@hypothesis.given(ODD)
@hypothesis.settings(max_examples=25)
def test_a_forced_format_raises_nothing_else_either(name, text):
    readable(text, format=name)


@hypothesis.given(ODD, st.sampled_from(("1", "2", "n", "a", "0", "99", "")))
@hypothesis.settings(max_examples=60)
def test_options_raise_nothing_else_either(text, choice):
    readable(text, n=choice, value=choice, variant=choice, unit=choice or None)


def test_options_are_a_noun():
    assert Options(n="cores") == Options("cores", None, None, None)
