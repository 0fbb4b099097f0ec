"""A card of the user's own machine: what the kernel and a matrix of latencies say, and how to find the rest."""

import pathlib

import numpy as np

from mpps.errors import DataError
from mpps.machine.cards import machine_from_text
from mpps.machine.designs import design
from mpps.machine.domains import Domains, Spread, domains_by_gaps, transfers
from mpps.machine.matrix import read_matrix
from mpps.machine.shape import Shape, chosen_kind, shape_of
from mpps.machine.system import System, read_system
from mpps.machine.writing import Draft

MATRIX = "run core-to-core-latency --csv > m.csv on the idle machine, then: mpps machine detect --core-to-core m.csv"


def detect(
    folder: pathlib.Path | str | None = "/",
    *,
    matrix: pathlib.Path | str | None = None,
    kind: str | None = None,
    nic: str | None = None,
) -> str:
    """The text of a card that `load_machine` takes as it is.

    folder: where sys/ and proc/ are; None takes nothing from a kernel and the topology from the matrix.
    matrix: CSV of core-to-core latencies; kind: of a hybrid part the kind of core, the fastest when left out;
    nic: name of the network device, the fastest when left out. Raises `DataError` for a file that cannot be taken, and
    for a matrix that is of another machine than `folder`.
    """
    if folder is None and matrix is None:
        raise DataError("nothing to read: give --core-to-core FILE.csv, or the folder of a saved /sys and /proc")
    draft = Draft()
    values = None if matrix is None else read_matrix(matrix)
    if folder is None:
        domains = domains_by_gaps(values)
        _nothing_of_the_kernel(draft, domains, pathlib.Path(matrix).name)
        found = transfers(values, domains)
    else:
        system = read_system(folder)
        name, cpus, kinds = chosen_kind(system, kind)
        shape = shape_of(cpus)
        _about(draft, system, shape, name, kinds)
        _topology(draft, system, shape)
        _clocks(draft, system, shape)
        _device(draft, system, nic)
        found = {} if values is None else transfers(*_placed(values, system, shape, pathlib.Path(matrix).name))
    _transfers(draft, found, None if matrix is None else pathlib.Path(matrix).name)
    text = draft.text()
    machine_from_text("detected.yaml", text)
    return text


def _placed(values: np.ndarray, system: System, shape: Shape, file: str) -> tuple[np.ndarray, Domains]:
    """The rows of the matrix that are CPUs of the shape, and where they sit."""
    online = [cpu.number for cpu in system.cpus]
    mine = [cpu.number for cpu in shape.cpus]
    cores = sorted(set(shape.core.values()))
    if len(values) == len(online):
        rows, numbers = [online.index(number) for number in mine], mine
    elif len(values) == len(cores) and len(mine) == len(online):
        rows, numbers = list(range(len(cores))), cores  # measured with one thread of each core
    else:
        raise DataError(
            f"{file}: {len(values)} CPUs, but {len(online)} are online on this machine ({len(cores)} cores): expected "
            "one row for each; give the matrix's host with --sysfs DIR, or --sysfs none to find the topology from "
            "the matrix itself"
        )
    # Clusters are labelled by a CPU of theirs; without a shared cache the label is the socket's.
    cluster = [(shape.socket[number], shape.cluster[number]) for number in numbers]
    labels = {label: index for index, label in enumerate(dict.fromkeys(cluster))}
    domains = Domains(
        np.array([shape.core[number] for number in numbers]),
        np.array([labels[label] for label in cluster]),
        np.array([shape.socket[number] for number in numbers]),
    )
    return values[np.ix_(rows, rows)], domains


