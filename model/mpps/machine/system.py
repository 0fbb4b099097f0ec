"""What the kernel says of the CPUs of a host: read from /sys and /proc, or from a saved copy of them.

Nothing has to be there: containers hide files, guests leave them out, offline CPUs have none. What is missing stays
None or empty.
"""

import pathlib
import re
from dataclasses import dataclass, field

from mpps.errors import DataError

#: How to save what `read_system` reads. /proc shows no sizes, so that tar would store nothing of it; files of /sys are
#: padded with zeros, which are dropped again.
SAVE = (
    "cat /proc/cpuinfo > cpuinfo; tar --ignore-failed-read -cf host.tar cpuinfo /sys/devices/system/cpu"
    " /sys/devices/system/node /sys/devices/cpu_* /sys/class/net/*/speed /sys/class/net/*/device/uevent 2> /dev/null"
)
_RANGE = re.compile(r"(\d+)(?:-(\d+))?\Z")
_CPU = re.compile(r"cpu(\d+)\Z")


@dataclass(frozen=True)
class Cache:
    """A cache of one CPU and the CPUs that share it."""

    level: int
    size: str
    cpus: frozenset[int]


@dataclass(frozen=True)
class Cpu:
    """One CPU that is online; what the kernel does not say is None, clocks are in GHz."""

    number: int
    package: int = 0
    siblings: frozenset[int] = frozenset()  # CPUs of the same core, itself included; empty when not shown
    caches: tuple[Cache, ...] = ()
    cluster: frozenset[int] = frozenset()
    highest: float | None = None
    base: float | None = None
    capacity: int | None = None
    info: dict = field(default_factory=dict)  # its paragraph of /proc/cpuinfo


@dataclass(frozen=True)
class System:
    """A host as its kernel shows it."""

    cpus: tuple[Cpu, ...]
    offline: tuple[int, ...]
    numa_nodes: int | None
    vulnerabilities: dict[str, str]
    kinds: dict[str, frozenset[int]]  # Intel's names of core kinds -> CPUs
    model: str
    turbo_off: bool
    clock_driver: str
    devices: tuple[dict, ...]  # name, driver, pci, gbit (None when unknown)

    @property
    def guest(self) -> bool:
        """Whether the CPU says that a hypervisor runs it."""
        return any("hypervisor" in cpu.info.get("flags", "").split() for cpu in self.cpus)


def read_system(folder: pathlib.Path | str = "/") -> System:
    """The host whose /sys and /proc are below `folder`. Raises `DataError` when neither speaks of a CPU."""
    root = pathlib.Path(folder)
    if not root.is_dir():
        raise DataError(f"{root}: no such folder; expected a saved /sys and /proc, as made with: {SAVE}")
    sys_ = next((each for each in (root / "sys", root) if (each / "devices" / "system" / "cpu").is_dir()), root / "sys")
    infos = _cpuinfo(next((t for p in ("proc/cpuinfo", "cpuinfo") if (t := _text(root / p))), ""))
    base = sys_ / "devices" / "system" / "cpu"
    online, offline = _online(base, infos)
    if not online:
        raise DataError(
            f"{root}: neither sys/devices/system/cpu nor proc/cpuinfo speaks of a CPU; "
            f"run it on the Linux host, or give the folder of a saved tree, as made with: {SAVE}"
        )
    model = _text(sys_ / "firmware/devicetree/base/model") or _text(root / "proc/device-tree/model") or ""
    no_turbo = _text(base / "intel_pstate/no_turbo") == "1" or _text(base / "cpufreq/boost") == "0"
    return System(
        tuple(_cpu(base / f"cpu{number}", number, infos.get(number, {}), frozenset(online)) for number in online),
        tuple(offline),
        _numa_nodes(sys_ / "devices" / "system" / "node"),
        {file.name: text for file in _listed(base / "vulnerabilities") if (text := _text(file))},
        {
            name: frozenset(cpus)
            for name in ("core", "atom", "lowpower")
            if (cpus := cpu_list(_text(sys_ / "devices" / f"cpu_{name}" / "cpus")))
        },
        model or next((infos[n].get("model name", "") for n in sorted(infos)), ""),
        no_turbo,
        next((text for n in online if (text := _text(base / f"cpu{n}" / "cpufreq" / "scaling_driver"))), ""),
        _devices(sys_ / "class" / "net"),
    )


