"""The scoreboard of the product on the corpus: minutes, unless its forecasts are kept."""

import pytest

from mpps.validate import validate

pytestmark = pytest.mark.slow


def test_every_goal_is_reached_on_the_corpus():
    document = validate()
    missed = [(goal["name"], goal["value"], goal["distance"]) for goal in document["goals"] if not goal["reached"]]

    assert len(document["used"]) == 85 and len(document["datasets"]) == 20
    assert missed == []
