"""Where the sliders stand: choices, cores, and the parameters that were moved; and what they may be."""

import math
from dataclasses import dataclass, field, replace

from mpps.errors import MppsError, unknown_name

#: Largest count that is looked at.
MOST_CORES = 4096


@dataclass(frozen=True)
class Choice:
    """One of several names, such as the variant: `options` are pairs of value and label."""

    name: str
    label: str
    value: str
    options: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Control:
    """A parameter that can be moved from `low` to `high`, on a log scale: median and 90 % ends of the fit, its unit and
    meaning; influence: mean percent of the rate for each percent of the parameter, over the counts that are shown; scale:
    factor to the unit, for showing a value."""

    name: str
    label: str
    unit: str
    low: float
    high: float
    median: float
    lower: float
    upper: float
    words: str
    influence: float
    scale: float = 1.0


@dataclass(frozen=True)
class Position:
    """Choices name -> value, cores, and settings: parameter -> value, of those alone that were moved."""

    choices: dict = field(default_factory=dict)
    cores: int = 1
    settings: dict = field(default_factory=dict)

    def as_dict(self) -> dict:
        """For JSON: choices beside `cores` and `settings`."""
        return {**self.choices, "cores": self.cores, "settings": dict(self.settings)}

    def moved(self, changes: dict, names) -> "Position":
        """This position with `changes` of choices `names`, `cores`, `settings` (which replace all settings).

        Raises `MppsError` for other names and for values that are no count or no positive number.
        """
        if not isinstance(changes, dict):
            raise MppsError(f"a position is a mapping of names to values, not {type(changes).__name__}")
        for name in changes:
            if name not in (*names, "cores", "settings"):
                raise unknown_name("part of a position", str(name), [*names, "cores", "settings"])
        choices = self.choices | {name: str(changes[name]) for name in names if name in changes}
        cores = _cores(changes["cores"]) if "cores" in changes else self.cores
        settings = _settings(changes["settings"]) if "settings" in changes else self.settings
        return replace(self, choices=choices, cores=cores, settings=settings)


def _cores(value) -> int:
    whole = (
        isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value == int(value)
    )
    if not whole or not 1 <= value <= MOST_CORES:
        raise MppsError(f"cores={value!r}: expected a whole number from 1 to {MOST_CORES}")
    return int(value)


def _settings(given) -> dict:
    if not isinstance(given, dict):
        raise MppsError(f"settings are a mapping of parameters to values, not {type(given).__name__}")
    for name, value in given.items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not (math.isfinite(value) and value > 0):
            raise MppsError(f"{name}={value!r}: expected a positive number")
    return {str(name): float(value) for name, value in given.items()}


def check_choices(position: Position, choices) -> None:
    """`UnknownNameError` for a choice that is not among its options."""
    for choice in choices:
        value = position.choices[choice.name]
        known = [option for option, _ in choice.options]
        if value not in known:
            raise unknown_name(choice.label.lower(), value, known)


def check_settings(position: Position, controls) -> None:
    """`UnknownNameError` for a parameter without a slider."""
    known = [control.name for control in controls]
    for name in position.settings:
        if name not in known:
            raise unknown_name("parameter", name, known)