def _about(draft: Draft, system: System, shape: Shape, kind: str, kinds: dict) -> None:
    info = shape.cpus[0].info
    draft.sources["sysfs"] = "/sys/devices/system of the host, read by mpps machine detect"
    draft.sources["cpuinfo"] = "/proc/cpuinfo of the host, read by mpps machine detect"
    name, core_class = design(info, kind)
    model = system.model or name or "machine without a model name"
    draft.title = f"{model}{', ' + kind + ' cores' if kind else ''}"
    if name and system.guest:
        why = "as the hypervisor shows it to the guest; the host may have another"
        draft.fact("microarchitecture", name, "cpuinfo", why=why)
    else:
        draft.fact("microarchitecture", name, "cpuinfo", missing="/proc/cpuinfo names no model; see the data sheet")
    draft.fact("core_class", core_class, "cpuinfo", missing="write in-order or out-of-order; see the data sheet")
    state = [f"{key}: {text}" for key, text in system.vulnerabilities.items() if text != "Not affected"]
    words = "; ".join(state) or (
        "none: every listed vulnerability is 'Not affected'" if system.vulnerabilities else None
    )
    draft.fact("mitigations", words, "sysfs", missing="see /sys/devices/system/cpu/vulnerabilities")
    if system.guest:
        draft.notes.append("This is a guest: topology, caches and clocks are what the hypervisor shows.")
    if system.offline:
        number = len(system.offline)
        draft.notes.append(f"{number} {'CPU is' if number == 1 else 'CPUs are'} offline and not counted.")
    for other, cpus in kinds.items():
        if other != kind:
            draft.notes.append(
                f"The machine also has {len(cpus)} CPUs of the kind {other}; a card has one kind of core: "
                f"mpps machine detect --kind {other}"
            )


def _topology(draft: Draft, system: System, shape: Shape) -> None:
    own = {cpu.number: cpu.number for cpu in shape.cpus}
    draft.count("topology.sockets", [shape.sockets], "sysfs")
    draft.count("topology.cores_per_socket", shape.counts(shape.core, shape.socket), "sysfs")
    draft.count("topology.threads_per_core", shape.counts(own, shape.core), "sysfs")
    alone = "no cache is shared by more than one core and fewer than a socket, as far as the kernel shows"
    clusters = shape.counts(shape.core, shape.cluster) if shape.cluster_cache else []
    draft.count("topology.cluster_cores", clusters, "sysfs", missing=alone)
    draft.fact("topology.cluster_cache", shape.cluster_cache or None, "sysfs", missing=alone)
    if system.numa_nodes:
        draft.count("topology.numa_nodes", [system.numa_nodes], "sysfs")


def _clocks(draft: Draft, system: System, shape: Shape) -> None:
    highest = max((cpu.highest for cpu in shape.cpus if cpu.highest), default=None)
    base = max((cpu.base for cpu in shape.cpus if cpu.base), default=None)
    if system.turbo_off:
        draft.notes.append("Turbo is switched off in the kernel; clock.one_core is what the kernel allows now.")
    if base and highest and base > highest:
        draft.notes.append(f"The firmware gives a nominal clock of {base:g} GHz, above the highest; it is left out.")
        base = None
    draft.fact("clock.base", base, "sysfs", missing="see the data sheet, or cpufreq/base_frequency on the bare host")
    if highest and system.clock_driver == "acpi-cpufreq" and not system.turbo_off:
        why = "acpi-cpufreq leaves turbo out on many parts; the data sheet, or `turbostat` with one busy core, tells"
        draft.fact("clock.one_core", highest, "sysfs", (highest, min(1.6 * highest, 8.0)), why)
    else:
        draft.fact("clock.one_core", highest, "sysfs", missing="see the data sheet, or `turbostat` with one busy core")
    draft.fact("clock.all_cores", None, "", missing="run `turbostat --show Busy%,Bzy_MHz` with every core busy")
    info = shape.cpus[0].info
    tsc = None
    if "constant_tsc" in info.get("flags", "").split():
        try:
            tsc = round(float(info.get("bogomips", "")) / 2000, 4)
        except ValueError:
            tsc = None
    tsc = tsc if tsc and 0.05 <= tsc <= 8 else None
    draft.fact("clock.tsc", tsc, "cpuinfo", missing="the kernel log has it: `dmesg | grep -i tsc`")


