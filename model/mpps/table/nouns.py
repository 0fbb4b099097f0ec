"""What a mechanism of a table is: named quantities, stations, a ceiling, and the curve that they give."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

#: Ends of the standard normal coordinate that fits and profiles move in: 99.99 % of the broad prior.
REACH = 3.9


@dataclass(frozen=True)
class Quantity:
    """A parameter of a mechanism, dimensionless, with the range that physics allows it.

    unit: "share" (of a lone sender's lap), "ratio", "cores", "flows" or "". Its logarithm is spread evenly over
    low..high before any table is seen; `coordinate` z is the standard normal quantile of that place.
    """

    name: str
    unit: str
    low: float
    high: float
    meaning: str

    def value(self, coordinate) -> np.ndarray:
        """Value at standard normal coordinates, same shape."""
        from scipy.special import ndtr

        return self.low * np.exp(ndtr(coordinate) * np.log(self.high / self.low))

    def coordinate(self, value) -> np.ndarray:
        """Coordinates of values inside low..high, same shape; ends stop at +-REACH."""
        from scipy.special import ndtri

        place = np.log(np.asarray(value, float) / self.low) / np.log(self.high / self.low)
        return np.clip(ndtri(np.clip(place, 0.0, 1.0)), -REACH, REACH)


@dataclass(frozen=True)
class Mechanism:
    """One competing explanation of a table: a closed network or a law, with a meaning.

    curve(values, n): values name -> (D, 1), n (k,) whole numbers -> (D, k): log rate relative to the rate of a lone
    sender. stations: (name, hand-off) of each; ceiling: "hard", "smooth" or ""; limit: what limits at large counts;
    odds: prior odds against the others, before the corpus speaks.
    """

    name: str
    words: str
    quantities: tuple[Quantity, ...]
    curve: Callable[[dict, np.ndarray], np.ndarray]
    limit: str
    stations: tuple[tuple[str, str], ...] = ()
    ceiling: str = ""
    odds: float = 1.0

    def values(self, coordinates) -> dict[str, np.ndarray]:
        """Values of standard normal coordinates (D, p): name -> (D, 1)."""
        return {
            quantity.name: quantity.value(coordinates[:, column, None])
            for column, quantity in enumerate(self.quantities)
        }

    def log_rate(self, coordinates, n) -> np.ndarray:
        """Log rate relative to a lone sender at coordinates (D, p) and counts n (k,): (D, k)."""
        coordinates = np.asarray(coordinates, float)
        found = self.curve(self.values(coordinates), np.asarray(n, float))
        return np.broadcast_to(found, (len(coordinates), len(n)))
