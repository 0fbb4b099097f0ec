"""USL and Amdahl fits of one table, with standard errors, limits and flags."""

from dataclasses import dataclass

import numpy as np

from mpps import laws
from mpps.baseline.solve import COHERENCE, CONTENTION, optimum, residuals
from mpps.errors import MppsError

#: Order of the parameters in arrays.
PARAMETERS = ("rate_one", "contention", "coherence")

_FEW = 6

# Condition of the scaled Jacobian beyond which its inverse has no digits left.
_SINGULAR = 1e7


@dataclass(frozen=True)
class UslFit:
    """A fitted universal scalability law; Amdahl's law is the one with coherence held at 0.

    law: "usl" or "amdahl"; scale: "linear" (residuals in the unit of the rate) or "log".
    n, rate, fitted, residuals (k,): residuals are observed - fitted, or the difference of logarithms.
    covariance (3, 3) and standard_errors (3,) in the order of `PARAMETERS`, from the curvature at the optimum;
    rows of a held parameter are 0. at_bound: names of parameters that ended on a bound, whose standard
    errors are not the way to read them: see `limits`. notes: what a reader must know before using the fit.
    """

    law: str
    scale: str
    bounded: bool
    n: np.ndarray
    rate: np.ndarray
    rate_one: float
    contention: float
    coherence: float
    residual_standard_error: float
    degrees_of_freedom: int
    covariance: np.ndarray
    at_bound: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def parameters(self) -> np.ndarray:
        return np.array([self.rate_one, self.contention, self.coherence])

    @property
    def standard_errors(self) -> np.ndarray:
        return np.sqrt(np.diag(self.covariance))

    @property
    def fitted(self) -> np.ndarray:
        return laws.usl(self.n, *self.parameters)

    @property
    def residuals(self) -> np.ndarray:
        return np.log(self.rate / self.fitted) if self.scale == "log" else self.rate - self.fitted

    @property
    def efficiency(self) -> np.ndarray:
        """Measured rate per sender, relative to the fitted rate of one sender."""
        return self.rate / (self.n * self.rate_one)

    @property
    def physical(self) -> bool:
        """False when an unbounded fit left the domain of the law."""
        return 0 <= self.contention <= 1 and self.coherence >= 0

    def predict(self, n) -> np.ndarray:
        """Rate at n. A fit that is not physical answers inside the measured range only (`MppsError`)."""
        n = np.asarray(n, dtype=float)
        if not self.physical and ((n < self.n.min()) | (n > self.n.max())).any():
            raise MppsError(
                f"the unbounded fit has contention {self.contention:.4g} and coherence {self.coherence:.4g}, which no "
                f"system has: it predicts nothing outside n = {self.n.min():g} to {self.n.max():g}; fit with bounds"
            )
        return laws.usl(n, *self.parameters)

    def interval(self, n, level: float = 0.9, *, of: str = "point") -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper end at n: of a new measured `point`, or of the `curve`.

        Linear propagation of the covariance with t quantiles; parameters only, the law itself is taken as true.
        """
        if of not in ("point", "curve"):
            raise MppsError(f"of is {of!r}: expected 'point' or 'curve'")
        rate = self.predict(n)
        n = np.broadcast_to(np.asarray(n, dtype=float), rate.shape)
        _, gradient = residuals(_inner(self.parameters), n.ravel(), rate.ravel(), self.scale)
        gradient[:, 0] /= self.rate_one
        variance = np.einsum("kp,pq,kq->k", gradient, self.covariance, gradient).reshape(rate.shape)
        if of == "point":
            variance = variance + self.residual_standard_error**2
        half = _t(0.5 + level / 2, self.degrees_of_freedom) * np.sqrt(variance)
        if self.scale == "log":
            return rate * np.exp(-half), rate * np.exp(half)
        return rate - half, rate + half

    def limits(self, level: float = 0.9) -> np.ndarray:
        """Limits (3, 2) of the parameters from t quantiles, cut at the bounds of a bounded fit.

        A parameter on a bound has that bound as one end, and as the other the value at which the sum of squares,
        minimised over the other parameters, has grown by t^2 residual variances (one-sided t at `level`).
        """
        half = _t(0.5 + level / 2, self.degrees_of_freedom) * self.standard_errors
        lower, upper = self.parameters - half, self.parameters + half
        if self.scale == "log":
            lower[0], upper[0] = self.rate_one * np.exp(np.array([-1, 1]) * half[0] / self.rate_one)
        if self.bounded:
            lower[1:] = np.maximum(lower[1:], 0.0)
            upper[CONTENTION] = min(upper[CONTENTION], 1.0)
            for name in self.at_bound:
                index = PARAMETERS.index(name)
                lower[index], upper[index] = sorted((self.parameters[index], self._profile_end(index, level)))
        return np.column_stack([lower, upper])

    def _profile_end(self, index, level):
        from scipy.optimize import brentq

        unit = self.rate.max() if self.scale == "linear" else 1.0
        held = {COHERENCE: 0.0} if self.law == "amdahl" else {}
        allowed = (_t(level, self.degrees_of_freedom) * self.residual_standard_error / unit) ** 2
        start = self.parameters[index]
        base = optimum(self.n, self.rate / self.rate.max(), self.scale, {**held, index: start}, True)[1]

        def excess(value):
            return (
                optimum(self.n, self.rate / self.rate.max(), self.scale, {**held, index: value}, True)[1]
                - base
                - allowed
            )

        if allowed == 0:
            return start
        if index == CONTENTION:
            other = 1.0 - start
            return other if excess(other) <= 0 else brentq(excess, *sorted((start, other)), xtol=1e-12)
        far = max(self.standard_errors[index], 1e-12)
        while excess(far) <= 0:
            far *= 4
        return brentq(excess, 0.0, far, xtol=1e-9 * far)


def fit_usl(n, rate, *, scale: str = "linear", bounded: bool = True) -> UslFit:
    """Least-squares fit of the universal scalability law to measured rates.

    n (k,): senders, at least 1; rate (k,): positive, any unit; scale "log" minimises relative errors.
    Needs 4 points at 3 different n. With `bounded`, contention lies in [0, 1] and coherence is at least 0;
    without, an optimum outside is returned with `physical` False and a note.
    Raises `MppsError` for too few points, a value that is no rate, or points that do not identify the parameters.
    """
    return _fit("usl", n, rate, scale, bounded, {}, 3)


def fit_amdahl(n, rate, *, scale: str = "linear", bounded: bool = True) -> UslFit:
    """Least-squares fit of Amdahl's law with the rate of one sender free; needs 3 points at 2 different n."""
    return _fit("amdahl", n, rate, scale, bounded, {COHERENCE: 0.0}, 2)


