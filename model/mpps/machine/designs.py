"""Names of core designs from what /proc/cpuinfo prints, spelled as the shipped cards spell them.

x86 family and model as in the kernel's arch/x86/include/asm/intel-family.h and its AMD code, ARM part numbers as in
arch/arm64/include/asm/cputype.h.
"""

_INTEL = {
    45: "Sandy Bridge-EP",
    62: "Ivy Bridge-EP",
    63: "Haswell",
    79: "Broadwell",
    86: "Broadwell",
    106: "Ice Lake-SP",
    108: "Ice Lake-SP",
    143: "Sapphire Rapids",
    207: "Emerald Rapids",
    173: "Granite Rapids",
    190: "Gracemont",
}
_ALDER_LAKE = (151, 154, 183, 186, 191)  # performance and efficiency cores of one part
# Family -> (first model, last model, design).
_AMD = {
    23: ((0x00, 0x0F, "Zen"), (0x30, 0x3F, "Zen 2"), (0x60, 0x7F, "Zen 2")),
    25: ((0x00, 0x0F, "Zen 3"), (0x10, 0x1F, "Zen 4"), (0x20, 0x5F, "Zen 3"), (0x60, 0x7F, "Zen 4"), (0xA0, 0xAF, "Zen 4")),
    26: ((0x00, 0x7F, "Zen 5"),),
}  # fmt: skip
_ARM = {
    0xD03: "Cortex-A53",
    0xD04: "Cortex-A35",
    0xD05: "Cortex-A55",
    0xD07: "Cortex-A57",
    0xD08: "Cortex-A72",
    0xD09: "Cortex-A73",
    0xD0A: "Cortex-A75",
    0xD0B: "Cortex-A76",
    0xD0C: "Neoverse N1",
    0xD40: "Neoverse V1",
    0xD41: "Cortex-A78",
    0xD49: "Neoverse N2",
    0xD4F: "Neoverse V2",
}
_IN_ORDER = ("Cortex-A53", "Cortex-A35", "Cortex-A55")


def design(info: dict, kind: str) -> tuple[str | None, str | None]:
    """Design and core class of a CPU: its paragraph of /proc/cpuinfo, the kind of core; None where nothing tells.

    A design that has no name here is called by its numbers, so that it equals no other card's.
    """
    if info.get("CPU part"):
        part = _whole(info["CPU part"])
        maker = info.get("CPU implementer", "0x0")
        if _whole(maker) == 0x41 and part in _ARM:
            return _ARM[part], "in-order" if _ARM[part] in _IN_ORDER else "out-of-order"
        return f"ARM implementer {maker}, part {info['CPU part']}", None
    vendor, family, model = info.get("vendor_id"), _whole(info.get("cpu family")), _whole(info.get("model"))
    if family is None or model is None:
        return None, None
    if vendor == "GenuineIntel" and family == 6:
        return _intel(model, _whole(info.get("stepping")) or 0, kind), "out-of-order"
    if vendor == "AuthenticAMD":
        found = (name for first, last, name in _AMD.get(family, ()) if first <= model <= last)
        return next(found, f"AMD family {family}, model {model}"), "out-of-order"
    return f"{vendor or 'x86'} family {family}, model {model}", None


def _intel(model: int, stepping: int, kind: str) -> str:
    if model in _ALDER_LAKE:
        return "Gracemont" if kind == "efficiency" else "Golden Cove" if model in (151, 154) else "Raptor Cove"
    if model == 85:
        return "Skylake-SP" if stepping < 5 else "Cascade Lake" if stepping < 10 else "Cooper Lake"
    return _INTEL.get(model, f"Intel family 6, model {model}")


def _whole(text: str | None) -> int | None:
    try:
        return int(text or "", 0)
    except ValueError:
        return None
