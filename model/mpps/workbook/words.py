"""Sentences whose numbers come from the run."""

import re
import string

from mpps.text import interval, number, percent


class _Writer(string.Formatter):
    """Values in a sentence: numbers to three digits, (median, lower, upper) as an interval, fractions as percent.

    Specifications: `{x}`, `{x:2}` (digits), `{x:%}` and `{x:+%}` (fractions), `{x:ends}` (an interval without its
    median), `{x:list}` (items joined by commas and "and").
    """

    def format_field(self, value, spec: str) -> str:
        if isinstance(value, str):
            return value
        if spec == "list":
            return listed(value)
        if hasattr(value, "median"):
            value = (value.median, value.lower, value.upper)
        if isinstance(value, tuple):
            return self._interval(value, spec)
        if spec.endswith("%"):
            return (("+" if spec[0] == "+" and value > 0 else "") + percent(value)).replace("-", "−")
        if hasattr(value, "item"):
            value = value.item()
        return number(value, int(spec) if spec else 3)

    def _interval(self, value, spec: str) -> str:
        median, lower, upper = value
        if spec.endswith("%"):
            scaled = [None if part is None else 100 * part for part in value]
            return f"{interval(*scaled)} %"
        return interval(None if spec == "ends" else median, lower, upper)


def sentence(template: str, /, **values) -> str:
    """The template with its values written as people read them, see `_Writer`; its lines are joined."""
    return _Writer().vformat(" ".join(template.split()), (), values).replace(" %", "\u00a0%")


def say(template: str, /, **values):
    """Paragraphs, as Markdown: parted by empty lines, and a line that begins with a dash is an item of a list."""
    blocks = re.split(r"\n\s*\n|\n(?=\s*- )", template.strip())
    return markdown("\n\n".join(sentence(block, **values) for block in blocks))


def markdown(text: str):
    """Text as a cell shows it."""
    from IPython.display import Markdown

    return Markdown(text)


def readable(unit: str, *values):
    """Values in a unit of readable size, and that unit: packets/s from a million on as Mpps. None stays None."""
    if unit == "packets/s" and max((value or 0.0 for value in values), default=0.0) >= 1e6:
        return "Mpps", tuple(None if value is None else value / 1e6 for value in values)
    return unit, values


def listed(items) -> str:
    """`1, 2 and 4`."""
    words = [item if isinstance(item, str) else number(item) for item in items]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + f" and {words[-1]}" if words else "none"


def literal(text: str) -> str:
    """Text that may hold names of a user's table, as Markdown that shows it letter by letter."""
    text = re.sub(r"[<>&$*`\[\]\\|]|(?<!\w)_|_(?!\w)", lambda found: f"&#{ord(found[0])};", text)
    return re.sub(
        r"^(\s*)([#+=~-]|\d+(?=[.)]\s))", lambda found: f"{found[1]}&#{ord(found[2][0])};{found[2][1:]}", text
    )


def bullets(items) -> str:
    """A Markdown list."""
    return "\n".join(f"- {item}" for item in items)


def folded(summary: str, items) -> str:
    """A list that the reader may fold away."""
    return f"<details open>\n<summary>{summary}</summary>\n\n{bullets(items)}\n\n</details>"
