"""The fitted state of an explorer as a drawing and a sentence: for readers without scripts, and for other front ends."""

import html

import numpy as np

from mpps.explorer.replay import rates_pps
from mpps.text import count, number

_WIDTH, _HEIGHT = 640, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 16, 30, 40


def words(document: dict) -> str:
    """The answer at which the explorer opens, as a sentence."""
    entry, n = opening(document), document["start"]["cores"]
    rate = document["per_pps"] * rates_pps(document, entry["models"][0], [n])[0]
    return (
        f"{entry['name']} with {count(n, document['sender'])}: {number(float(rate))} {document['unit']}, "
        f"as the leading explanation says ({document['mechanisms'][entry['models'][0]['mechanism']]['name']})."
    )


def opening(document: dict) -> dict:
    """The variant at which the explorer opens."""
    return next(entry for entry in document["variants"] if entry["name"] == document["start"]["variant"])


def picture(document: dict) -> str:
    """Throughput against cores of the opening variant as SVG: points measured, line the model, dashes beyond the points."""
    entry = opening(document)
    n = np.array(document["counts"])
    rate = document["per_pps"] * rates_pps(document, entry["models"][0], n)
    points, band = entry["points"], entry["band"]
    shown = [*rate, *(point[1] for point in points)]
    # The whole band is in view, unless it would press the curve flat.
    low = 0.9 * max(min(shown) / 2.5, min([*shown, *band["lower"]]))
    high = 1.1 * min(max(shown) * 2.5, max([*shown, *band["upper"]]))
    x = lambda value: _LEFT + (_WIDTH - _LEFT - _RIGHT) * np.log2(value) / np.log2(max(document["last"], 2))
    y = lambda value: _TOP + (_HEIGHT - _TOP - _BOTTOM) * np.log(high / np.clip(value, low, high)) / np.log(high / low)
    place = lambda xs, ys: " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x(np.array(xs)), y(np.array(ys)), strict=True))
    most = max((point[0] for point in points), default=document["last"])
    near, far = n <= most, n >= most
    colour, name = html.escape(entry["colour"]), html.escape(entry["name"])
    around = f"{place(band['n'], band['upper'])} {place(band['n'][::-1], band['lower'][::-1])}"
    drawn = [
        *(_tick_y(value, y(value)) for value in ticks(low, high)),
        *(_tick_x(value, x(value)) for value in (2**k for k in range(int(np.log2(document["last"])) + 1))),
        f'<polygon fill="{colour}" opacity=".18" points="{around}"/>',
        *(
            f'<polyline fill="none" stroke="{colour}" stroke-width="2.2"{dash} points="{place(n[part], rate[part])}"/>'
            for part, dash in ((near, ""), (far, ' stroke-dasharray="6 4"'))
            if part.sum() > 1
        ),
        *(f'<circle r="4.5" fill="{colour}" cx="{x(a):.1f}" cy="{y(b):.1f}"/>' for a, b, _ in points),
        f'<text x="0" y="14">{html.escape(document["unit"])}</text>',
        f'<text x="{_WIDTH - _RIGHT}" y="14" text-anchor="end" fill="{colour}" font-weight="600">{name}</text>',
        f'<text x="{(_LEFT + _WIDTH) / 2}" y="{_HEIGHT - 4}" text-anchor="middle">{html.escape(document["sender"])}s</text>',
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}" '
        f'role="img" aria-label="{html.escape(words(document))}" fill="currentColor" font-size="12" '
        f'font-family="system-ui, sans-serif">{"".join(drawn)}</svg>'
    )


def ticks(low: float, high: float) -> list[float]:
    """1, 2, 5, 10, ... between the ends."""
    first, last = int(np.floor(np.log10(low))), int(np.ceil(np.log10(high)))
    return [m * 10.0**k for k in range(first, last + 1) for m in (1, 2, 5) if low <= m * 10.0**k <= high]


def _tick_y(value, place):
    line = f'<path d="M{_LEFT} {place:.1f}H{_WIDTH - _RIGHT}" stroke="currentColor" opacity=".13"/>'
    return f'{line}<text x="{_LEFT - 6}" y="{place + 4:.1f}" text-anchor="end">{number(value, 1)}</text>'


def _tick_x(value, place):
    return f'<text x="{place:.1f}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">{value}</text>'
