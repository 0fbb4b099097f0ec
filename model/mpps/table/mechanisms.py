"""The mechanisms that compete for every table. Each is a network or a law with a meaning; see docs/modelling.md.

A lone sender's lap is the unit of time. Private work scales; whatever is shared does not: a serial station with its
hand-off, traffic between cores that slows everybody down, work that grows with the number of others, a ceiling.
"""

import numpy as np

from mpps.locks import cross_share
from mpps.table.nouns import Mechanism, Quantity
from mpps.table.stations import log_rate_one_station, log_rate_two_stations


def _slowdown(values, n):
    """Factor on a lap by lines that another core wrote last: the chance of that is 1 - 1/n."""
    return 1 + values["sharing"] * (1 - 1 / n)


def _section(values):
    """Private work in units of the section, from the section's share of a lone lap."""
    return 1 / values["section"] - 1 + 1e-6


def _relative(values, think, log_section, n):
    """Log rate relative to a lone sender, whose lap is 1/section in units of the section."""
    return log_rate_one_station(think, log_section, n) - np.log(values["section"])


def _station(handoff, slowed=False):
    def curve(values, n):
        think = _section(values)
        if slowed:
            # The section keeps its length; what else the lap loses to sharing is private.
            think = (think + 1) * _slowdown(values, n) - 1
        return _relative(values, think, lambda depth, count: np.log1p(handoff(values, depth, count)), n)

    return curve


def _constant(values, depth, count):
    return np.zeros((len(values["section"]), len(depth)))


def _ticket(values, depth, count):
    return values["per_waiter"] * (depth - 1)


def _contended(values, depth, count):
    return values["handoff"] * (depth > 1)


def _contended_ticket(values, depth, count):
    return _contended(values, depth, count) + _ticket(values, depth, count)


def _saturating(values, depth, count):
    return -values["handoff"] * np.expm1(-(depth - 1) / values["depth"])


def _step(values, depth, count):
    rise = lambda waiters: 1 / (1 + np.exp(-2 * (waiters - values["depth"])))
    return values["handoff"] * (rise(depth - 1) - rise(0.0)) * (depth > 1)


def _hump(values, depth, count):
    waiters = (depth - 1) / values["depth"]
    return values["handoff"] * waiters * np.exp(1 - waiters)


def _cross_domain(values, depth, count):
    return values["handoff"] * _crossing(values, np.array([count])) * (depth > 1)


def _crossing(values, n):
    # Whole cores in a domain: the share of pairs that cross is not defined between them.
    return cross_share(n, np.round(values["domain"]))


def _private(values, n):
    return np.log(n) - np.log(_slowdown(values, n))


def _topology(values, n):
    return np.log(n) - np.log(_slowdown(values, n) + values["crossing"] * _crossing(values, n))


def _unequal(values, n):
    full = np.minimum(n, values["cores"]) + values["yield"] * np.maximum(n - values["cores"], 0)
    return np.log(full) - np.log(_slowdown(values, n))


def _amdahl(values, n):
    return np.log(n) - np.log1p(values["contention"] * (n - 1))


def _usl(values, n):
    return np.log(n) - np.log1p(values["contention"] * (n - 1) + values["coherence"] * n * (n - 1))


def _fan_out(values, n):
    return np.log(n) - np.log1p(values["first"] * (n > 1) + values["others"] * (n - 1))


def _hard(below):
    return lambda values, n: np.minimum(below(values, n), np.log(values["ceiling"]))


def _smooth(values, n):
    sharp, free = values["sharpness"], _private(values, n)
    return -np.logaddexp(-sharp * free, -sharp * np.log(values["ceiling"])) / sharp


def _pair(values, n):
    first = values["section"]
    second = first * values["second"]
    think = np.maximum(1 - first - second, 1e-6)
    return log_rate_two_stations(think, first, second, n) + np.log(think + first + second)


def _imbalance(values, n):
    """Rate of the busiest queue: flows hash onto n queues, each served by one core.

    Mean of the largest of n Poisson loads, flows/n + sqrt(2 flows/n log n) (Raab and Steger 1998, heavy load).
    """
    load = values["flows"] / n
    busiest = load + np.sqrt(2 * load * np.log(n))
    return np.log(values["flows"]) - np.log(np.maximum(busiest, 1.0))


