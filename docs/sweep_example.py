"""A sweep over machines, sets of locks and core counts, as CSV on stdout: where do more senders stop to pay?

.venv/bin/python docs/sweep_example.py > sweep.csv
"""

import csv
import signal
import sys

import mpps

MACHINES = (None, "epyc_9654", "xeon_8375c_2s", "intel_n100")
VARIANTS = ("both locks", "ppp lock only", "no lock")
COLUMNS = ("machine", "variant", "n", "lower", "median", "upper", "unit", "extrapolated", "hypothetical")

if hasattr(signal, "SIGPIPE"):  # `| head` ends the sweep without a word
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)

path = mpps.load_path("pppoe_receive")
writer = csv.DictWriter(sys.stdout, COLUMNS, extrasaction="ignore", lineterminator="\n")
writer.writeheader()
for machine in MACHINES:  # None is the machine that was measured
    for variant in VARIANTS:
        forecast = mpps.predict(path, (1, 2, 4, 8, 16, 32, 64), variant=variant, machine=machine)
        writer.writerows(forecast.rows())
