"""One visual language: points are measured, lines are the model, bands are 90 % intervals, dashes lie beyond the data.

Charts are transparent and their text has the colour of the page (`currentColor`), so that one chart serves light and
dark pages. Series colours have a contrast of at least 3 to 1 on both and differ for colour-blind readers; the shape
of the points says the same as the colour.
"""

import functools
import inspect
import textwrap

#: What a front end draws; the stock renderers of Altair name another type that nbformat refuses.
MIME = "application/vnd.vegalite.v6+json"

TEXT = "currentColor"
#: Blue, red, green, magenta, amber, slate: at least 3 to 1 on white and on the dark page, and told apart by people
#: who see no red or no green (a test holds both). The last two are for long lists, where the shape must help.
PALETTE = ("#3b6fe0", "#c8372d", "#00a37a", "#d05bb8", "#c9822b", "#4f6a82", "#8a6ad0", "#7a7d2e")
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "triangle-right", "triangle-left")
PRIVATE, SHARED, CEILING, QUIET = PALETTE[0], PALETTE[1], PALETTE[5], "#8a8f98"
#: Work on the sender's own core, waiting or work at a serial station, limit of a device.
RESOURCE_COLOURS = {"private": PRIVATE, "serial": SHARED, "wait": SHARED, "ceiling": CEILING}

WIDTH, HEIGHT = 640, 340
_FONT = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', 'Liberation Sans', Arial, sans-serif"


def theme() -> dict:
    """Vega-Lite configuration of every chart."""
    quiet = {
        "labelColor": TEXT,
        "titleColor": TEXT,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
    }
    return {
        "config": {
            "background": "transparent",
            "font": _FONT,
            "padding": 6,
            "view": {"stroke": None, "continuousWidth": WIDTH, "continuousHeight": HEIGHT},
            "title": {
                "anchor": "start",
                "frame": "bounds",
                "color": TEXT,
                "fontSize": 15,
                "fontWeight": 600,
                "lineHeight": 20,
                "subtitleColor": TEXT,
                "subtitleFontSize": 12,
                "subtitlePadding": 5,
                "offset": 22,
            },
            "axis": {
                **quiet,
                "domainColor": TEXT,
                "domainOpacity": 0.5,
                "tickColor": TEXT,
                "tickOpacity": 0.5,
                "tickSize": 4,
                "gridColor": TEXT,
                "gridOpacity": 0.13,
                "labelPadding": 5,
                "titlePadding": 8,
                "labelOpacity": 0.85,
                "labelSeparation": 4,
            },
            "axisX": {"grid": False},
            "axisY": {
                "domain": False,
                "ticks": False,
                # the unit stands level above the axis, where it can be read
                "titleAngle": 0,
                "titleAlign": "left",
                "titleBaseline": "bottom",
                "titleX": 0,
                "titleY": -7,
            },
            "header": {
                "labelColor": TEXT,
                "labelFontSize": 13,
                "labelFontWeight": 600,
                "labelAnchor": "start",
                "title": None,
            },
            "legend": {**quiet, "orient": "top", "title": None, "symbolStrokeWidth": 2, "labelLimit": 260, "offset": 8},
            "text": {"color": TEXT, "fontSize": 12},
            "rule": {"color": TEXT},
            "range": {"category": list(PALETTE), "symbol": list(SHAPES)},
        }
    }


def chart(build):
    """A chart function: builds without Altair's checks of every property, which would take most of the time.

    The function raises `ValueError` when there is no row to draw. The chart carries its numbers as a table
    (`mpps.charts.numbers`), in `usermeta`.
    """
    names = list(inspect.signature(build).parameters)[1:]

    @functools.wraps(build)
    def quick(rows, *args, **options):
        import altair
        from altair.utils import schemapi

        from mpps.charts.numbers import table_of

        rows = list(rows)
        if not rows:
            raise ValueError(f"{build.__name__}: no rows to draw")
        altair.theme.register("mpps", enable=True)(theme)
        with schemapi.debug_mode(False):
            made = build(rows, *args, **options)
        made.usermeta["mpps"]["table"] = table_of(build.__name__, rows, dict(zip(names, args)) | options)
        return made

    return quick


