"""Where a panel of curves draws: domains, ticks, titles and pixels."""

import dataclasses

from mpps.charts import layout, style


@dataclasses.dataclass(frozen=True)
class Axes:
    """Where a panel draws: domains, ticks, titles, and pixels."""

    x_domain: tuple[float, float]
    x_ticks: list | None
    x_title: str
    y_domain: tuple[float, float]
    y_ticks: list | None
    y_title: str
    log_x: bool = True
    log_y: bool = True
    y_format: str = ""
    width: int = style.WIDTH
    height: int = style.HEIGHT
    gutter: int = 0  # pixels at the right for labels
    fixed: bool = False  # a panel in columns keeps its width
    lifted: bool = False  # the vertical title stands above the words of `rule`

    def x(self, field: str = "x") -> dict:
        """Channel of the horizontal position."""
        scale = {"domain": list(self.x_domain), "range": [0, self._right], "nice": False}
        scale |= {"type": "log", "base": 2} if self.log_x else {"zero": False}
        ticks = (
            {"values": self.x_ticks, "format": "d"}
            if self.x_ticks
            else {"tickCount": max(3, self.width // 75), "format": ",~r"}
        )
        axis = {"title": self.x_title or None, **ticks}
        return {"field": field, "type": "quantitative", "scale": scale, "axis": axis}

    def y(self, field: str = "median") -> dict:
        """Channel of the vertical position."""
        scale = {"domain": list(self.y_domain), "nice": False, **({"type": "log"} if self.log_y else {"zero": False})}
        ticks = {"values": self.y_ticks} if self.y_ticks else {"tickCount": max(3, self.height // 50)}
        form = self.y_format or ("~s" if self.y_domain[1] >= 1e5 else ",~r")
        axis = {"title": self.y_title or None, "format": form, **ticks, **({"titleY": -23} if self.lifted else {})}
        return {"field": field, "type": "quantitative", "scale": scale, "axis": axis}

    def label_x(self, offset: float) -> dict:
        """Channel of a fixed place beside the plot."""
        right = self._right
        return style.value(right + offset if self.fixed else style.expr(f"{right['expr']} + {offset}"))

    def floor(self, value):
        """A value inside the domain: a log scale turns an area that ends at zero into a flat line, without a word."""
        return None if value is None else min(max(value, self.y_domain[0]), self.y_domain[1])

    @property
    def _right(self):
        return self.width - self.gutter if self.fixed else style.expr(style.right_end(self.gutter))


def linear_axes(rows, *, x_title: str, y_title: str, x_ticks=None, floor: float = 0.0, **options) -> Axes:
    """Axes with two even scales that hold all of `rows` (fields x, median, lower, upper, observed) and `floor`."""
    values = [row.get(key) for row in rows for key in ("median", "lower", "upper", "observed")]
    values = [value for value in values if value is not None] or [1.0]
    xs = [row["x"] for row in rows] or [0, 1]
    low, high = min(floor, *values), max(floor, *values)
    pad = 0.06 * ((high - low) or 1.0)
    domain = (low if low == floor else low - pad, high if high == floor else high + pad)
    x_domain = (min(xs), max(xs) if max(xs) > min(xs) else min(xs) + 1)
    return Axes(x_domain, x_ticks, x_title, domain, None, y_title, False, False, **options)


def cores_axes(rows, *, y_title: str, x_title: str = "cores", log_y: bool = True, **options) -> Axes:
    """Axes over core counts that hold all of `rows` (fields x, median, lower, upper, observed)."""
    counts = [row["x"] for row in rows]
    marked = [row["x"] for row in rows if row.get("observed") is not None]
    central = [row.get(key) for row in rows for key in ("median", "observed")]
    ends = [row.get(key) for row in rows for key in ("lower", "upper")]
    if log_y:
        # the end of a band far beyond the data may leave the panel; medians and points never do
        low, high = layout.log_domain(central, 1.0)
        domain = layout.log_domain([low, high, *(end for end in ends if end and low / 3 <= end <= high * 3)], 1.06)
        ticks = layout.log_ticks(*domain)
    else:
        values = [value for value in (*central, *ends) if value is not None]
        domain, ticks = (min([0, *values]) * 1.05, max([*values, 1e-9]) * 1.06), None
    low, high = min(counts, default=1), max(counts, default=2)
    x_domain = (low / 1.06, max(high, low + 1) * 1.04)
    return Axes(
        x_domain,
        layout.core_ticks([*(marked or counts), low], high),
        x_title,
        domain,
        ticks,
        y_title,
        True,
        log_y,
        **options,
    )
