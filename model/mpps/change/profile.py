"""What a lock profile of the run before the change says of the time that the change can free."""

from dataclasses import dataclass

import numpy as np

from mpps.change.laps import room_for_second
from mpps.errors import DataError
from mpps.table.points import Points

#: Error of a profile's wait, relative.
_WAIT_ERROR = 0.05
#: The second station is at most this many times as busy as its waiting says for exponential sections: even sections
#: of equal waiting are longer by the square root of two, and a lock that is not yet saturated hides some more.
_EVEN = 1.5
#: A lock is held all the time at most; a little more is the error of two clocks.
_HELD = 1.25


#: Share of a lap at the named lock from which on published changes of locks tell what a change does.
_IN_FULL = 0.25


@dataclass(frozen=True, eq=False)
class Profile:
    """A lock profile of the before run: wait and hold of the named lock per packet in ns (hold 0 when it was not
    profiled), with n senders at a rate of rate_pps packets/s."""

    wait_ns: float
    hold_ns: float
    n: float
    rate_pps: float


def check_profile(profile: Profile, before: Points) -> None:
    """Raises `DataError` for a profile that cannot be one of the run before the change."""
    for name, least in (("wait_ns", 0.0), ("hold_ns", 0.0), ("n", 1.0), ("rate_pps", 1e-9)):
        value = getattr(profile, name)
        if not (np.isfinite(value) and value >= least):
            raise DataError(f"profile, {name}: found {value:g}: expected a number of at least {least:g}; correct it")
    first, last = before.n[0], before.n[-1]
    if not first <= profile.n <= last:
        raise DataError(
            f"profile, n: found {profile.n:g}: the table goes from n = {first:g} to {last:g}: expected a profile of one of "
            "its runs; profile the run at another count, or measure the rate at this one"
        )
    lap_ns = profile.n / profile.rate_pps * 1e9
    if profile.wait_ns + profile.hold_ns > _HELD * lap_ns:
        raise DataError(
            f"profile: found {profile.wait_ns:g} ns of waiting and {profile.hold_ns:g} ns of holding for each packet, but "
            f"{profile.n:g} senders at {profile.rate_pps:g} packets/s take {lap_ns:.4g} ns for one: expected less; divide "
            "totals by the packets of the same run, not by its acquisitions or seconds"
        )
    if profile.hold_ns * profile.rate_pps > _HELD * 1e9:
        raise DataError(
            f"profile, hold_ns: found {profile.hold_ns:g} ns at {profile.rate_pps:g} packets/s, a lock that is held "
            f"{profile.hold_ns * profile.rate_pps / 1e7:.0f} % of the time: expected 100 % at most; a class of several "
            "locks needs the hold of one, a lock of readers is none that one sender holds at a time"
        )


def reach_of(profile: Profile) -> float:
    """How far a change of the named lock can reach, 0 to 1: in full where waiting and holding take `_IN_FULL` of a lap."""
    lap_ns = profile.n / profile.rate_pps * 1e9
    return min(1.0, (profile.wait_ns + profile.hold_ns) / lap_ns / _IN_FULL)


def named_share(profile: Profile, before: Points) -> tuple[float, float, float, float]:
    """Share of the contended time at the profile's count that is spent waiting for the named lock, at most 1; the
    contended time, and the named section where it was profiled (else inf), both in laps at the smallest count; and the
    speed-up there over the smallest count.

    Units of the table do not matter: the profile has a clock of its own, and the table says how much of a lap is
    contended.
    """
    lap_ns = profile.n / profile.rate_pps * 1e9
    speedup = np.exp(np.interp(np.log(profile.n), np.log(before.n), before.log_rate) - before.log_rate[0])
    lap = profile.n / before.n[0] / speedup
    contended = max(lap - 1, 0.0)
    section = profile.hold_ns / lap_ns * lap if profile.hold_ns > 0 else np.inf
    # Without contention there is nothing to share out.
    share = 0.0 if contended == 0 else min(1.0, profile.wait_ns / lap_ns * lap / contended)
    return float(share), float(contended), float(section), float(speedup)


def profiled(kept, kind: str, profile: Profile, before: Points, longest: float, rng):
    """Shares kept (K, 2) where a profile tells the named lock from the rest, and the share (K, 1) that other shared
    work can account for.

    Time contended elsewhere stays whatever happens to the lock. A removal takes all waiting at the named lock away;
    what may take over is a station that had to show before: packets came to it at the rate of the profile, so one that
    was busy for a share x of the time made each wait x / (1 - x) of its own sections (M/M/1, to which the stations
    beside the bottleneck of a closed network tend). Source: Muntz and Wong, Asymptotic properties of closed queueing
    network models, 1974.
    """
    share, contended, section, speedup = named_share(profile, before)
    named = np.clip(share * (1 + _WAIT_ERROR * rng.standard_normal((len(kept), 1))), 0.0, 1.0)
    elsewhere = 1 - named
    if kind != "removal":
        return 1 - named * (1 - kept), np.ones((len(kept), 1))
    section = min(section, longest)
    waits = elsewhere * contended * speedup
    # x^2 / (1 - x) = waits, for the share x of time that another station was busy at the rate of the profile.
    busy = _EVEN * (np.sqrt(waits**2 + 4 * waits) - waits) / 2 / (speedup * section)
    most = np.maximum(elsewhere, np.minimum(busy, room_for_second(section)))
    plateau = elsewhere + (most - elsewhere) * rng.random((len(kept), 1))
    return np.hstack([plateau, np.maximum(elsewhere, np.minimum(kept[:, 1:], 1.0) * most)]), most
