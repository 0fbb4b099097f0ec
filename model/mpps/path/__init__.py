"""What a code path is, and how it becomes the numbers of one closed network.

A stage is one piece of work with a demand, a formula in the parameters, placed on the sender's own core, on the
serial station, or as a ceiling. A variant says which stages a build of the kernel has. Mechanisms compete to explain
the same table. Together with parameter values they compile to think time, section and ceiling (`network`).
"""

from mpps.path.compile import (
    Demand,
    Lap,
    active_parameters,
    demands,
    lap,
    laps_per_ns,
    rate_pps,
    sections,
    under_ceiling,
)
from mpps.path.formula import evaluate, formula
from mpps.path.nouns import (
    CEILING,
    CORE,
    ROLES,
    STATION,
    Check,
    CodePath,
    Mechanism,
    Parameter,
    Prior,
    Scope,
    Stage,
    Variant,
    handoff_parameters,
    pinned,
    without_stage,
)

__all__ = [
    "CEILING",
    "CORE",
    "ROLES",
    "STATION",
    "Check",
    "CodePath",
    "Demand",
    "Lap",
    "Mechanism",
    "Parameter",
    "Prior",
    "Scope",
    "Stage",
    "Variant",
    "active_parameters",
    "demands",
    "evaluate",
    "formula",
    "handoff_parameters",
    "lap",
    "laps_per_ns",
    "pinned",
    "rate_pps",
    "sections",
    "under_ceiling",
    "without_stage",
]
