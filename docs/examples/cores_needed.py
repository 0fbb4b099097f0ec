"""Cores that a rate needs on each machine, and what binds there. .venv/bin/python docs/examples/cores_needed.py"""

import mpps
from mpps.capacity import cheapest, needed

PRICES = {"intel_n100": 200, "ryzen_9_7950x": 1500, "xeon_8375c_2s": 6000}  # put yours

if __name__ == "__main__":
    path = mpps.load_path("pppoe_receive")
    for variant in ("both locks", "no lock"):
        answers = needed(path, 5e6, PRICES, variants=[variant])  # 5 million packets of 1492 bytes a second
        print(f"{variant}:")
        for one in answers:
            cores = f"{one.enough} of {one.cpus} CPUs" if one.enough else f"not with any of {one.cpus} CPUs"
            device = "" if one.device_carries else "; its network device is too slow"
            print(f"  {one.machine.slug:15}{cores:27}carried in {one.p:4.0%} of the draws; {one.limit} binds{device}")
        best = cheapest(answers, PRICES)
        print(f"  cheapest that suffices: {best.machine.slug if best else 'none of these'}")
