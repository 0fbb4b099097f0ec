"""Changes on the command line: options reach the same engine, and what they take for granted is told."""

import json
import shlex

import pytest

from mpps import paths
from mpps.cli import main
from mpps.whatif import whatif


def run(capsys, line):
    status = main(shlex.split(line))
    out, err = capsys.readouterr()
    return status, out, err


@pytest.mark.parametrize(
    ("options", "changes"),
    [
        (
            "--scale 'qdisc layer=0.5' --scale 'send and driver=2'",
            [{"scale": {"qdisc layer": 0.5, "send and driver": 2}}],
        ),
        ("--add filter=50 --batch 8", ["add:filter=50", "batch=8"]),
        ("--packet-bytes 512 --link 40", [{"packet_bytes": 512, "link_gbit": 40}]),
        ("--queues 8 --flows 64", [{"queues": 8, "flows": 64}]),
        ("--mix 'bypass=0.25,qdisc=0.75'", [{"mix": {"bypass": 0.25, "qdisc": 0.75}}]),
        ("--bypass yes", ["bypass"]),
        ("--add 'first tap delivery' --set qdisc_ns=90", ["add=first tap delivery", {"set": {"qdisc_ns": 90}}]),
    ],
)
def test_options_are_changes(capsys, options, changes):
    status, out, err = run(capsys, f"whatif packet_transmit --from qdisc --cores 4,16 {options} --json")
    assert status == 0, err
    series = json.loads(out)["series"][0]
    same = whatif(paths.load_path("packet_transmit"), [4, 16], start="qdisc", changes=changes)

    assert series["change"] == same.change and series["takes"] == list(same.notes)
    assert [row["median"] for row in series["gain"]] == pytest.approx([row["gain"] for row in same.rows()])


def test_what_a_change_takes_for_granted_is_told(capsys):
    _, out, _ = run(capsys, "whatif packet_transmit --from qdisc --cores 16 --queues 8 --flows 64 --packet-bytes 512")
    told = " ".join(out.split())

    assert "What the change takes for granted: - Gains count packets; in bits they are 8 times as high" in told
    assert "- 64 flows of equal load on 8 queues: the busiest queue has 1.53 times" in told
    assert "touching one byte of a packet (a copy or a checksum): 0.04 (0.01 to 0.13) ns/byte" in told


def test_a_coalescing_path_and_one_that_has_nothing_to_coalesce(capsys):
    status, out, _ = run(capsys, "whatif pppoe_receive --from 'no lock, GRO on' --coalescing 8 --cores 4 --json")
    assert status == 0 and json.loads(out)["series"][0]["change"] == "8 packets per skb"
    status, _, err = run(capsys, "whatif tun_receive --from netif_rx --coalescing 8")
    assert status == 2 and "nothing to coalesce" in err


def test_a_table_has_no_stages_to_change(capsys):
    status, _, err = run(capsys, "whatif data/examples/posted_table.txt --from x --queues 4")

    assert status == 2 and "--queues needs a code path" in err
