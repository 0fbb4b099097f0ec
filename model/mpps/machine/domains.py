"""Which class of line transfer each pair of CPUs belongs to, by topology or by the gaps of the matrix itself."""

from dataclasses import dataclass

import numpy as np

from mpps.machine.facts import LINE_CLASSES

#: A step between neighbouring distances at which domains merge that counts as a gap: listed parts have 1.3 and more.
GAP = 1.25
#: Pairs below this share a core: listed parts have 4 to 12 ns between SMT siblings, 15 and more between cores.
SMT_BELOW_NS = 15.0
#: Two domains this far apart are sockets: dies of one package with two dies have 68 to 88 ns, sockets 96 and more.
SOCKETS_FROM_NS = 95.0
#: A socket whose clusters are this much further apart than the other's has the line at home in the other.
REMOTE = 1.5


@dataclass(frozen=True)
class Spread:
    """Median and 5 and 95 % points of a class over its pairs, in ns."""

    median: float
    lower: float
    upper: float
    pairs: int


@dataclass(frozen=True)
class Domains:
    """Labels of each CPU, shape (CPUs,): equal labels share a core, a cluster, a socket."""

    core: np.ndarray
    cluster: np.ndarray
    socket: np.ndarray


def transfers(matrix: np.ndarray, domains: Domains) -> dict[str, Spread]:
    """Class -> spread over the pairs of `matrix` (CPUs, CPUs), classes without a pair left out.

    Where clusters of one socket are far nearer than those of another, the line lives in the near one:
    `other_cluster` is that one's, `other_cluster_remote_home` the others'.
    """
    rows, columns = np.tril_indices(len(matrix), k=-1)
    values = matrix[rows, columns]
    same = {name: labels[rows] == labels[columns] for name, labels in vars(domains).items()}
    member = {
        "smt_sibling": same["core"],
        "same_cluster": ~same["core"] & same["cluster"],
        "other_cluster": ~same["cluster"] & same["socket"],
        "other_socket": ~same["socket"],
    }
    assert tuple(member) == LINE_CLASSES
    home = domains.socket[rows]
    by_socket = {label: values[member["other_cluster"] & (home == label)] for label in np.unique(domains.socket)}
    middle = {label: np.median(each) for label, each in by_socket.items() if each.size}
    found = {name: values[mask] for name, mask in member.items() if mask.any()}
    if len(middle) > 1 and max(middle.values()) > REMOTE * min(middle.values()):
        near = {label for label, value in middle.items() if value <= REMOTE * min(middle.values())}
        found["other_cluster"] = np.concatenate([each for label, each in by_socket.items() if label in near])
        far = [each for label, each in by_socket.items() if label in middle and label not in near]
        found["other_cluster_remote_home"] = np.concatenate(far)
    return {name: _spread(each) for name, each in found.items()}


def _spread(values: np.ndarray) -> Spread:
    lower, middle, upper = np.quantile(values, [0.05, 0.5, 0.95])
    return Spread(float(middle), float(lower), float(upper), len(values))


def domains_by_gaps(matrix: np.ndarray, sockets: int | None = None) -> Domains:
    """Domains of a matrix (CPUs, CPUs) from its own gaps; sockets: how many there are, when that is known.

    Siblings are found by the two numberings that kernels use. Then single linkage of the cores: the distances at which
    groups join lie close together within a level (cores of a cluster, clusters, sockets), and a gap separates the
    levels. One level more than clusters need is sockets.
    """
    core = _siblings(matrix)
    first, place, threads = np.unique(core, return_inverse=True, return_counts=True)
    mean = (place == np.arange(len(first))[:, None]) / threads[:, None]
    between = mean @ np.nan_to_num(matrix) @ mean.T
    np.fill_diagonal(between, np.nan)
    inner = _domains_of_cores(between, sockets)
    return Domains(core, *(first[labels[place]] for labels in inner))


def _siblings(matrix: np.ndarray) -> np.ndarray:
    """Core of each CPU, shape (CPUs,): pairs (2k, 2k + 1), or (k, k + half), that are far nearer than anything else."""
    size = len(matrix)
    core = np.arange(size)
    half = size // 2
    for a, b in ((core[0 : 2 * half : 2], core[1::2]), (core[:half], core[half : 2 * half])):
        near = matrix[a, b] < SMT_BELOW_NS
        others = matrix.copy()
        others[a, b] = others[b, a] = np.nan
        if near.any() and (np.isnan(others).all() or np.median(matrix[a, b][near]) * GAP < np.nanmedian(others) / GAP):
            core[b[near]] = a[near]
            return core
    return core


def _domains_of_cores(matrix: np.ndarray, sockets: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Cluster and socket of each core, each of shape (cores,), from mean distances between cores."""
    everybody = np.zeros(len(matrix), dtype=int)
    if len(matrix) == 1:
        return everybody, everybody
    heights = np.sort(_joins(matrix))
    starts = [0]
    for edge in np.flatnonzero(heights[1:] > GAP * heights[:-1]) + 1:
        # A level of one join is a slow pair, unless it joins the last two groups.
        if edge - starts[-1] >= 2 or edge == len(heights) - 1:
            starts.append(int(edge))
    levels = [_components(matrix, np.sqrt(heights[start - 1] * heights[start])) for start in starts[1:]]
    cluster = levels[0] if levels else everybody
    if len(levels) > 1:
        return cluster, _halves(cluster, levels[-1], sockets)
    if sockets is not None:
        return cluster, cluster if len(set(cluster)) == sockets else _halves(cluster, everybody, sockets)
    return cluster, cluster if len(set(cluster)) == 2 and heights[-1] >= SOCKETS_FROM_NS else everybody


def _halves(cluster: np.ndarray, joined: np.ndarray, sockets: int | None) -> np.ndarray:
    """Sockets: the groups of clusters when all have one size, else equal runs of clusters in the order of their CPUs.

    In a socket that the line is remote to, clusters are as far from each other as from the other socket, and only the
    clusters of its home join: their number tells how many sockets there are.
    """
    order = list(dict.fromkeys(cluster.tolist()))
    sizes = [len(set(cluster[joined == label].tolist())) for label in np.unique(joined)]
    if len(set(sizes)) == 1 and sockets in (None, len(sizes)):
        return joined
    count = sockets or max(1, round(len(order) / max(sizes)))
    place = {label: index * count // len(order) for index, label in enumerate(order)}
    return np.array([place[label] for label in cluster.tolist()])


def _joins(matrix: np.ndarray) -> np.ndarray:
    """Distances at which single linkage joins groups, shape (CPUs - 1,): the edges of the minimum spanning tree."""
    distance = matrix[0].copy()
    distance[0] = np.inf
    outside = np.ones(len(matrix), dtype=bool)
    outside[0] = False
    found = np.empty(len(matrix) - 1)
    for step in range(len(found)):
        nearest = int(np.argmin(np.where(outside, distance, np.inf)))
        found[step] = distance[nearest]
        outside[nearest] = False
        distance = np.fmin(distance, matrix[nearest])
    return found


def _components(matrix: np.ndarray, limit: float) -> np.ndarray:
    """Label of each CPU's group, shape (CPUs,), when CPUs nearer than `limit` belong together."""
    near = matrix < limit
    labels = np.full(len(matrix), -1)
    for start in range(len(matrix)):
        if labels[start] >= 0:
            continue
        group, labels[start] = [start], start
        while group:
            for neighbour in np.flatnonzero(near[group.pop()] & (labels < 0)):
                labels[neighbour] = start
                group.append(int(neighbour))
    return labels