_SHARE = "share of a lone lap spent in the section"
_SECTION = Quantity("section", "share", 0.003, 0.999, _SHARE)
_LONG_SECTION = Quantity("section", "share", 0.01, 0.999, _SHARE)
_SHARING = Quantity("sharing", "ratio", 0.003, 5.0, "slowdown of a lap when other cores use the same lines")
_HANDOFF = Quantity("handoff", "ratio", 0.1, 30.0, "largest extra cost of a hand-off, in sections")
_PER_WAITER = Quantity("per_waiter", "ratio", 0.003, 3.0, "extra hand-off cost of each further waiter, in sections")
_CEILING = Quantity("ceiling", "ratio", 1.05, 300.0, "ceiling, in rates of a lone sender")
_CONTENTION = Quantity("contention", "share", 3e-4, 1.0, "serial share of a lone lap")
_LOCK = "serial station"

MECHANISMS: tuple[Mechanism, ...] = (
    Mechanism("private work", "every core works for itself", (), lambda values, n: np.log(n), "private work"),
    Mechanism(
        "shared slowdown",
        "private work, slowed down once by lines that other cores write",
        (_SHARING,),
        _private,
        "private work",
    ),
    Mechanism("Amdahl", "a serial share that nothing speeds up", (_CONTENTION,), _amdahl, "serial share"),
    Mechanism(
        "USL",
        "contention, and coherence traffic between every pair of cores",
        (
            Quantity("contention", "share", 1e-3, 1.0, "serial share of a lone lap"),
            Quantity("coherence", "share", 1e-6, 3.0, "cost of keeping one pair of cores coherent"),
        ),
        _usl,
        "coherence",
    ),
    Mechanism("station", "one serial station", (_SECTION,), _station(_constant), _LOCK, ((_LOCK, "constant"),)),
    Mechanism(
        "ticket station",
        "one serial station whose hand-off grows with every waiter",
        (_SECTION, _PER_WAITER),
        _station(_ticket),
        _LOCK,
        ((_LOCK, "ticket"),),
    ),
    Mechanism(
        "contended station",
        "one serial station that costs more as soon as somebody waits",
        (
            Quantity("section", "share", 0.02, 0.999, _SHARE),
            Quantity("handoff", "ratio", 0.03, 12.0, "extra cost of a hand-off to a waiter, in sections"),
        ),
        _station(_contended),
        _LOCK,
        ((_LOCK, "step"),),
    ),
    Mechanism(
        "contended ticket station",
        "one serial station that costs more as soon as somebody waits, and still more with every waiter",
        (
            Quantity("section", "share", 0.02, 0.999, _SHARE),
            Quantity("handoff", "ratio", 0.05, 10.0, "extra cost of a hand-off to a waiter, in sections"),
            Quantity("per_waiter", "ratio", 0.001, 0.5, "extra hand-off cost of each further waiter, in sections"),
        ),
        _station(_contended_ticket),
        _LOCK,
        ((_LOCK, "step and ticket"),),
    ),
    Mechanism(
        "saturating station",
        "one serial station whose hand-off grows with the queue up to a limit",
        (_LONG_SECTION, _HANDOFF, Quantity("depth", "waiters", 0.3, 40.0, "waiters over which the cost builds up")),
        _station(_saturating),
        _LOCK,
        ((_LOCK, "saturating"),),
    ),
    Mechanism(
        "step station",
        "one serial station whose hand-off changes at one depth",
        (_LONG_SECTION, _HANDOFF, Quantity("depth", "waiters", 1.0, 40.0, "waiters at which the cost sets in")),
        _station(_step),
        _LOCK,
        ((_LOCK, "step"),),
    ),
    Mechanism(
        "hump station",
        "one serial station whose hand-off is dearest at a middle depth",
        (
            _LONG_SECTION,
            Quantity("handoff", "ratio", 0.1, 10.0, "largest extra cost of a hand-off, in sections"),
            Quantity("depth", "waiters", 1.0, 20.0, "waiters at which the cost peaks"),
        ),
        _station(_hump),
        _LOCK,
        ((_LOCK, "hump"),),
        odds=0.2,
    ),
    Mechanism(
        "station pair",
        "two serial stations, one after the other",
        (
            Quantity("section", "share", 0.003, 0.9, "share of a lone lap spent in the longer section"),
            Quantity("second", "ratio", 0.01, 0.99, "the other section, in longer ones"),
        ),
        _pair,
        _LOCK,
        ((_LOCK, "constant"), ("second station", "constant")),
    ),
    Mechanism(
        "hard ceiling",
        "private work below a ceiling that device, wire or memory sets",
        (Quantity("sharing", "ratio", 0.003, 3.0, _SHARING.meaning), _CEILING),
        _hard(_private),
        "ceiling",
        ceiling="hard",
    ),
    Mechanism(
        "smooth ceiling",
        "private work that bends into a ceiling",
        (
            Quantity("sharing", "ratio", 0.003, 3.0, _SHARING.meaning),
            _CEILING,
            Quantity("sharpness", "", 1.5, 12.0, "how sharply the rate bends into the ceiling"),
        ),
        _smooth,
        "ceiling",
        ceiling="smooth",
    ),
    Mechanism(
        "Amdahl under a ceiling",
        "a serial share, below a ceiling that device, wire or memory sets",
        (Quantity("contention", "share", 1e-3, 0.5, _CONTENTION.meaning), _CEILING),
        _hard(_amdahl),
        "ceiling",
        ceiling="hard",
    ),
    Mechanism(
        "fan-out",
        "work for each other sender, and a first step when there is one",
        (
            Quantity("first", "ratio", 0.01, 5.0, "extra work as soon as there is another sender, in laps"),
            Quantity("others", "ratio", 0.003, 3.0, "extra work for each other sender, in laps"),
        ),
        _fan_out,
        "fan-out",
    ),
    Mechanism(
        "topology mix",
        "private work that pays for lines from another cache domain",
        (
            Quantity("sharing", "ratio", 0.003, 2.0, _SHARING.meaning),
            Quantity("domain", "cores", 2.0, 64.0, "cores of one cache domain"),
            Quantity("crossing", "ratio", 0.02, 10.0, "extra work when a line comes from another domain, in laps"),
        ),
        _topology,
        "private work",
    ),
    Mechanism(
        "topology station",
        "one serial station that pays for a hand-off to another cache domain",
        (
            Quantity("section", "share", 0.02, 0.999, _SHARE),
            Quantity("domain", "cores", 2.0, 64.0, "cores of one cache domain"),
            Quantity("handoff", "ratio", 0.1, 10.0, "extra cost of a hand-off to another domain, in sections"),
        ),
        _station(_cross_domain),
        _LOCK,
        ((_LOCK, "topology"),),
    ),
    Mechanism(
        "unequal cores",
        "cores beyond a number yield less: siblings, slow cores, more senders than cores",
        (
            Quantity("sharing", "ratio", 0.003, 2.0, _SHARING.meaning),
            Quantity("cores", "cores", 2.0, 128.0, "cores that count in full"),
            Quantity("yield", "share", 0.02, 0.9, "yield of each core beyond them"),
        ),
        _unequal,
        "private work",
    ),
    Mechanism(
        "flow imbalance",
        "flows hash onto queues, and the busiest queue is full first",
        (Quantity("flows", "flows", 2.0, 3000.0, "flows that hash onto the queues"),),
        _imbalance,
        "flow imbalance",
    ),
    Mechanism(
        "station, shared slowdown",
        "one serial station, and laps slowed down by lines that other cores write",
        (_SECTION, Quantity("sharing", "ratio", 0.01, 3.0, _SHARING.meaning)),
        _station(_constant, slowed=True),
        _LOCK,
        ((_LOCK, "constant"),),
    ),
    Mechanism(
        "ticket station, shared slowdown",
        "one serial station whose hand-off grows with every waiter, and laps slowed down by shared lines",
        (_SECTION, Quantity("sharing", "ratio", 0.01, 3.0, _SHARING.meaning), _PER_WAITER),
        _station(_ticket, slowed=True),
        _LOCK,
        ((_LOCK, "ticket"),),
    ),
)
