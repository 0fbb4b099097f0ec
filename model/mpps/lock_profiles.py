"""A lock profile of a run, per packet: what each lock made a packet wait and for how long it was held.

A profile (`perf lock`, `/proc/lock_stat`) sums waits and holds of all cores over the run. Divided by the packets of the
run, rate times seconds, they are times of one packet; a lap of a packet lasts cores/rate (Little's law).
"""

from dataclasses import dataclass

import numpy as np

from mpps.errors import DataError, MppsError, unknown_name
from mpps.units import NS_PER_SECOND

#: Waits of all cores together that exceed their time by more than this contradict rate, seconds or cores.
_SLACK = 1.05


@dataclass(frozen=True)
class LockTimes:
    """One lock, per packet in ns: wait; hold, None where the profile prints none; share of packets that found it taken."""

    name: str
    wait_ns: float
    hold_ns: float | None
    contended: float


@dataclass(frozen=True)
class LockRun:
    """What a run with a profile says: locks by wait, the longest first; packets/s of all cores together; cores used."""

    file: str
    locks: tuple[LockTimes, ...]
    rate_pps: float
    seconds: float
    cores: int
    sha256: str = ""

    @property
    def lap_ns(self) -> float:
        """Time of one packet on one core, waits included."""
        return self.cores / self.rate_pps * NS_PER_SECOND

    def lock(self, name: str | None = None) -> LockTimes:
        """A lock by its name, or by a part of it that only one has; the one that is waited for longest when None."""
        if name is None:
            return self.locks[0]
        exact = [lock for lock in self.locks if lock.name == name]
        found = exact or [lock for lock in self.locks if name and name in lock.name]
        if len(found) != 1:
            raise unknown_name("lock of the profile", name, [lock.name for lock in found or self.locks][:20])
        return found[0]


def lock_run(files, *, rate: float, seconds: float, cores: int, **options) -> LockRun:
    """The locks of a profile, of a run of `seconds` with `cores` that carried `rate` packets/s.

    files and options as of `mpps.read`, or a `Reading`. Entries of one name are summed. Raises `MppsError` for numbers
    that are not positive, a file without locks, and waits that exceed the time of all cores.
    """
    from mpps.readers import Reading, read

    for name, value in (("rate", rate), ("seconds", seconds), ("cores used", cores)):
        if not (np.isfinite(value) and value > 0):
            raise MppsError(f"{name} = {value:g}: expected a positive number, of the run that was profiled")
    if cores != int(cores):
        raise MppsError(f"cores used = {cores:g}: expected a whole number")
    reading = files if isinstance(files, Reading) else read(files, **options)
    file = reading.formats[0][0]
    if not reading.locks:
        raise DataError(
            f"{file}: found no locks: expected the output of perf lock contention, perf lock report, or /proc/lock_stat; "
            f"it was read as {reading.formats[0][1]}"
        )
    packets, sums = rate * seconds, {}
    for each in reading.locks:
        wait, hold, contended, held = sums.get(each.name, (0.0, 0.0, 0.0, False))
        sums[each.name] = (
            wait + each.wait_total_ns,
            hold + (each.hold_total_ns or 0.0),
            contended + each.contended,
            held or each.hold_total_ns is not None,
        )
    locks = [
        LockTimes(name, wait / packets, hold / packets if held else None, contended / packets)
        for name, (wait, hold, contended, held) in sums.items()
    ]
    run = LockRun(
        file,
        tuple(sorted(locks, key=lambda lock: -lock.wait_ns)),
        float(rate),
        float(seconds),
        int(cores),
        reading.sha256.get(file, ""),
    )
    _possible(run)
    return run


def _possible(run: LockRun) -> None:
    wait = sum(lock.wait_ns for lock in run.locks)
    if not wait > 0:
        raise DataError(f"{run.file}: found no wait for any lock: the profile says of no lock that it is contended")
    if wait > _SLACK * run.lap_ns:
        raise DataError(
            f"{run.file}: the waits sum to {wait:,.0f} ns a packet, but {run.cores} cores with {run.rate_pps:g} packets/s have "
            f"only {run.lap_ns:,.0f} ns for one: expected rate, seconds and cores of the run that was profiled; correct them"
        )
    for lock in run.locks:
        busy = (lock.hold_ns or 0.0) * run.rate_pps / NS_PER_SECOND
        if busy > _SLACK * run.cores:
            raise DataError(
                f"{run.file}, lock {lock.name}: it is held for {lock.hold_ns:,.0f} ns a packet, more than {run.cores} cores have: "
                "correct rate, seconds or cores"
            )
