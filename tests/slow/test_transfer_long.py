"""Every host of the corpus from the others: as good as docs/modelling.md says."""

import pytest

from mpps.sentences.transfer import transfer_text
from mpps.validate.transfer import validate_transfer

pytestmark = pytest.mark.slow


def test_hosts_held_out_reach_their_goals():
    document = validate_transfer()
    missed = [goal["name"] for goal in document["goals"] if not goal["reached"]]
    assert missed == []
    mean = document["hosts"]["mean"]
    assert mean["moved"]["interval_score"] < 0.8 * mean["copied"]["interval_score"]
    assert mean["known"]["interval_score"] < 0.8 * mean["scaled"]["interval_score"]
    assert mean["moved"]["coverage_interval"][0] < 0.9 <= mean["moved"]["coverage_interval"][1]
    assert all(found["level"] <= 0.2 and found["shape"] <= 0.1 for found in document["hosts"]["spread"].values())
    said = transfer_text(document)
    for row in document["hosts"]["rows"]:
        assert row["benchmark"] in said and row["host"] in said
