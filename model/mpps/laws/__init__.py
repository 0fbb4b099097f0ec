"""Closed-form laws: how a rate grows with senders, what bounds it, what a packet may cost.

Every function takes scalars or arrays and broadcasts.
It answers with floats, inf where a quantity is unbounded, never NaN.
An argument outside the law's domain, or a question that has no answer, raises `MppsError`.
`law(name)` gives the SymPy side: formulas, symbols with units, source.
"""

from mpps.laws.bounds import (
    balanced_lower_pps,
    balanced_upper_pps,
    bound_knee_n,
    lower_bound_pps,
    smooth_bound_pps,
    smooth_minimum,
    upper_bound_pps,
)
from mpps.laws.packets import (
    budget_ns,
    coalesced_time_ns,
    coalescing_break_even,
    coalescing_gain_ns,
    cores_needed,
    critical_coalescing,
)
from mpps.laws.scaling import (
    amdahl,
    amdahl_contention,
    amdahl_efficiency,
    amdahl_half_efficiency_n,
    amdahl_limit,
    amdahl_n_for_speedup,
    critical_section_limit,
    critical_section_speedup,
    critical_section_time,
    gustafson,
    gustafson_amdahl_contention,
    gustafson_efficiency,
    gustafson_n_for_speedup,
)
from mpps.laws.universal import (
    Overhead,
    usl,
    usl_contention_limit,
    usl_contention_point,
    usl_efficiency,
    usl_half_efficiency_n,
    usl_knee,
    usl_n_for_rate,
    usl_n_for_response_time,
    usl_overhead,
    usl_peak_n,
    usl_peak_rate,
    usl_rate_for_response_time,
    usl_response_time,
    usl_response_time_for_rate,
)

__all__ = [
    "Overhead",
    "amdahl",
    "amdahl_contention",
    "amdahl_efficiency",
    "amdahl_half_efficiency_n",
    "amdahl_limit",
    "amdahl_n_for_speedup",
    "balanced_lower_pps",
    "balanced_upper_pps",
    "bound_knee_n",
    "budget_ns",
    "coalesced_time_ns",
    "coalescing_break_even",
    "coalescing_gain_ns",
    "cores_needed",
    "critical_coalescing",
    "critical_section_limit",
    "critical_section_speedup",
    "critical_section_time",
    "gustafson",
    "gustafson_amdahl_contention",
    "gustafson_efficiency",
    "gustafson_n_for_speedup",
    "law",
    "lower_bound_pps",
    "smooth_bound_pps",
    "smooth_minimum",
    "upper_bound_pps",
    "usl",
    "usl_contention_limit",
    "usl_contention_point",
    "usl_efficiency",
    "usl_half_efficiency_n",
    "usl_knee",
    "usl_n_for_rate",
    "usl_n_for_response_time",
    "usl_overhead",
    "usl_peak_n",
    "usl_peak_rate",
    "usl_rate_for_response_time",
    "usl_response_time",
    "usl_response_time_for_rate",
]


def law(name: str):
    """The SymPy side of a law (`mpps.symbolic.Law`): expression, derived forms, symbols, source, LaTeX, MathML.

    Names: amdahl, gustafson, usl, critical_sections, smooth_minimum, asymptotic, balanced, coalescing, line_rate.
    Raises `UnknownNameError`. Imports SymPy on the first call.
    """
    from mpps.errors import unknown_name
    from mpps.symbolic import LAWS

    if name not in LAWS:
        raise unknown_name("law", name, LAWS)
    return LAWS[name]
