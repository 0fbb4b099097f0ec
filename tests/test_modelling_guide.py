"""The modelling guide explains every mechanism that competes, and only those."""

from mpps.paths import load_path, names
from mpps.table.mechanisms import MECHANISMS
from samples import ROOT

GUIDE = (ROOT / "docs" / "modelling.md").read_text(encoding="utf-8")


def rows(heading):
    """First cells of the table below a heading, and how many cells each row has."""
    section = GUIDE.split(f"### {heading}\n", 1)[1].split("\n#", 1)[0]
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in section.splitlines() if line[:1] == "|"]
    return cells[2:]


def test_every_mechanism_of_a_table_has_a_row():
    found = rows("Of any table")

    assert [row[0] for row in found] == [mechanism.name for mechanism in MECHANISMS]
    assert all(len(row) == 4 and all(row) for row in found)


def test_every_mechanism_of_a_code_path_is_named():
    """By its form: readings and variations of one form, and sizes of packages, share a row."""
    explained, last = {}, ""
    for path, words, *_ in rows("Of the code paths"):
        last = path.strip("`") or last
        explained[last] = f"{explained.get(last, '')}, {words}"

    assert set(explained) == set(names())
    for name in names():
        for mechanism in load_path(name).mechanisms:
            assert (
                mechanism.name in explained[name]
                or mechanism.name.split(",")[0].removesuffix(" relative") in explained[name]
            )