def cpu_list(text: str | None) -> list[int]:
    """`0-3,8` as [0, 1, 2, 3, 8]; what is no such list is empty."""
    found = []
    for part in (text or "").split(","):
        match = _RANGE.match(part.strip())
        if match:
            first, last = int(match[1]), int(match[2] or match[1])
            found += range(first, min(last, first + 65536) + 1)
    return sorted(set(found))


def _text(path: pathlib.Path) -> str | None:
    """A file's text without padding, None when it is empty or cannot be read."""
    try:
        return path.read_bytes().replace(b"\0", b"").decode("utf-8", "replace").strip() or None
    except (OSError, ValueError):
        return None


def _listed(folder: pathlib.Path) -> list[pathlib.Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _whole(path: pathlib.Path) -> int | None:
    text = _text(path)
    return int(text) if text and re.fullmatch(r"-?\d{1,15}", text) else None


def _cpuinfo(text: str) -> dict[int, dict]:
    """Paragraphs of /proc/cpuinfo by processor."""
    found = {}
    for paragraph in re.split(r"\n\s*\n", text):
        lines = (line.partition(":") for line in paragraph.splitlines())
        fields = {key.strip(): value.strip() for key, colon, value in lines if colon}
        if fields.get("processor", "").isdigit():
            found[int(fields["processor"])] = fields
    return found


def _online(base: pathlib.Path, infos: dict) -> tuple[list[int], list[int]]:
    """CPUs that run and CPUs that are there but offline."""
    there = sorted(int(match[1]) for each in _listed(base) if (match := _CPU.match(each.name)))
    online = cpu_list(_text(base / "online")) or sorted(infos) or there
    off = set(there) | set(cpu_list(_text(base / "present")))
    down = {number for number in online if _text(base / f"cpu{number}" / "online") == "0"}
    online = [number for number in online if number not in down]
    return online, sorted((off | down) - set(online))


def _cpu(folder: pathlib.Path, number: int, info: dict, online: frozenset) -> Cpu:
    topology, clocks = folder / "topology", folder / "cpufreq"
    package = _whole(topology / "physical_package_id")
    if package is None:
        package = int(info["physical id"]) if info.get("physical id", "").isdigit() else 0
    siblings = cpu_list(_text(topology / "core_cpus_list") or _text(topology / "thread_siblings_list"))
    caches = []
    for index in _listed(folder / "cache"):
        level, kind = _whole(index / "level"), _text(index / "type")
        sharing = frozenset(cpu_list(_text(index / "shared_cpu_list"))) & online
        if level and kind != "Instruction" and number in sharing:
            caches.append(Cache(level, _text(index / "size") or "", sharing))
    nominal = _whole(folder / "acpi_cppc" / "nominal_freq")
    return Cpu(
        number,
        max(package, 0),  # ARM guests have -1
        (frozenset(siblings) & online) | {number} if siblings else frozenset(),
        tuple(sorted(caches, key=lambda cache: cache.level)),
        frozenset(cpu_list(_text(topology / "cluster_cpus_list"))) & online,
        _ghz(_whole(clocks / "cpuinfo_max_freq"), 1e6),
        _ghz(_whole(clocks / "base_frequency"), 1e6) or _ghz(nominal, 1e3),
        _whole(folder / "cpu_capacity"),
        info,
    )


def _ghz(value: int | None, unit: float) -> float | None:
    """A clock that can be one; guests and some firmware print 0 or nonsense."""
    return value / unit if value and 0.05 <= value / unit <= 8 else None


def _numa_nodes(folder: pathlib.Path) -> int | None:
    nodes = [each for each in _listed(folder) if re.fullmatch(r"node\d+", each.name)]
    return sum(bool(cpu_list(_text(node / "cpulist"))) for node in nodes) or None


def _devices(folder: pathlib.Path) -> tuple[dict, ...]:
    """Network devices with hardware behind them, the fastest first."""
    found = []
    for each in _listed(folder):
        uevent = _text(each / "device" / "uevent")
        if each.name == "lo" or not (uevent or (each / "device").exists()):
            continue
        lines = dict(line.partition("=")[::2] for line in (uevent or "").splitlines())
        speed = _whole(each / "speed")
        gbit = speed / 1000 if speed and 0 < speed < 3_200_000 else None
        found.append({"name": each.name, "driver": lines.get("DRIVER"), "pci": lines.get("PCI_ID"), "gbit": gbit})
    return tuple(sorted(found, key=lambda device: (-(device["gbit"] or 0), device["name"])))
