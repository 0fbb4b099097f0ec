"""Changes as they are written: mappings and texts mean the same, and a wrong one says what is wrong."""

import pytest

from mpps.alter import KINDS, parse_changes
from mpps.errors import MppsError


@pytest.mark.parametrize(
    ("text", "mapping"),
    [
        ("remove=socket lock", {"remove": "socket lock"}),
        ("scale:receive body=0.5", {"scale": {"receive body": 0.5}}),
        ("scale=a=b=2", {"scale": {"a=b": 2}}),
        ("set:section_ns=90", {"set": {"section_ns": 90}}),
        ("mix=fast path=0.7,ptr_ring=0.3", {"mix": {"fast path": 0.7, "ptr_ring": 0.3}}),
        ("add=qdisc layer", {"add": "qdisc layer"}),
        ("add:filter=50", {"add": {"filter": {"ns": 50}}}),
        ("bypass", {"bypass": True}),
        ("coalescing=8", {"coalescing": 8}),
        ("packet_bytes=64", {"packet_bytes": 64}),
        ("link_gbit=100", {"link_gbit": "100"}),
        ("batch=16", {"batch": 16}),
    ],
)
def test_a_text_and_a_mapping_mean_the_same(text, mapping):
    assert parse_changes(text) == parse_changes([mapping]) == parse_changes(parse_changes(mapping))


def test_what_belongs_together_may_stand_apart():
    together = parse_changes([{"queues": 8, "flows": 64, "remove": ["a", "b"]}])

    assert parse_changes(["remove=a", {"queues": 8}, "flows=64", "remove=b"]) == together
    assert parse_changes(together) == together


def test_every_example_of_a_kind_is_read_as_that_kind():
    for kind, text in KINDS.items():
        assert [change.kind for change in parse_changes(text)] == [kind]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (["coalesing=8"], "did you mean 'coalescing'"),
        (["coalescing=0"], "found '0': expected a positive number"),
        ([{"coalescing": float("nan")}], "expected a positive number"),
        ([{"coalescing": True}], "expected a positive number"),
        (["queues=2.5"], "whole number from 1"),
        (["queues=99999"], "whole number from 1 to 1,024"),
        (["flows=8"], "goes with queues"),
        (["queues=2", "flows=8", "hashing=fair"], "equal, greedy"),
        (["scale:x"], "scale:NAME=NUMBER"),
        (["scale:x=1", {"scale": {"x": 2}}], "named twice"),
        (["batch=2", "batch=4"], "given twice"),
        (["remove=a", "remove=a"], "named twice"),
        ([{"remove": 3}], "name of a stage"),
        ([{"add": {"x": {"nanoseconds": 3}}}], "unknown key 'nanoseconds'"),
        ([{"add": {"x": {"ns": 3, "on": "moon"}}}], "core or station"),
        ([{"mix": {"a": 1.5}}], "share from 0 to 1"),
        (["nothing"], "expected KIND=VALUE"),
        ([17], "expected a mapping or a text"),
        (["packet_bytes=100000"], "up to 65,535"),
        (["link_gbit=1e300"], "up to 1,000,000"),
    ],
)
def test_a_wrong_change_says_what_was_expected(changes, says):
    with pytest.raises(MppsError, match="change") as raised:
        parse_changes(changes)
    assert says in str(raised.value)
