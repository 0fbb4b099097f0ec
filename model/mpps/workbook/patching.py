"""A patch that nobody has measured, told from a table: rows for charts, tables and sentences of `mpps.answers.patch`."""

import re
from dataclasses import dataclass
from pathlib import Path

from mpps.answers.patch import whatif_table
from mpps.arguments import known_points
from mpps.sentences.patch import verdict_words
from mpps.sentences.posted import posted
from mpps.sentences.rows import readable
from mpps.tables import Column, Table
from mpps.text import percent
from mpps.workbook.before import table_file
from mpps.workbook.words import bullets, literal, markdown


@dataclass(frozen=True, eq=False)
class Patch:
    """One what-if of a table: its document, its one series with rates in `unit`, and how charts call it."""

    name: str
    document: dict
    series: dict

    @property
    def unit(self) -> str:
        """The unit of the rates, "rate" where the file states none."""
        return self.series["unit"] or "rate"

    @property
    def verdict(self) -> dict:
        """The verdict in numbers; see `mpps.answers.patch.verdict`."""
        return self.series["verdict"]

    def row(self, n: int) -> dict:
        """The prediction at a count."""
        return next(row for row in self.series["predictions"] if row["n"] == n)


def patch(file: str, *, start: str, change: str, known: str = "", after: str = "", cores=(), seed: int = 1) -> Patch:
    """The curve of variant `start` after a `change`, see `whatif_table`; known: "1=19.45 2=35.1", rates after the change;
    after: the variant that was measured then, shown beside, empty without."""
    points = known_points(re.sub(r"[\s;]+", ",", known.strip())) if known.strip() else {}
    document = whatif_table(
        table_file(file), cores, start=start, change=change, known=points, compare=after or None, seed=seed
    )
    return Patch(after or f"{start}, {change}", document, readable(document["series"][0]))


def patches(file: str, *, start: str, change: str, known=(), after=(), cores=(), seed: int = 1) -> list[Patch]:
    """One patch for each of `known` and `after`, in step; what the shorter list lacks is empty."""
    count = max(len(known), len(after), 1)
    padded = lambda items: [*items, *[""] * (count - len(items))]
    pairs = zip(padded(known), padded(after), strict=True)
    found = [
        patch(file, start=start, change=change, known=one, after=name, cores=cores, seed=seed) for one, name in pairs
    ]
    names = [one.name for one in found]
    if len(set(names)) < len(names):
        found = [Patch(f"{one.name} {place}", one.document, one.series) for place, one in enumerate(found, start=1)]
    return found


def patch_rows(found) -> list[dict]:
    """Rows of `charts.scaling`: before as measured, and after each patch as predicted, beside what was measured then."""
    first = found[0].series
    blank = dict.fromkeys(("median", "lower", "upper"))
    rows = [
        row | blank | {"variant": f"before: {first['from']}"} for row in first["before"] if row["observed"] is not None
    ]
    for one in found:
        rows += [row | {"variant": f"after: {one.name}"} for row in one.series["predictions"]]
    return rows


def patch_unseen(found) -> list[tuple[str, int]]:
    """Measured points after the change that the prediction has not seen, as `held_out` of `charts.scaling`."""
    return [
        (f"after: {one.name}", row["n"])
        for one in found
        for row in one.series["predictions"]
        if row["observed"] is not None and row["n"] not in {each["n"] for each in one.series["known"]}
    ]


def patch_gains(one: Patch) -> list[dict]:
    """Rows of `charts.whatif_gain`."""
    chances = {row["n"]: row["p"] for row in one.series["gain_probability"]}
    marks = {row["n"]: row["extrapolated"] for row in one.series["predictions"]}
    return [
        {"n": row["n"], "gain": row["median"] - 1, "lower": row["lower"] - 1, "upper": row["upper"] - 1}
        | {"p": chances[row["n"]], "extrapolated": marks[row["n"]]}
        for row in one.series["gain"]
    ]


