"""Numbers in words: digits follow the interval, missing ends are bounds."""

import math

import pytest

from mpps.text import count, interval, number, percent


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (275.0, "275"), (1018.4, "1,018"), (63.48, "63.5"), (0.012345, "0.0123"), (999.96, "1,000"), (0.0, "0"),
        (16, "16"), (1509628, "1,509,628"), (-0.5, "-0.500"), (None, "-"), (math.nan, "-"), (math.inf, "unbounded"),
        (1.23e-9, "1.23e-09"),
    ],
)  # fmt: skip
def test_number_keeps_three_digits_and_all_before_the_point(value, said):
    assert number(value) == said


@pytest.mark.parametrize(
    ("three", "said"),
    [
        ((275, 265, 285), "275 (265 to 285)"),
        ((605.4, 590.2, 621.9), "605 (590 to 622)"),
        ((1.997, 1.990, 2.002), "1.997 (1.990 to 2.002)"),
        ((3.0, 0.02, 40.0), "3 (0.02 to 40)"),
        ((6.0, 2.0, 13.0), "6 (2 to 13)"),
        ((5.0, 5.0, 5.0), "5.00 (5.00 to 5.00)"),
        ((1234.0, 1100.0, 1400.0), "1,234 (1,100 to 1,400)"),
        ((None, 3.0, 5.0), "3.0 to 5.0"),
        ((4.0, None, 285.0), "at most 285"),
        ((4.0, 1.9, math.inf), "at least 1.9"),
        ((4.0, None, None), "not identified"),
    ],
)
def test_interval_has_the_digits_that_its_width_supports(three, said):
    assert interval(*three) == said


def test_percent_and_count():
    assert percent(0.0235) == "2.4 %" and percent(None) == "-"
    assert count(1, "point") == "1 point" and count(1200, "point") == "1,200 points"
