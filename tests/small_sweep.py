"""A small sweep that tests kill: its spec, and the script that runs it."""

from samples import ROOT

#: 4,800 scenarios of a closed network: with small chunks, some tens of parts in a second.
SPEC = {
    "network": "hump",
    "cores": "1-8",
    "parameters": {
        "private_ns": {"distribution": "lognormal", "lower": 300, "upper": 900, "draws": 40},
        "section_ns": {"from": 20, "to": 100, "steps": 60},
        "handoff_peak_ns": [30, 60],
        "handoff_depth": 3,
    },
    "outputs": ["peak_cores", "peak_rate"],
}
DRIVER = ROOT / "tests" / "sweep_driver.py"