def _device(draft: Draft, system: System, nic: str | None) -> None:
    names = [device["name"] for device in system.devices]
    if nic is not None and nic not in names:
        raise DataError(
            f"--nic {nic}: no such network device; found {', '.join(names) or 'none with hardware behind it'}"
        )
    found = next((d for d in system.devices if nic in (None, d["name"])), None)
    ethtool = "see `ethtool` of the port while its link is up"
    if found is None:
        draft.fact("device.name", None, "", missing="no network device with hardware behind it was found")
        draft.fact("device.link", None, "", missing=ethtool)
    else:
        parts = [found["driver"] or "", f"PCI {found['pci']}" if found["pci"] else ""]
        words = ", ".join(part for part in parts if part)
        draft.fact("device.name", found["name"] + (f" ({words})" if words else ""), "net")
        draft.fact("device.link", found["gbit"], "net", missing=ethtool)
        draft.sources["net"] = "/sys/class/net of the host, read by mpps machine detect"
    draft.fact("device.packet_ceiling", None, "", missing="see the vendor's message rate, or count an XDP_DROP of 64 B")
    others = [f"{d['name']} {d['gbit']:g} Gbit/s" if d["gbit"] else d["name"] for d in system.devices if d is not found]
    if others:
        draft.notes.append(f"Other network devices: {', '.join(others)}; --nic NAME takes one.")


def _nothing_of_the_kernel(draft: Draft, domains: Domains, file: str) -> None:
    cores, clusters, sockets = (len(set(labels.tolist())) for labels in (domains.core, domains.cluster, domains.socket))
    draft.title = f"machine of {file}, {len(domains.core)} CPUs"
    draft.notes.append("The topology is found from the gaps of the matrix alone; correct it where you know better.")
    for name in ("microarchitecture", "core_class", "mitigations"):
        draft.fact(name, None, "", missing="a matrix does not tell")
    why = "found from the gaps of the matrix"
    counts = {
        "sockets": sockets,
        "cores_per_socket": max(cores // sockets, 1),
        "threads_per_core": max(len(domains.core) // cores, 1),
    }
    for name, number in counts.items():
        draft.fact(f"topology.{name}", number, "matrix", (number, number), why)
    one = clusters == sockets
    size = max(cores // clusters, 1)
    draft.fact(
        "topology.cluster_cores", None if one else size, "matrix", (size, size), why, missing="no cluster is visible"
    )
    draft.fact("topology.cluster_cache", None, "", missing="a matrix does not tell")
    for name in ("clock.base", "clock.one_core", "clock.all_cores", "clock.tsc", "device.name", "device.link"):
        draft.fact(name, None, "", missing="a matrix does not tell")
    draft.fact("device.packet_ceiling", None, "", missing="a matrix does not tell")


def _transfers(draft: Draft, found: dict[str, Spread], file: str | None) -> None:
    from mpps.machine.facts import LINE_CLASSES

    if file is not None:
        draft.sources["matrix"] = (
            f"{file}: core-to-core latencies, median and 5th to 95th percentile over pairs of CPUs"
        )
    nearest, near, far = (found.get(name) for name in ("smt_sibling", "same_cluster", "other_socket"))
    for one, other in ((nearest, near), (near, far)):
        if one and other and one.median > other.median:
            draft.notes.append(
                "The matrix does not fit the topology: CPUs that should be near are further apart than others. "
                "Are its rows the CPUs of this machine, in their order?"
            )
            break
    missing = MATRIX if file is None else "no two CPUs of the matrix are so placed"
    for name in (*LINE_CLASSES, "other_cluster_remote_home"):
        spread = found.get(name)
        if spread is not None:
            note = f"{spread.pairs} pair{'s' if spread.pairs > 1 else ''}"
            value, *ends = (round(each, 1) for each in (spread.median, spread.lower, spread.upper))
            draft.fact(f"line_transfer.{name}", value, "matrix", ends, note=note)
        elif name in LINE_CLASSES:
            draft.fact(f"line_transfer.{name}", None, "", missing=missing)
