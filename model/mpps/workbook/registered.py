"""Predictions registered before anybody measures, for a page."""

from mpps import registered
from mpps.tables import Column, Table
from mpps.text import interval, percent
from mpps.workbook.studies import Study
from mpps.workbook.words import listed, say


def registrations(study: Study) -> list[registered.Registered]:
    """The registered predictions about this joint fit, newest last; their hashes are checked."""
    found = [registered.load(name) for name in registered.names(study.path.slug)]
    return [one for one in found if one.content["scope"] == study.fitted.scope]


def registered_table(study: Study, one) -> Table:
    """Counts against variants: registered median and 90 % interval."""
    lines: dict[int, dict] = {}
    names = list(dict.fromkeys(row["variant"] for row in one.rows))
    for row in one.rows:
        line = lines.setdefault(row["n"], {"n": row["n"]})
        line[row["variant"]] = interval(row["median"], row["lower"], row["upper"])
    unit = one.content["unit"]
    columns = (Column("n", study.senders, "count"), *(Column(name, f"{name}, {unit}", "figures") for name in names))
    caption = f"Registered on {one.content['date']}, median and 90 % interval; nobody had measured these counts"
    return Table(columns, tuple(lines[n] for n in sorted(lines)), caption, one.name)


def registered_words(study: Study, one):
    """Date, code, hash and composition of a registered prediction, and whether today's code makes it again."""
    shares = {
        key: listed(f"{percent(weight)} {name}" for name, weight in one.shares(key).items() if weight >= 0.005)
        for key in ("family", "reading")
    }
    variation = listed(
        f"{percent(weight)} at {value:g}" for value, weight in one.shares("variation").items() if weight >= 0.005
    )
    again = (
        "The code of this run makes them again within the error of the draws."
        if registered.agrees(one)
        else "The code of this run makes others: the model has changed since."
    )
    return say(
        """Registered on {date} with the code of commit `{commit}`; SHA-256 of the content `{sha}`, in `data/registered/{name}.yaml`. {again}

- Mixed over families of hand-off: {family}.
- Over when the depth is read: {reading}.
- Over the variation of the work: {variation}.""",
        date=one.content["date"],
        commit=one.content["commit"][:12],
        sha=one.content["sha256"],
        name=one.name,
        again=again,
        variation=variation,
        **shares,
    )
