"""Predictions registered before anybody measures: dated, hashed, kept in `data/registered/`, and made again by a check.

    python -m mpps.registered PATH --scope SCOPE --cores 5,6,7 --date YYYY-MM-DD --commit HASH

writes `data/registered/<PATH>_<SCOPE>_<date>.yaml`. The hash covers everything in the file but itself, so that a
prediction cannot be moved after the measurement. A model that has changed makes a new file; the old one stays.
"""

import argparse
import hashlib
import json
import pathlib
from dataclasses import dataclass

import numpy as np

from mpps import compare
from mpps.compare import Fit
from mpps.errors import DataError, MppsError, unknown_name
from mpps.measurements import load as load_table
from mpps.path import CodePath
from mpps.paths import load_path
from mpps.predict import Forecast, predict
from mpps.root import data_folder
from mpps.uncertainty import LEVELS

#: Significant digits of what is registered; a draw knows fewer.
_DIGITS = 6
#: A quantile made again lies within this many Monte Carlo standard errors of the registered one.
TOLERANCE = 4.0
_FIELDS = (
    "title", "path", "scope", "machine", "date", "commit", "seed", "draws", "unit", "levels", "data_sha256", "mixture",
    "assumptions", "predictions", "sha256",
)  # fmt: skip


@dataclass(frozen=True)
class Registered:
    """A registered prediction, its hash checked: `content` as in the file, `name` of the file."""

    name: str
    content: dict

    @property
    def rows(self) -> list[dict]:
        """Rows of variant, n, lower, lower50, median, upper50, upper, unit."""
        keys = ("lower", "lower50", "median", "upper50", "upper")
        return [
            {"variant": row["variant"], "n": row["n"], "unit": self.content["unit"]}
            | dict(zip(keys, row["quantiles"], strict=True))
            for row in self.content["predictions"]
        ]

    def shares(self, key: str) -> dict:
        """Weight of each value of family, reading or variation in the mixture, largest first."""
        found: dict = {}
        for part in self.content["mixture"]:
            found[part[key]] = found.get(part[key], 0.0) + part["weight"]
        return dict(sorted(found.items(), key=lambda pair: -pair[1]))


def names(path: str | None = None) -> tuple[str, ...]:
    """Names of all registered predictions, or of those about one code path, oldest first."""
    found = sorted(file.stem for file in _folder().glob("*.yaml"))
    return tuple(name for name in found if path is None or load(name).content["path"] == path)


def load(name: str) -> Registered:
    """A registered prediction. Raises `DataError` for a file that lacks a field or is not what was hashed."""
    import yaml

    file = _folder() / f"{name}.yaml"
    if not file.is_file():
        raise unknown_name("registered prediction", name, sorted(each.stem for each in _folder().glob("*.yaml")))
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    missing = [field for field in _FIELDS if field not in content] if isinstance(content, dict) else list(_FIELDS)
    if missing:
        raise DataError(f"{file.name}: lacks {', '.join(missing)}; a registered prediction has {', '.join(_FIELDS)}")
    expected = digest(content)
    if content["sha256"] != expected:
        raise DataError(
            f"{file.name}: sha256 is {content['sha256']}, but the content has {expected}: a registered prediction is "
            "not changed; restore the file, and register a new one under its own date"
        )
    return Registered(name, content)


def digest(content: dict) -> str:
    """SHA-256 over the canonical content: JSON with sorted keys and no spaces, all fields but `sha256`."""
    kept = {key: value for key, value in content.items() if key != "sha256"}
    text = json.dumps(kept, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def register(path: CodePath, scope: str, cores, *, date: str, commit: str, seed: int = 1) -> dict:
    """Predict all measured variants of a joint fit at `cores` on the machine that was measured: the content of a file.

    Raises `MppsError` for a count that the machine does not have: beyond it only a named hypothetical machine answers.
    """
    fitted = compare.fit(path, scope, seed=seed)
    rows, assumptions, units = [], {}, []
    for variant in (each for each in fitted.points.variants if each.dataset):
        forecast = _forecast(fitted, variant.name, cores)
        units.append(forecast.unit)
        assumptions |= {item.name: item for item in forecast.assumptions}
        rows += [
            {"variant": variant.name, "n": int(n), "quantiles": [_rounded(q) for q in forecast.quantiles[:, k]]}
            for k, n in enumerate(forecast.n)
        ]
    if len(set(units)) > 1:
        raise MppsError(
            f"joint fit {scope!r} of {path.slug} has tables in {', '.join(sorted(set(units)))}: take another"
        )
    tables = dict.fromkeys(source[0] for source in fitted.points.source)
    content = {
        "title": f"{path.title}: {', '.join(str(n) for n in sorted(set(cores)))} {path.sender}s, before anybody measured them",
        "path": path.slug,
        "scope": scope,
        "machine": path.machine,
        "date": date,
        "commit": commit,
        "seed": seed,
        "draws": sum(len(one.members) for one in fitted.kept),
        "unit": units[0],
        "levels": list(LEVELS),
        "data_sha256": {f"{table}.csv": load_table(table).card.sha256 for table in tables},
        "mixture": [_part(one) for one in fitted.kept],
        "assumptions": [
            f"{item.name}: {item.median:g} ({item.lower:g} to {item.upper:g})" for item in assumptions.values()
        ],
        "predictions": rows,
    }
    return content | {"sha256": digest(content)}


def write(content: dict, folder: pathlib.Path | None = None) -> pathlib.Path:
    """Write the file of a registered prediction. Raises `MppsError` where one of that name exists."""
    import yaml

    folder = folder or _folder()
    file = folder / f"{content['path']}_{content['scope'].replace(' ', '_')}_{content['date']}.yaml"
    if file.exists():
        raise MppsError(f"{file.name} exists: a registered prediction is not written over; register under another date")
    folder.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120, default_flow_style=None)
    file.write_text(text, encoding="utf-8")
    return file


