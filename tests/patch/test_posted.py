"""Summaries for a mailing list: 72 columns, plain characters, the table, prediction beside measurement, the verdict."""

import shlex

import pytest
from closed import rates, table

from mpps import cli
from mpps.answers.patch import whatif_table
from mpps.sentences.posted import WIDTH, posted

SEED_TABLE = "data/measurements/pppoe_receive_sync.csv"
COUNTS = [1, 2, 4, 8, 16]


def plain(text):
    assert text.isascii()
    assert max(map(len, text.splitlines())) <= WIDTH
    assert all(line == line.rstrip() for line in text.splitlines())


def test_a_patch_for_a_discussion():
    document = whatif_table(SEED_TABLE, start="both locks", change="removal", known={1: 19.63}, compare="ppp lock only")
    text = posted(document)
    lines = [line.split() for line in text.splitlines()]

    plain(text)
    assert ["n", "both", "locks", "predicted", "90", "%", "interval", "measured", "change", "P(gain)"] in lines
    rows = {line[0]: line for line in lines if len(line) > 5 and line[0] in map(str, COUNTS)}
    assert rows["16"][1] == "49.40" and "61.33" in rows["16"]
    assert "known after the change: 1=19.63" in text
    said = " ".join(text.split())
    assert "Cannot tell from this table" in said and "The prediction assumes:" in said
    assert "'ppp lock only', which the prediction has not seen but for what is known" in said


@pytest.mark.parametrize("scale", [1e-7, 1.0, 1e3, 1e9])
@pytest.mark.parametrize("name", ["b", "a variant with a name that is far too long for any table of 72 columns"])
def test_the_width_holds_for_any_table(scale, name):
    """Counts to 1024, rates of any size, long names, both sides measured."""
    counts = [1, 4, 64, 1024]
    before = [rate * scale for rate in rates(800, [50], counts)]
    reading = table(counts, **{name: before, f"{name} after": [rate * 1.3 for rate in before]})
    plain(posted(whatif_table(reading, [*counts, 2048], start=name, change="replacement", compare=f"{name} after")))


@pytest.mark.parametrize(
    "line",
    [
        f'whatif {SEED_TABLE} --from "both locks" --change removal --text',
        "whatif tun_receive --from netif_rx --without 'backlog queue' --text",
        "whatif data/examples/posted_table.txt --from 'qdisc path' --change cost --cores 1-64 --text",
    ],
)
def test_the_command_prints_it(capsys, line):
    assert cli.main(shlex.split(line)) == 0
    out, err = capsys.readouterr()

    assert err == ""
    plain(out.rstrip("\n"))
    assert "P(gain)" in out and "The prediction assumes:" in out


def test_a_path_shows_what_was_measured_and_gives_up(capsys):
    cli.main(shlex.split("whatif tun_receive --from netif_rx --without 'backlog queue' --text"))
    out = " ".join(capsys.readouterr().out.split())

    assert "867" in out and "part of the path's fit" in out
