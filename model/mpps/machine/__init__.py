"""What a code path runs on: counts, clocks, line transfers, device; every number cited, assumed, or missing.

`load_machine("epyc_9654")` reads a card of `data/machines/`.
The functions here turn a card into random draws: facts stay fixed, assumed and missing numbers vary over their
90 % range, and every number that was not a fact is returned as an `Assumption` so that an answer can list it.
"""

from mpps.machine.cards import LINE_CLASSES, CostSet, Machine, Quantity, load_machine, machine_from_text, machines
from mpps.machine.clocks import clock_ghz
from mpps.machine.draws import Assumption, Streams, draw_quantity
from mpps.machine.lines import line_transfer_ns
from mpps.machine.relative import (
    memory_share,
    relative_core_speed,
    relative_line_transfer,
    relative_work_time,
    sender_speed,
)
from mpps.machine.topology import PLACEMENTS, class_shares, core_counts, cross_share, has_cores

__all__ = [
    "LINE_CLASSES",
    "PLACEMENTS",
    "Assumption",
    "CostSet",
    "Machine",
    "Quantity",
    "Streams",
    "class_shares",
    "clock_ghz",
    "core_counts",
    "cross_share",
    "draw_quantity",
    "has_cores",
    "line_transfer_ns",
    "load_machine",
    "machine_from_text",
    "machines",
    "memory_share",
    "relative_core_speed",
    "relative_line_transfer",
    "relative_work_time",
    "sender_speed",
]
