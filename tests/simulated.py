"""An independent event simulation in simpy: senders, one station in order of arrival, depth read in two ways."""

import random

import simpy


def draw(rng: random.Random, mean: float, variation: float) -> float:
    """A gamma variate with this mean and coefficient of variation."""
    return mean if variation == 0 else rng.gammavariate(variation**-2, mean * variation**2)


def simulated_period(n, think_ns, section_ns, *, variation, reading, sections=8000, seed=11, think_variation=None):
    """Mean time between completions of `n` senders, and mean depth at the start of a section; the first fifth is left out.

    section_ns: mean section at depth 1..n. reading "start" or "current", as in `mpps.simulation.simulate`.
    """
    rng = random.Random(seed)
    environment = simpy.Environment()
    waiting: list[simpy.Event] = []
    state = {"present": 0, "busy": False, "arrived": environment.event()}
    finished, depths = [], []
    think_variation = variation if think_variation is None else think_variation

    def serve():
        work = draw(rng, 1.0, variation)
        depths.append(state["present"])
        if reading == "start":
            yield environment.timeout(work * section_ns[state["present"] - 1])
            return
        while work > 0:
            pace, since = section_ns[state["present"] - 1], environment.now
            arrival = state["arrived"] = environment.event()
            done = environment.timeout(work * pace)
            yield done | arrival
            if done.processed:
                return
            work -= (environment.now - since) / pace

    def sender():
        while True:
            yield environment.timeout(draw(rng, think_ns, think_variation))
            state["present"] += 1
            if not state["arrived"].triggered:
                state["arrived"].succeed()
            if state["busy"]:
                turn = environment.event()
                waiting.append(turn)
                yield turn
            state["busy"] = True
            yield from serve()
            state["present"] -= 1
            finished.append(environment.now)
            if waiting:
                waiting.pop(0).succeed()
            else:
                state["busy"] = False
            if len(finished) >= sections:
                stop.succeed()
                yield environment.event()

    stop = environment.event()
    for _ in range(n):
        environment.process(sender())
    environment.run(stop)
    skip = sections // 5
    return (finished[-1] - finished[skip - 1]) / (sections - skip), sum(depths[skip:sections]) / (sections - skip)
