"""What there is: code paths, machines, data sets, notebooks, one line each, machines with what helps to choose."""

import sys

from mpps.root import notebooks_folder


def listed(kind: str, *, head: bool = False) -> str:
    """Name and title of each `paths`, `machines`, `datasets` or `notebooks`, in columns; of machines more than that."""
    rows = _KINDS[kind]()
    if kind == "machines" and not head:
        return _machine_table(rows)
    width = max((len(row["name"]) for row in rows), default=0)
    lines = [f"{row['name']:<{width}}  {row['title']}" for row in rows] or ["none"]
    return "\n".join([f"{kind}:", *(f"  {line}" for line in lines)] if head else lines)


def document(kinds) -> dict:
    """The lists of `kinds` as JSON takes them; machines with every fact, where it comes from, and their cost sets."""
    return {"schema": "mpps.list/1", **{kind: _KINDS[kind]() for kind in kinds}}


def _paths():
    from mpps.paths import load_path, names

    paths = [(name, load_path(name)) for name in names()]
    return [{"name": name, "title": f"{path.title}: {path.question}"} for name, path in paths]


def _machines():
    from mpps.machine import load_machine, machines

    rows = []
    for name, card in ((name, load_machine(name)) for name in machines()):
        costs = [
            {"mitigations": each.mitigations, "operations": {op: _fact(fact) for op, fact in each.operations.items()}}
            for each in card.costs
        ]
        facts = {key: _fact(fact) for key, fact in card.facts.items()}
        rows.append(
            {
                "name": name,
                "title": f"{card.title} ({card.role})",
                "role": card.role,
                "facts": facts,
                "how_known": card.how_known(),
                "costs": costs,
                "sources": dict(card.sources),
                "notes": list(card.notes),
            }
        )
    return rows


def _fact(fact) -> dict:
    """What there is to say about a fact; what is empty is left out."""
    found = {"how": fact.how, "value": fact.value, "lower": fact.lower, "upper": fact.upper, "unit": fact.unit}
    found |= {"source": list(fact.source), "why": fact.why, "against": fact.against}
    return {key: value for key, value in found.items() if value not in (None, "", [])}


_HEADS = ("machine", "CPUs", "GHz", "line ns", "Gbit/s", "facts", "")
_LEGEND = """
CPUs: sockets x cores x threads. GHz: base, one core busy, all busy. line ns: moving a cache line inside a cluster / to
another cluster / to another socket. facts: stated, assumed, missing. - is not stated, ~ is assumed.
`mpps list machines --json` has every fact with its source."""


def _machine_table(rows) -> str:
    def shown(facts, *names, join) -> str:
        return join.join(_number(facts[name]) for name in names)

    cells = [_HEADS]
    for row in rows:
        facts = row["facts"]
        transfers = [f"line_transfer.{name}" for name in ("same_cluster", "other_cluster", "other_socket")]
        counts = (f"topology.{name}" for name in ("sockets", "cores_per_socket", "threads_per_core"))
        cells.append(
            (
                row["name"],
                shown(facts, *counts, join=" x "),
                shown(facts, "clock.base", "clock.one_core", "clock.all_cores", join=" "),
                shown(facts, *transfers, join=" / "),
                _number(facts["device.link"]),
                " ".join(str(number) for number in row["how_known"].values()),
                row["title"],
            )
        )
    widths = [max(len(row[k]) for row in cells) for k in range(len(_HEADS) - 1)]
    lines = ["  ".join([*(cell.ljust(width) for cell, width in zip(row, widths)), row[-1]]).rstrip() for row in cells]
    return "\n".join([*lines, _LEGEND])


def _number(fact: dict) -> str:
    if fact["how"] == "missing":
        return "-"
    return f"{'~' if fact['how'] == 'assumed' else ''}{fact['value']:g}"


def _datasets():
    from mpps.measurements import datasets, halves, load

    for here, missing in halves():
        print(f"mpps: warning: {here} has no {missing} beside it and is left out; restore {missing}", file=sys.stderr)
    tables = [(name, load(name)) for name in datasets()]
    return [{"name": name, "title": f"{table.card.title}: {', '.join(table.variants)}"} for name, table in tables]


def _notebooks():
    from mpps.pages import title_of
    from mpps.tasks import notebook_names, read_notebook

    folder = notebooks_folder()
    titles = [(name, title_of(read_notebook(folder / f"{name}.ipynb")) or "") for name in notebook_names(folder)]
    return [{"name": name, "title": title} for name, title in titles]


_KINDS = {"paths": _paths, "machines": _machines, "datasets": _datasets, "notebooks": _notebooks}
