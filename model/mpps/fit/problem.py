"""A code path under one mechanism against its points: the function that the solver sees."""

from dataclasses import dataclass

import numpy as np

from mpps.fit.points import Points, points_of
from mpps.path import CodePath, Mechanism, Parameter, active_parameters, lap, rate_pps


@dataclass(frozen=True)
class Problem:
    """A code path under one mechanism against its points: the function that the solver sees."""

    path: CodePath
    mechanism: Mechanism
    points: Points
    parameters: tuple[Parameter, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the fitted parameters."""
        return tuple(parameter.name for parameter in self.parameters)

    @property
    def lower(self) -> np.ndarray:
        """Logarithms of the lower bounds, (p,)."""
        return np.log([parameter.lower for parameter in self.parameters])

    @property
    def upper(self) -> np.ndarray:
        """Logarithms of the upper bounds, (p,)."""
        return np.log([parameter.upper for parameter in self.parameters])

    @property
    def priors(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Index, log median and log standard deviation of the parameters that have a prior."""
        found = [(k, np.log(p.prior.median), p.prior.log_sd) for k, p in enumerate(self.parameters) if p.prior]
        index, median, sd = zip(*found, strict=True) if found else ((), (), ())
        return np.array(index, int), np.array(median, float), np.array(sd, float)

    @property
    def target(self) -> np.ndarray:
        """Log observations, then log medians of the priors."""
        return np.concatenate([self.points.value, self.priors[1]])

    @property
    def weight(self) -> np.ndarray:
        """One over the squared scatter of each row of `target`."""
        return np.concatenate([self.points.scatter**-2.0, self.priors[2] ** -2.0])

    def values(self, x) -> dict:
        """Parameter values by name, each (B, 1), from logarithms x (B, p)."""
        return {name: np.exp(x[:, k : k + 1]) for k, name in enumerate(self.names)}

    def model(self, x) -> np.ndarray:
        """What the network says of each row of `target`: (B, R + priors) for logarithms x (B, p)."""
        values = self.values(x)
        result = np.empty((len(x), len(self.points.n) + len(self.priors[0])))
        for index, variant in enumerate(self.points.variants):
            rows = self.points.rows_of(index)
            if rows.stop > rows.start:
                result[:, rows] = self._of_variant(variant, values, rows)
        result[:, len(self.points.n) :] = x[:, self.priors[0]]
        return result

    def _of_variant(self, variant, values, rows):
        n = self.points.n[rows]
        rate = rate_pps(self.path, variant, self.mechanism, values, n)
        if not self.points.busy[rows].any():
            return np.log(rate)
        numbers = lap(self.path, variant, self.mechanism, values, n)
        work = numbers.think_ns + (0.0 if numbers.section_ns is None else numbers.section_ns)
        busy = rate * 1e-9 * work / numbers.packets / n
        return np.log(np.where(self.points.busy[rows], busy, rate))


def problem_of(path: CodePath, scope: str, mechanism: Mechanism, points: Points | None = None) -> Problem:
    """Set up the fit of a scope under a mechanism."""
    points = points or points_of(path, scope)
    return Problem(path, mechanism, points, active_parameters(path, points.variants, mechanism))