def _fit(law, n, rate, scale, bounded, fixed, size):
    n, rate = _table(law, n, rate, scale, size)
    unit = rate.max()
    order = np.lexsort((rate, n))
    inner, cost = optimum(n[order], rate[order] / unit, scale, fixed, bounded)
    freedom = len(n) - size
    free = [index for index in range(3) if index not in fixed]
    _, jacobian = residuals(inner, n, rate / unit, scale)
    jacobian = jacobian[:, free]
    # Columns of equal length: contention and coherence can differ by many powers of ten.
    length = np.maximum(np.linalg.norm(jacobian, axis=0), np.finfo(float).tiny)
    if np.linalg.cond(jacobian / length) > _SINGULAR:
        raise MppsError(
            f"{len(n)} points at n = {n.min():g} to {n.max():g} do not tell the parameters of {law} apart: "
            "any of a range of values fits as well; add a point nearer to one sender or fit a simpler law"
        )
    inverse = np.linalg.inv((jacobian / length).T @ (jacobian / length)) / np.outer(length, length)
    rate_one = float(np.exp(inner[0]) * unit)
    to_natural = np.array([rate_one, 1.0, 1.0])[free]
    covariance = np.zeros((3, 3))
    covariance[np.ix_(free, free)] = inverse * cost / freedom * np.outer(to_natural, to_natural)
    bounds = {CONTENTION: (0.0, 1.0), COHERENCE: (0.0,)}
    at_bound = tuple(PARAMETERS[index] for index in free[1:] if bounded and inner[index] in bounds[index])
    return UslFit(
        law=law,
        scale=scale,
        bounded=bounded,
        n=n,
        rate=rate,
        rate_one=rate_one,
        contention=float(inner[CONTENTION]),
        coherence=float(inner[COHERENCE]),
        residual_standard_error=float(np.sqrt(cost / freedom) * (unit if scale == "linear" else 1.0)),
        degrees_of_freedom=freedom,
        covariance=covariance,
        at_bound=at_bound,
        notes=_notes(n, inner, at_bound),
    )


def _table(law, n, rate, scale, size):
    if scale not in ("linear", "log"):
        raise MppsError(f"scale is {scale!r}: expected 'linear' or 'log'")
    n, rate = np.asarray(n, dtype=float), np.asarray(rate, dtype=float)
    if n.ndim != 1 or n.shape != rate.shape:
        raise MppsError(f"n has shape {n.shape} and rate has shape {rate.shape}: expected two lists of one length")
    for name, column, least in (("n", n, 1.0), ("rate", rate, np.nextafter(0.0, 1.0))):
        bad = np.flatnonzero(~np.isfinite(column) | (column < least))
        if bad.size:
            what = "at least 1" if name == "n" else "above 0"
            raise MppsError(f"point {bad[0] + 1}: {name} is {column[bad[0]]:g}, expected a number {what}")
    kinds = len(np.unique(n))
    if len(n) <= size or kinds < size:
        raise MppsError(
            f"{len(n)} points at {kinds} different n are too few for a fit of {law} with {size} parameters: "
            f"it needs {size + 1} points at {size} different n"
        )
    return n, rate


def _notes(n, inner, at_bound):
    notes = []
    if len(n) < _FEW:
        notes.append(f"only {len(n)} points: the parameters are uncertain")
    notes += [f"{name} ended on its bound: read its limits, not its standard error" for name in at_bound]
    if inner[COHERENCE] < 0:
        notes.append("coherence is negative, which no system has: the rate would grow without end")
    if not 0 <= inner[CONTENTION] <= 1:
        notes.append(f"contention is {inner[CONTENTION]:.4g}, outside 0 to 1, which no system has")
    return tuple(notes)


def _inner(parameters):
    return np.array([np.log(parameters[0]), parameters[1], parameters[2]])


def _t(probability, freedom):
    from scipy.special import stdtrit

    return float(stdtrit(freedom, probability))