def made_again(found: Registered) -> list[dict]:
    """The prediction as today's code and data make it, beside what was registered: rows of variant, n, quantiles,
    again, errors (Monte Carlo standard error of their difference, in log), off (largest difference in such errors).

    Raises `DataError` when a table is not the one that was used.
    """
    content = found.content
    path = load_path(content["path"])
    for name, sha256 in content["data_sha256"].items():
        if load_table(name.removesuffix(".csv")).card.sha256 != sha256:
            raise DataError(f"{found.name}: {name} is not the table that it was made from: register a new one")
    fitted = compare.fit(path, content["scope"], seed=content["seed"])
    counts = sorted({row["n"] for row in content["predictions"]})
    again = {}
    for variant in dict.fromkeys(row["variant"] for row in content["predictions"]):
        forecast = _forecast(fitted, variant, counts)
        again |= {(variant, int(n)): forecast.quantiles[:, k] for k, n in enumerate(forecast.n)}
    return [_beside(row, again[row["variant"], row["n"]], content["draws"]) for row in content["predictions"]]


def agrees(found: Registered) -> bool:
    """Whether today's code makes the registered prediction again, within Monte Carlo error."""
    return all(row["off"] <= TOLERANCE for row in made_again(found))


def _beside(row: dict, again, draws: int) -> dict:
    then, now = np.log(row["quantiles"]), np.log(again)
    errors = _errors(then, draws)
    return {
        "variant": row["variant"],
        "n": row["n"],
        "quantiles": list(row["quantiles"]),
        "again": [float(value) for value in again],
        "errors": [float(value) for value in errors],
        "off": float(np.max(np.abs(now - then) / errors)),
    }


def _errors(quantiles, draws: int) -> np.ndarray:
    """Standard error (5,) of the difference between two sets of log quantiles from so many draws each.

    That of one sample quantile is sqrt(p (1 - p) / draws) over the density there. The density is the lower of two: from
    the spacing of the quantiles, too high in the tails, and from normal halves, too high between two modes.
    """
    levels = np.array(LEVELS)
    normal = np.array([-1.645, -0.674, 0.0, 0.674, 1.645])
    halves = np.array([quantiles[2] - quantiles[0], quantiles[4] - quantiles[2]]) / 1.645
    spread = np.where(normal < 0, halves[0], np.where(normal > 0, halves[1], halves.mean()))
    density = np.minimum(np.gradient(levels, quantiles), np.exp(-(normal**2) / 2) / np.sqrt(2 * np.pi) / spread)
    return np.sqrt(2 * levels * (1 - levels) / draws) / density


def _forecast(fitted: Fit, variant: str, cores) -> Forecast:
    forecast = predict(fitted.path, cores, variant=variant, fitted=fitted, seed=fitted.seed)
    if forecast.hypothetical.any():
        least = int(forecast.n[forecast.hypothetical].min())
        raise MppsError(
            f"{forecast.machine} has no {least} {fitted.path.sender}s: what is registered can be measured there; "
            "predict beyond it for a machine that is named"
        )
    return forecast


def _part(one) -> dict:
    mechanism = one.mechanism
    family = mechanism.handoff + (" relative" if mechanism.relative else "")
    return {
        "mechanism": mechanism.name,
        "family": family,
        "reading": mechanism.reading,
        "variation": float(mechanism.variation),
        "weight": _rounded(one.weight),
        "draws": len(one.members),
    }


def _rounded(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")


def _folder() -> pathlib.Path:
    return data_folder() / "registered"


def main(arguments=None) -> None:
    """Write a registered prediction."""
    parser = argparse.ArgumentParser(prog="python -m mpps.registered", description=__doc__.splitlines()[0])
    parser.add_argument("path")
    for name in ("scope", "cores", "date", "commit"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(arguments)
    cores = [int(n) for n in asked.cores.split(",")]
    content = register(load_path(asked.path), asked.scope, cores, date=asked.date, commit=asked.commit, seed=asked.seed)
    print(write(content).name)


if __name__ == "__main__":
    main()