def patch_table(found) -> Table:
    """Predicted beside measured, one line a count."""
    lines: dict[int, dict] = {row["n"]: {"n": row["n"], "before": row["median"]} for row in found[0].series["before"]}
    columns = [Column("n", "n", "count"), Column("before", f"before: {found[0].series['from']}", "exact")]
    for place, one in enumerate(found):
        keys = {key: f"{key} {place}" for key in ("median", "lower", "upper", "observed")}
        for row in one.series["predictions"]:
            lines[row["n"]] |= {short: row[key] for key, short in keys.items()}
        columns.append(
            Column(keys["median"], f"{one.name}, predicted", "interval", lower=keys["lower"], upper=keys["upper"])
        )
        if one.series["compared_with"]:
            columns.append(Column(keys["observed"], "measured", "exact"))
    return Table(tuple(columns), tuple(lines.values()), f"{found[0].unit}, median and 90 % interval", "patches")


def patch_limits(one: Patch) -> Table:
    """What limits after the change at each count, with probabilities."""
    names = list(dict.fromkeys(row["resource"] for row in one.series["limits"]))
    lines: dict[int, dict] = {}
    for row in one.series["limits"]:
        lines.setdefault(row["n"], {"n": row["n"]})[row["resource"]] = percent(row["probability"])
    columns = (Column("n", "n", "count"), *(Column(name, name, "figures") for name in names))
    return Table(columns, tuple(lines.values()), f"{one.name}: what limits, with which probability", "limits")


def moved(found):
    """For each patch whether the limit moved or is gone, as Markdown."""
    return markdown(bullets(literal(_moved(one)) for one in found))


def _moved(one: Patch) -> str:
    """Whether the limit moved to something else that is shared, or is gone, at the largest count; and what was measured."""
    last = one.verdict["n"]
    private = next(
        (r["probability"] for r in one.series["limits"] if r["n"] == last and r["resource"] == "private work"), 0.0
    )
    row, before = one.row(last), next(row for row in one.series["before"] if row["n"] == last)
    seen = (
        ""
        if row["observed"] is None
        else f" Measured: {row['observed']:,.12g} after {before['median']:,.12g} {one.unit}."
    )
    if private >= 0.5:
        return f"{one.name}: with probability {percent(private)} each core limits itself at n = {last}: the limit is gone.{seen}"
    return (
        f"{one.name}: with probability {percent(1 - private)} something shared limits at n = {last}: the limit has moved, or stayed, and "
        f"is not gone.{seen}"
    )


def patch_verdict(*found: Patch):
    """The verdict of each patch, as Markdown."""
    return markdown(
        "\n\n".join(f"**{literal(one.name)}**\n\n{bullets(map(literal, verdict_words(one.series)))}" for one in found)
    )


def known_of(one: Patch) -> str:
    """The known points of a patch in words."""
    return ", ".join(f"{row['rate']:g} at n = {row['n']}" for row in one.series["known"]) or "none"


def patch_inside(found) -> tuple[int, int]:
    """How many measured rates after the change lie inside the 90 % interval, and of how many; known ones do not count."""
    rows = [
        row
        for one in found
        for row in one.series["predictions"]
        if row["observed"] is not None and row["n"] not in {known["n"] for known in one.series["known"]}
    ]
    return sum(row["lower"] <= row["observed"] <= row["upper"] for row in rows), len(rows)


def after_one_more(one: Patch, file: str, seed: int = 1) -> Patch | None:
    """The same patch with the point that the verdict asks for first, where its after variant was measured there."""
    first = one.verdict["measure_first"]
    series = one.document["series"][0]
    seen = {row["n"]: row["observed"] for row in series["predictions"] if row["observed"] is not None}
    if first is None or first["n"] not in seen:
        return None
    known = {row["n"]: row["rate"] for row in series["known"]} | {first["n"]: seen[first["n"]]}
    text = " ".join(f"{n}={rate!r}" for n, rate in sorted(known.items()))
    return patch(
        file, start=series["from"], change=series["change"], known=text, after=series["compared_with"] or "", seed=seed,
        cores=[row["n"] for row in series["predictions"]],
    )  # fmt: skip


def for_the_list(*found: Patch):
    """The summaries for a mailing list, as Markdown."""
    return markdown("\n\n".join(f"```text\n{posted(one.document)}\n```" for one in found))


def patch_hashes(found) -> dict[str, str]:
    """File -> SHA-256 behind the answers; the names of files without their folders."""
    return {Path(file).name: sha for one in found for file, sha in one.document["data_sha256"].items()}
