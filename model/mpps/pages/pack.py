"""What draws the charts of a page, packed: vega and the specifications compressed, unpacked when a chart comes near.

A page shows pictures first; its script unpacks the rest with the browser's own `DecompressionStream`. A browser without
one keeps the pictures.
"""

import base64
import functools
import gzip
import json

from mpps.pages.kept import kept
from mpps.pages.templates import text


def drawing(charts) -> str:
    """The elements at the foot of a page that draw its charts; empty for a page without any."""
    if not charts:
        return ""
    from mpps.charts.show import FIT

    specs = [{"spec": chart.spec, "csv": chart.numbers.csv() if chart.csv_file else ""} for chart in charts]
    data = json.dumps({chart.number: spec for chart, spec in zip(charts, specs)}, ensure_ascii=False)
    return (
        f'<script type="text/plain" id="mpps-vega">{bundle()}</script>\n'
        f'<script type="text/plain" id="mpps-charts">{packed(data)}</script>\n'
        f"<script>{FIT}\n{text('charts.js')}</script>"
    )


def packed(words: str) -> str:
    """Text compressed, in letters that can stand in a page; the same text gives the same letters."""
    return base64.b64encode(gzip.compress(words.encode(), 9, mtime=0)).decode()


@functools.cache
def bundle() -> str:
    """vega, vega-lite and vega-embed as one packed script that sets `window.mppsEmbed` and nothing else.

    Whoever runs it wraps it in a function: it declares hundreds of names.
    """
    import vl_convert

    code = "window.mppsEmbed = vegaEmbed;"
    return kept("packed", code, lambda: packed(vl_convert.javascript_bundle(code)))
