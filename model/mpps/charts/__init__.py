"""Charts that explain: what limits, what a packet costs, how far it scales, and how much of it to believe.

Every function takes plain rows (lists of dicts) and a title that states the finding, and returns an Altair chart.
`use()` makes notebooks show them; `to_svg`, `to_png` and `save` make files.
"""

from mpps.charts.board import coverage, error_distribution, forecast_case, sharpness
from mpps.charts.busy import utilisation
from mpps.charts.change import change_case
from mpps.charts.checks import holdout, profile, residuals
from mpps.charts.cost import budget, packet_cost
from mpps.charts.depth import handoff, queue_depth, whatif_gain
from mpps.charts.heldout import left_out
from mpps.charts.lever import lever
from mpps.charts.needed import cores_needed
from mpps.charts.rates import machine_comparison, overview, scaling
from mpps.charts.regions import limit_map
from mpps.charts.show import FIT, save, spec, to_png, to_svg, use
from mpps.charts.style import MIME
from mpps.charts.values import mechanism_weights, parameter_intervals, sensitivity

__all__ = [
    "FIT",
    "MIME",
    "budget",
    "change_case",
    "cores_needed",
    "coverage",
    "error_distribution",
    "forecast_case",
    "handoff",
    "holdout",
    "left_out",
    "lever",
    "limit_map",
    "machine_comparison",
    "mechanism_weights",
    "overview",
    "packet_cost",
    "parameter_intervals",
    "profile",
    "queue_depth",
    "residuals",
    "save",
    "scaling",
    "sensitivity",
    "sharpness",
    "spec",
    "to_png",
    "to_svg",
    "use",
    "utilisation",
    "whatif_gain",
]
