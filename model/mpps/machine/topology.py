"""Where senders sit, and how often two of them share a core, a cluster or a socket."""

import numpy as np

from mpps.machine.cards import LINE_CLASSES, Machine

PLACEMENTS = ("packed", "spread")


def cross_share(n, domain_size, *, domains=None) -> np.ndarray:
    """Probability that two distinct random senders of `n` sit in different domains; shape of the broadcast inputs.

    Packed: domains of `domain_size` cores fill one after the other, so that with n = a size + r
    P_cross = 1 - (a size (size - 1) + r (r - 1)) / (n (n - 1)); for n a multiple of the size this is the
    1 - (size - 1)/(n - 1) of a random hand-off order. With `domains` given, senders are spread evenly over that
    many domains instead and `domain_size` does not matter. One sender has nobody to cross to: 0.
    """
    n, size = np.broadcast_arrays(np.asarray(n), np.asarray(domain_size))
    if np.any(n < 1) or np.any(size < 1) or (domains is not None and np.any(np.asarray(domains) < 1)):
        raise ValueError("senders, domain sizes and domains must be at least 1")
    if domains is None:
        same = (n // size) * size * (size - 1) + (n % size) * (n % size - 1)
    else:
        per, rest = n // domains, n % domains
        same = rest * (per + 1) * per + (domains - rest) * per * (per - 1)
    return np.where(n > 1, 1.0 - same / np.maximum(n * (n - 1), 1), 0.0)


def core_counts(n, sockets: int, cores: int, threads: int, cluster: int, placement: str = "packed") -> np.ndarray:
    """Senders on each physical core, shape (len(n), all cores), cores numbered socket by socket.

    Packed fills cluster by cluster and socket by socket, spread alternates over sockets, then over clusters.
    SMT siblings come last. Senders beyond the machine's threads sit on further cores of the same kind, split
    evenly over the sockets (a hypothetical larger part).
    """
    if placement not in PLACEMENTS:
        raise ValueError(f"unknown placement {placement!r}: known are {', '.join(PLACEMENTS)}")
    n = np.atleast_1d(np.asarray(n, dtype=int))
    if np.any(n < 1):
        raise ValueError("at least one sender is needed")
    all_cores = np.array([sockets * max(cores, -(-int(each) // (sockets * threads))) for each in n])
    width = all_cores.max()
    counts = np.zeros((len(n), width), dtype=int)
    for row, (senders, total) in enumerate(zip(n, all_cores)):
        rounds, rest = divmod(int(senders), int(total))
        order = _fill_order(sockets, int(total) // sockets, width // sockets, cluster, placement)
        counts[row, order] = rounds
        counts[row, order[:rest]] += 1
    return counts


def class_shares(n, sockets: int, cores: int, threads: int, cluster: int, placement: str = "packed") -> np.ndarray:
    """Share of sender pairs in each class of `LINE_CLASSES`, shape (len(n), 4); all zero for one sender."""
    n = np.atleast_1d(np.asarray(n, dtype=int))
    counts = core_counts(n, sockets, cores, threads, cluster, placement)
    return _pair_shares(n, counts, sockets, cluster)


def first_socket_share(
    n, sockets: int, cores: int, threads: int, cluster: int, placement: str = "packed"
) -> np.ndarray:
    """Of the sender pairs in two clusters of one socket, the share whose socket is the first, shape (len(n),).

    0 where no pair is.
    """
    n = np.atleast_1d(np.asarray(n, dtype=int))
    counts = core_counts(n, sockets, cores, threads, cluster, placement)
    pairs = []
    for mine in np.split(counts, sockets, axis=1):
        clusters = np.add.reduceat(mine, np.arange(0, mine.shape[1], cluster), axis=1)
        every = mine.sum(axis=1)
        pairs.append(every * (every - 1) - (clusters * (clusters - 1)).sum(axis=1))
    return pairs[0] / np.maximum(np.sum(pairs, axis=0), 1)


def socket_counts(n, sockets: int, cores: int, placement: str = "packed") -> np.ndarray:
    """Active cores of each socket with n senders on cores of their own, shape (len(n), sockets): at most `cores` each."""
    n = np.minimum(np.atleast_1d(np.asarray(n, dtype=int)), sockets * cores)[:, None]
    place = np.arange(sockets)
    if placement == "spread":
        return (n - place + sockets - 1) // sockets
    return np.clip(n - place * cores, 0, cores)


def _pair_shares(n, counts, sockets: int, cluster: int) -> np.ndarray:
    per_socket = counts.shape[1] // sockets
    edges = [s * per_socket + c for s in range(sockets) for c in range(0, per_socket, cluster)]
    levels = (
        counts,
        np.add.reduceat(counts, edges, axis=1),
        np.add.reduceat(counts, np.arange(sockets) * per_socket, axis=1),
        n[:, None],
    )
    together = np.stack([(level * (level - 1)).sum(axis=1) for level in levels], axis=1).astype(float)
    shares = np.diff(together, axis=1, prepend=0.0) / np.maximum(n * (n - 1), 1)[:, None]
    assert shares.shape[1] == len(LINE_CLASSES)
    return shares


def has_cores(machine: Machine, n) -> np.ndarray:
    """Whether the machine has at least `n` CPUs (threads), shape of `n`; where not, a prediction is hypothetical."""
    return np.asarray(n) <= machine.threads


def _fill_order(sockets: int, cores: int, stride: int, cluster: int, placement: str) -> np.ndarray:
    socket, core = (axis.ravel() for axis in np.indices((sockets, cores)))
    order = np.arange(sockets * cores)
    if placement == "spread":
        # last key first: position in the cluster, then cluster, then socket
        order = np.lexsort((socket, core // cluster, core % cluster))
    return socket[order] * stride + core[order]
