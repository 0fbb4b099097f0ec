"""Pictures without what nobody sees: about a third of what vega writes."""

import html
import re

#: Counts in the name under which a picture is kept: change it with what `slim` does.
VERSION = "2"

_UNSEEN = re.compile(
    r'<path class="(?:foreground|background)"[^>]*? d="(?:M0,0h0v0h0Z|)"[^>]*/>|<[a-z]+ [^>]*(?<!-)opacity="0"[^>]*/>'
)
_WORDLESS = re.compile(
    r' (?:class|role|aria-[a-z]+|pointer-events)="[^"]*"| (?:fill-|stroke-)?opacity="1"| stroke-miterlimit="10"| transform="translate\(0,0\)"'
)
_NUMBER = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")
_EMPTY = re.compile(r"<g[^>]*></g>|<g[^>]*/>")
_BARE = re.compile(r"<g>((?:(?!</?g\b).)*)</g>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_FONT = re.compile(r' font-family="([^"]*)"')
#: Fonts with the widths of the one that pictures are laid out in; in a wider one names would run out of the picture.
_AS_WIDE = "'Liberation Sans', Arimo, Arial, Helvetica, sans-serif"


def slim(svg: str, label: str = "") -> str:
    """The same picture, shorter: no invisible marks, no names for single marks, two decimals, its font named once.

    A picture is one image to those who do not see it: `label` is its text.
    """
    head, close, body = svg.partition(">")
    body = _UNSEEN.sub("", body)
    body = _TAG.sub(lambda tag: _NUMBER.sub(_rounded, _WORDLESS.sub("", tag[0])), body)
    before = None
    while before != body:
        before = body
        body = _BARE.sub(r"\1", _EMPTY.sub("", body))
    fonts = set(_FONT.findall(body))
    head = re.sub(r' (?:class|version|xmlns:xlink)="[^"]*"', "", head)
    if len(fonts) == 1:
        body = _FONT.sub("", body)
        head += f' font-family="{_AS_WIDE}"'
    return f'{head} role="img" aria-label="{html.escape(label, quote=True)}"{close}{body}'


def _rounded(found: re.Match) -> str:
    return f"{float(found[0]):.2f}".rstrip("0").rstrip(".").replace("-0", "-0") or "0"
