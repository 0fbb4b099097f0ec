"""Trees like /sys and /proc of hosts that do not exist, and matrices of latencies with known quantiles."""

import numpy as np

INTEL = {"vendor_id": "GenuineIntel", "cpu family": "6", "model": "106", "stepping": "6", "model name": "Xeon test"}
AMD = {"vendor_id": "AuthenticAMD", "cpu family": "25", "model": "1", "stepping": "1", "model name": "EPYC test"}
ARM = {"CPU implementer": "0x41", "CPU part": "0xd0c"}


def ranges(numbers) -> str:
    """[0, 1, 2, 5] as the kernel writes it: 0-2,5."""
    runs = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def write(path, text) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}\n", encoding="utf-8")


def seats(sockets, clusters, cores, threads, numbering="halves"):
    """(socket, cluster, core) of each CPU: siblings in the second half, or side by side."""
    physical = [(s, c, k) for s in range(sockets) for c in range(clusters) for k in range(cores)]
    return [seat for seat in physical for _ in range(threads)] if numbering == "pairs" else physical * threads


def tree(
    root, places, *, info=INTEL, shared=3, highest=None, base=None, offline=(), topology=True, flags="constant_tsc"
):
    """Write sys/ and proc/ below root for CPUs at `places`; shared: level of the cache that a cluster shares, 0: none."""
    cpus = root / "sys/devices/system/cpu"
    online = [number for number in range(len(places)) if number not in offline]
    write(cpus / "online", ranges(online))
    write(cpus / "present", ranges(range(len(places))))
    paragraphs = []
    for number in range(len(places)):
        folder = cpus / f"cpu{number}"
        folder.mkdir(parents=True)
        if number in offline:
            continue
        socket, cluster, core = places[number]
        same = {
            "core": [k for k in online if places[k] == places[number]],
            "cluster": [k for k in online if places[k][:2] == places[number][:2]],
        }
        if topology:
            write(folder / "topology/physical_package_id", socket)
            write(folder / "topology/core_cpus_list", ranges(same["core"]))
            for index, (level, kind, group) in enumerate(
                [(1, "Data", "core"), (1, "Instruction", "core"), (2, "Unified", "core" if shared != 2 else "cluster")]
                + ([(3, "Unified", "cluster")] if shared == 3 else [])
            ):
                for name, value in (("level", level), ("type", kind), ("size", "32768K")):
                    write(folder / f"cache/index{index}/{name}", value)
                write(folder / f"cache/index{index}/shared_cpu_list", ranges(same[group]))
        if highest:
            write(folder / "cpufreq/cpuinfo_max_freq", int(highest * 1e6))
        if base:
            write(folder / "cpufreq/base_frequency", int(base * 1e6))
        lines = {"processor": number, **info, "physical id": socket, "core id": cluster * 100 + core}
        if "vendor_id" in info:
            lines |= {"flags": flags, "bogomips": "5200.00"}
        paragraphs.append("\n".join(f"{key}\t: {value}" for key, value in lines.items()))
    write(root / "proc/cpuinfo", "\n\n".join(paragraphs))
    return root


def with_device(root, name, speed, driver="mlx5_core", pci="15B3:1019"):
    """Add a network device."""
    write(root / f"sys/class/net/{name}/speed", speed)
    write(root / f"sys/class/net/{name}/device/uevent", f"DRIVER={driver}\nPCI_ID={pci}")
    return root


def values_of(pairs, knots, rng):
    """`pairs` values in random order whose least, 5 %, 50 %, 95 % and greatest are the knots."""
    values = np.interp(np.linspace(0, 1, pairs), [0, 0.05, 0.5, 0.95, 1], knots)
    return rng.permutation(values)


def matrix(labels, knots, rng) -> np.ndarray:
    """Symmetric (CPUs, CPUs): labels[i, j] names the class of a pair, knots its quantiles as in `values_of`."""
    found = np.full(labels.shape, np.nan)
    rows, columns = np.tril_indices(len(labels), k=-1)
    for name in np.unique(labels[rows, columns]):
        mine = labels[rows, columns] == name
        found[rows[mine], columns[mine]] = values_of(mine.sum(), knots[name], rng)
    return np.where(np.isnan(found), found.T, found)


def classes(places, remote=None) -> np.ndarray:
    """Class of each pair of seats, shape (CPUs, CPUs); clusters of socket `remote` are of a class of their own."""

    def of(a, b):
        if a == b:
            return "smt"
        if a[:2] == b[:2]:
            return "cluster"
        return "socket" if a[0] != b[0] else "remote" if a[0] == remote else "other"

    return np.array([[of(a, b) for b in places] for a in places])


def as_csv(values: np.ndarray) -> str:
    """The lower triangle as core-to-core-latency prints it: no header, cells above the diagonal empty."""
    rows = (
        ["" if column >= row else repr(float(value)) for column, value in enumerate(line)]
        for row, line in enumerate(values)
    )
    return "\n".join(",".join(row) for row in rows) + "\n"
