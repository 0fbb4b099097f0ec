"""The laws as SymPy expressions, for showing formulas and for generating `laws_generated.py`.

Nothing at run time needs this package: import it where a formula is shown.
"""

from mpps.symbolic import packets, scaling
from mpps.symbolic.form import Form, Law, Quantity

__all__ = ["LAWS", "Form", "Law", "Quantity"]

#: Every law by name.
LAWS: dict[str, Law] = {
    law.name: law
    for law in (
        scaling.amdahl(),
        scaling.gustafson(),
        scaling.usl(),
        scaling.critical_sections(),
        packets.smooth_minimum(),
        packets.asymptotic(),
        packets.balanced(),
        packets.coalescing(),
        packets.line_rate(),
    )
}
