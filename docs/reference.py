"""The API reference, docs/api.md, from docstrings: what `import mpps` offers, and the modules behind it.

    python docs/reference.py            write it (make readme)
    python docs/reference.py --check    say whether it is up to date, and end with status 1 if not

Signatures come from the source text, so that every version of Python writes the same page.
"""

import ast
import importlib
import inspect
import pathlib
import re
import sys
import textwrap

PAGE = pathlib.Path(__file__).resolve().parent / "api.md"

#: Module -> what a reader finds there; in the order of the data's way through the program.
MODULES = {
    "mpps.measurements": "tables with their cards",
    "mpps.readers": "foreign files as measurements",
    "mpps.corpus": "the published scaling tables",
    "mpps.machine": "machine cards, and draws of what they state",
    "mpps.laws": "closed forms",
    "mpps.network": "closed networks, exactly",
    "mpps.solver": "the same for parameter sets by the million",
    "mpps.queues": "open queues, below saturation",
    "mpps.hashing": "flows on queues",
    "mpps.locks": "hand-off forms",
    "mpps.path": "what a code path is",
    "mpps.paths": "the code paths that there are",
    "mpps.compare": "fits and competing mechanisms",
    "mpps.explain": "what limits, and what a packet costs",
    "mpps.transfer": "moves to another machine",
    "mpps.influence": "what an answer rests on most",
    "mpps.predict": "rates at any count, machine and variant",
    "mpps.alter": "changed variants",
    "mpps.whatif": "before and after",
    "mpps.load": "below saturation: utilisation, delay, drops",
    "mpps.capacity": "cores that a rate needs",
    "mpps.lever": "one parameter moved evenly",
    "mpps.heldout": "rows left out and predicted",
    "mpps.sensitivity": "shares of the variance of a far prediction",
    "mpps.table": "fits of a table without a code path",
    "mpps.change": "the curve after a patch",
    "mpps.advise": "what to measure next",
    "mpps.sweep": "scenarios by the million",
    "mpps.validate": "scores on published tables",
    "mpps.answers": "answers as documents",
    "mpps.charts": "charts",
    "mpps.tables": "tables",
    "mpps.workbook": "what notebooks call",
    "mpps.report": "notebooks to pages",
    "mpps.matrix": "one notebook for many values",
    "mpps.explore": "the live explorer of JupyterLab",
    "mpps.units": "units",
    "mpps.errors": "errors that a user can cause",
}


def text() -> str:
    """The page."""
    lines = [
        "# API reference",
        "",
        "Made from docstrings by `make readme`.",
        "Times are in ns and rates in packets per second unless a name says otherwise.",
        "",
        "## `import mpps`",
        "",
        "Nothing is loaded before it is asked for.",
        "",
        "| name | what it is |",
        "|---|---|",
    ]
    package = importlib.import_module("mpps")
    for name in package.__all__:
        # A module that is a verb stands for the function that it calls.
        words = summary(package._at_home(name) if name in package._VERBS else getattr(package, name))
        lines.append(f"| `mpps.{name}` | {words} |")
    for name, words in MODULES.items():
        module = importlib.import_module(name)
        lines += ["", f"## `{name}`: {words}", ""]
        for public, found in public_of(module):
            lines += entry(public, found)
    return "\n".join(lines).rstrip() + "\n"


def public_of(module):
    """Functions and classes that a module offers: those of `__all__`, else those that it defines."""
    names = getattr(module, "__all__", None)
    if names is None:
        names = [name for name, each in vars(module).items() if not name.startswith("_") and _defined(each, module)]
    for name in names:
        found = getattr(module, name)
        if inspect.isfunction(found) or inspect.isclass(found):
            yield name, found


def entry(name: str, found) -> list[str]:
    """Signature and first paragraph of one function or class."""
    return [f"- `{name}{signature(found)}`", f"  {summary(found)}"]


def signature(found) -> str:
    """The arguments as the source writes them; of a class its fields."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(found))).body[0]
    except (OSError, TypeError):
        return ""
    if isinstance(tree, ast.ClassDef):
        fields = [each.target.id for each in tree.body if isinstance(each, ast.AnnAssign)]
        return f"({', '.join(fields)})" if fields else ""
    arguments = tree.args
    for each in (*arguments.args, *arguments.kwonlyargs, *arguments.posonlyargs):
        each.annotation = None
    for each in (arguments.vararg, arguments.kwarg):
        if each is not None:
            each.annotation = None
    return f"({ast.unparse(arguments)})"


def summary(found) -> str:
    """The first paragraph of a docstring on one line."""
    words = inspect.getdoc(found) or ""
    first = " ".join(words.split("\n\n")[0].split())
    return first.replace("|", "\\|")


def _defined(each, module) -> bool:
    return getattr(each, "__module__", None) == module.__name__


def main(arguments: list[str]) -> int:
    """Write the page, or check it; the exit status."""
    made = plain(text())
    if "--check" not in arguments:
        PAGE.write_text(made, encoding="utf-8")
        return 0
    same = PAGE.read_text(encoding="utf-8") == made
    print("docs/api.md is up to date" if same else "docs/api.md differs from the docstrings: make readme")
    return 0 if same else 1


def plain(page: str) -> str:
    """One sentence a line in lists, as all pages of docs/ have it."""
    return re.sub(r"(?m)^(  \S.*)$", lambda match: re.sub(r"(?<=[a-z)])\. (?=[A-Z])", ".\n  ", match[1]), page)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
