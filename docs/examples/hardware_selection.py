"""Which machine carries the load, with how many cores? .venv/bin/python docs/examples/hardware_selection.py [OUT.parquet]"""

import pathlib
import sys

import mpps

if __name__ == "__main__":
    out = sys.argv[1] if len(sys.argv) > 1 else "hardware_selection.parquet"
    table = mpps.sweep(pathlib.Path(__file__).with_suffix(".yaml"), out=out).frame()
    for row in table.filter(load=5e6).sort("cores_for_load", nulls_last=True).iter_rows(named=True):
        print(
            f"{row['variant']:12}{row['machine']:22}{row['cores_for_load'] or 'not enough'} cores, carried with {row['carried']:.0%}"
        )
