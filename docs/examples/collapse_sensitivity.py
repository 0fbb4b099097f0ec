"""Cores at the peak by section and coalescing. .venv/bin/python docs/examples/collapse_sensitivity.py [OUT.parquet]"""

import pathlib
import sys

import mpps

if __name__ == "__main__":
    out = sys.argv[1] if len(sys.argv) > 1 else "collapse_sensitivity.parquet"
    table = mpps.sweep(pathlib.Path(__file__).with_suffix(".yaml"), out=out).frame()
    print(table.pivot("coalescing", index="section_ns", values="peak_cores"))