def layer(rows, mark, **encoding):
    """One Altair layer over plain rows: `mark` is a name or the properties of a mark, channels are Vega-Lite JSON.

    Altair copies everything deeply with each layer and property; pieces that nobody changes are shared instead.
    """
    import altair as alt

    data, piece = _shared_classes()
    channels = {name: channel for name, channel in encoding.items() if channel is not None}
    return alt.Chart(data(values=rows), mark=piece(mark), encoding=piece(channels))


@functools.cache
def _shared_classes():
    import altair as alt

    class Data(alt.InlineData):
        """Rows that copies of the chart share."""

        def __deepcopy__(self, memo=None):
            return self

    class Piece(alt.SchemaBase):
        """A mark or its channels, which copies of the chart share."""

        _schema = True  # the schema that takes anything; Altair makes no object without one

        def __deepcopy__(self, memo=None):
            return self

        def to_dict(self, *_, **__):
            return self._args[0]

    return Data, Piece


def finish(drawn, *, title: str, description: str, key=(), resize: str = "container", room: int = 0):
    """Title that states the finding, the key of what marks mean, and the description that replaces the picture.

    `resize` says how a page fits the chart to its column (`mpps.charts.show.FIT`): "container" sets its width,
    "bars" too, but leaves `room` pixels for names at the left and never goes below what the words need, "children"
    does so for panels above each other, "columns" breaks panels that need `room` pixels into as many columns as fit.
    Long titles are wrapped.
    """
    subtitle = _wrap_items(key, 104)
    heading = {"text": textwrap.wrap(title, 82) or [""], **({"subtitle": subtitle} if subtitle else {})}
    meta = {"mpps": {"resize": resize, "room": room}}
    return drawn.properties(title=heading, description=f"{title} {description}".strip(), usermeta=meta)


def right_end(room: int) -> str:
    """Where a plot ends that leaves `room` pixels for labels, and at least half of the width to itself.

    An expression for the browser, so that the plot follows the page.
    """
    return f"max(width - {room}, width * 0.5)"


def _wrap_items(items, width: int) -> list[str]:
    lines: list[str] = []
    for item in items:
        if lines and len(lines[-1]) + len(item) + 3 <= width:
            lines[-1] += f" · {item}"
        else:
            lines.append(item)
    return lines


def series_colours(names) -> dict[str, str]:
    """A colour for each name; names beyond the palette start it again, with other shapes than before."""
    return {name: PALETTE[index % len(PALETTE)] for index, name in enumerate(names)}


def series_shapes(names) -> dict[str, str]:
    """A shape for each name."""
    return {name: SHAPES[(index + index // len(PALETTE)) % len(SHAPES)] for index, name in enumerate(names)}


def colour(names, field: str = "series") -> dict:
    """Colour channel of a series, without a legend: series are labelled where they end."""
    return _by_name(field, series_colours(names))


def shape(names, field: str = "series") -> dict:
    """Shape channel of a series."""
    return _by_name(field, series_shapes(names))


def ink(colour: str) -> str:
    """Black or white, whichever is easier to read on a colour."""
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return "white" if 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2 < 0.2 else "black"


def text(field: str = "text") -> dict:
    """Text channel."""
    return {"field": field, "type": "nominal"}


def value(number, **more) -> dict:
    """A channel with a fixed value."""
    return {"value": number, **more}


def expr(words: str) -> dict:
    """A value that the browser computes, such as a place that follows the width of the page."""
    return {"expr": words}


def tooltip(**fields: str) -> list[dict]:
    """Tooltip channel: title -> field; underscores of a title are spaces. A field `n` is a number, others are words."""
    return [{"field": field, "type": "nominal", "title": title.replace("_", " ")} for title, field in fields.items()]


def _by_name(field: str, values: dict[str, str]) -> dict:
    scale = {"domain": list(values), "range": list(values.values())}
    return {"field": field, "type": "nominal", "legend": None, "scale": scale}
