"""Sockets, cores, threads and clusters of a host, from what its kernel says of each CPU."""

from collections import Counter
from dataclasses import dataclass

from mpps.errors import unknown_name
from mpps.machine.system import Cpu, System

_INTEL = {"core": "performance", "atom": "efficiency", "lowpower": "low-power"}


@dataclass(frozen=True)
class Shape:
    """Where each CPU of one kind of core sits: `core`, `cluster` and `socket` map CPU number -> label.

    cluster_cache names what a cluster shares; empty when no cache is shared by more than one core.
    """

    cpus: tuple[Cpu, ...]
    core: dict[int, int]
    cluster: dict[int, int]
    socket: dict[int, int]
    cluster_cache: str

    def counts(self, of: dict[int, int], within: dict[int, int]) -> list[int]:
        """How many labels of `of` each label of `within` holds, the most common number first."""
        pairs = {(within[cpu.number], of[cpu.number]) for cpu in self.cpus}
        return [size for size, _ in Counter(Counter(outer for outer, _ in pairs).values()).most_common()]

    @property
    def sockets(self) -> int:
        """Sockets with a CPU of this kind."""
        return len(set(self.socket.values()))


def kinds_of_core(system: System) -> dict[str, tuple[Cpu, ...]]:
    """Kinds of core by name, the fastest first; one kind has the name ``""``."""
    kinds = {_INTEL[name]: numbers for name, numbers in system.kinds.items()}
    found = {name: tuple(cpu for cpu in system.cpus if cpu.number in numbers) for name, numbers in kinds.items()}
    found = {name: cpus for name, cpus in found.items() if cpus}
    if len(found) > 1:
        return found
    if any(cpu.capacity is None for cpu in system.cpus):
        return {"": system.cpus}
    groups: list[list[Cpu]] = []
    for cpu in sorted(system.cpus, key=lambda cpu: -cpu.capacity):
        # Favoured cores of one kind differ by some percent.
        if not groups or cpu.capacity < 0.85 * groups[-1][0].capacity:
            groups.append([])
        groups[-1].append(cpu)
    if len(groups) < 2:
        return {"": system.cpus}
    names = {2: ("performance", "efficiency"), 3: ("performance", "middle", "efficiency")}
    named = names.get(len(groups), tuple(f"capacity {group[0].capacity}" for group in groups))
    return {name: tuple(sorted(group, key=lambda cpu: cpu.number)) for name, group in zip(named, groups)}


def chosen_kind(system: System, kind: str | None) -> tuple[str, tuple[Cpu, ...], dict]:
    """The kind of core that was asked for or the fastest, its CPUs, and all kinds; raises `UnknownNameError`."""
    kinds = kinds_of_core(system)
    if kind is not None and kind not in kinds:
        raise unknown_name("kind of core", kind, [name for name in kinds if name] or ["one kind only, leave it out"])
    name = next(iter(kinds)) if kind is None else kind
    return name, kinds[name], kinds


def shape_of(cpus: tuple[Cpu, ...]) -> Shape:
    """Where the CPUs sit: a cluster is the smallest group of more than one core that shares a cache."""
    numbers = {cpu.number for cpu in cpus}
    core = {cpu.number: min(cpu.siblings & numbers, default=cpu.number) for cpu in cpus}
    if not any(cpu.siblings for cpu in cpus):
        core |= _cores_by_cpuinfo(cpus)
    socket = {cpu.number: cpu.package for cpu in cpus}
    cluster, name = _clusters(cpus, core)
    # A cache that spans sockets is a slip of a hypervisor: no socket is smaller than a cluster.
    if any(len({socket[n] for n in cluster if cluster[n] == label}) > 1 for label in set(cluster.values())):
        cluster, name = dict(socket), ""
    return Shape(cpus, core, cluster, socket, name)


def _clusters(cpus: tuple[Cpu, ...], core: dict[int, int]) -> tuple[dict[int, int], str]:
    numbers = set(core)

    def wide(group) -> bool:
        return len({core[number] for number in group & numbers}) > 1

    levels = sorted({cache.level for cpu in cpus for cache in cpu.caches})
    for level in levels:
        own = {cpu.number: next((c for c in cpu.caches if c.level == level), None) for cpu in cpus}
        if any(cache and wide(cache.cpus) for cache in own.values()):
            size = next((cache.size for cache in own.values() if cache and cache.size), "")
            groups = {n: min((c.cpus if c else frozenset([n])) & numbers) for n, c in own.items()}
            return groups, f"L{level} of the cluster{', ' + size if size else ''}"
    named = {cpu.number: min(cpu.cluster & numbers, default=cpu.number) for cpu in cpus}
    if not any(cpu.caches for cpu in cpus) and any(wide(cpu.cluster) for cpu in cpus):
        return named, "cluster that the kernel names; its cache is not"
    return {cpu.number: cpu.package for cpu in cpus}, ""


def _cores_by_cpuinfo(cpus: tuple[Cpu, ...]) -> dict[int, int]:
    """Cores by `core id` of /proc/cpuinfo, for kernels that show no topology files."""
    ids = [(cpu.package, cpu.info.get("core id")) for cpu in cpus]
    if any(core is None for _, core in ids):
        return {}
    first = {}
    return {cpu.number: first.setdefault(key, cpu.number) for cpu, key in zip(cpus, ids)}
