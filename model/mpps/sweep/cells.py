"""The cells of a sweep, prepared: whatever no worker of a cluster can do.

Whatever needs the workbook's data (the fit, the move to the machine, the correction by event simulation, the structural
error) is done here, once for all parameter sets of a cell.
"""

from dataclasses import replace

import numpy as np

from mpps.compare import fit
from mpps.errors import MppsError
from mpps.machine import Machine, has_cores, load_machine
from mpps.path import CodePath, Mechanism, Variant
from mpps.predict import inputs_of, predict, scatter_of, scope_for
from mpps.predict import unit_of as unit_of_fit
from mpps.sweep import loaded as loads
from mpps.sweep.cell import UNCHANGED, Cell, Part
from mpps.sweep.kernel import constant, rates
from mpps.sweep.outputs import LOADED


def prepared(spec, key: tuple) -> Cell:
    """The cell of (variant, machine, placement, place in `spec.changes`); raises `MppsError` as what it calls does."""
    if spec.subject == "table":
        from mpps.sweep.of_table import table_cell

        return table_cell(spec, key[0])
    if spec.subject == "network":
        return _network_cell(spec)
    return _path_cell(spec, *key)


def network_path(handoff: str, names) -> tuple[CodePath, Variant, Mechanism]:
    """A closed network given by its numbers: private_ns, growth_ns, section_ns and what the hand-off form takes."""
    from mpps.path import STATION, Parameter, Stage

    growth = "private_ns + growth_ns*(n - 1)" if "growth_ns" in names else "private_ns"
    stages = (
        Stage("private work", growth, "work on the core of each sender"),
        Stage("section", "section_ns", "work that all senders do one after the other", on=STATION),
    )
    known = (
        Parameter("private_ns", "ns", 1e-3, 1e12, "private work of a lap, sender alone"),
        Parameter("section_ns", "ns", 1e-3, 1e12, "serial section of a lap, before any queue"),
        Parameter("growth_ns", "ns", 1e-6, 1e12, "what each further sender adds to the private work of all"),
    )
    variant = Variant("network", ("private work", "section"))
    mechanism = Mechanism(handoff, "given", handoff)
    path = CodePath("network", "a network by its numbers", "", "", known, stages, (variant,), (mechanism,), ())
    return path, variant, mechanism


def _network_cell(spec) -> Cell:
    path, variant, mechanism = network_path(spec.name, spec.axes.names)
    n = np.array(spec.cores)
    part = Part(mechanism, {}, np.ones((1, len(n))), constant(path, variant, mechanism))
    words = (
        {"says": "each lap carries one packet; private work and sections vary exponentially (exact product form)"},
    )
    return Cell({"variant": f"network, {spec.name}"}, n, "packets/s", 1.0, 0, path, variant, (part,), words=words)


def _path_cell(spec, name: str, machine: str | None, placement: str | None, change: int) -> Cell:
    from mpps.paths import load_path

    path = load_path(spec.name)
    source = load_machine(path.machine)
    target = source if machine is None else load_machine(spec.file_of(machine))
    variant, changes = path.variant(name), list(spec.changes[change])
    other = variant if spec.against == UNCHANGED else spec.against and path.variant(spec.against)
    fitted = _fitted(path, variant, other, changes, spec.seed)
    found = _cell(spec, fitted, variant, target, placement, changes)
    if other is None:
        return found
    return replace(found, against=replace(_cell(spec, fitted, other, target, placement, []), noise=None))


def _fitted(path, variant, other, changes, seed: int):
    """The joint fit that answers: that of the variant, before and after the changes, or the first with the other one too."""
    if changes:
        from mpps.alter import fit_for_changes

        fitted = fit_for_changes(path, variant, changes, seed=seed)
    else:
        fitted = fit(path, scope_for(path, variant).name, seed=seed)
    if other is None or other.name in path.scope(fitted.scope).variants:
        return fitted
    for scope in path.scopes:
        if {variant.name, other.name} <= set(scope.variants):
            return fit(path, scope.name, seed=seed)
    raise MppsError(
        f"no joint fit of {path.slug} has {other.name!r} and {variant.name!r}: compare variants of one table"
    )


def _cell(spec, fitted, variant, target: Machine, placement, changes) -> Cell:
    name, words, settings, changed, change = variant.name, [], {}, fitted, "none"
    loaded = bool(set(spec.outputs) & LOADED.keys())
    queues, flows = max(spec.cores), None
    if changes:
        from mpps.alter import altered, parse_changes

        if loaded:
            from mpps.load.forecast import split_queues

            told, (changes, queues, flows) = (
                altered(fitted, variant, changes).change,
                split_queues(parse_changes(changes)),
            )

        new = altered(fitted, variant, changes)
        changed, variant, settings = new.fitted, new.variant, dict(new.settings)
        change = told if loaded else new.change
        words = [*map(assumed, new.assumptions), *({"says": text} for text in (*new.notes, *new.tradeoffs))]
    n, path, full = np.array(spec.cores), changed.path, variant
    if loaded:
        from mpps.load.forecast import counts_up_to, without_ceilings

        n, variant = counts_up_to(min(max(n), queues)), without_ceilings(path, variant)
    where = {"placement": placement or "packed"}
    said = predict(path, n, variant=variant, machine=target, settings=settings, seed=spec.seed, fitted=changed, **where)
    source = load_machine(path.machine)
    parts, first = [], 0
    chosen = chosen_draws(len(said.curves), None if spec.every else spec.draws, spec.seed)
    for index, one in enumerate(changed.kept):
        values, mechanism, _ = inputs_of(
            changed, index, n, source, target, settings, spec.seed, variant=variant, **where
        )
        rows = slice(first, first + len(one.members))
        first = rows.stop
        alike = constant(path, variant, mechanism) and all(value.shape[1] == 1 for value in values.values())
        alone = rates(path, variant, mechanism, values, n, alike).T
        factor = np.exp(said.curves[rows]) / alone
        if not spec.draws:
            # One set: the medians of the best mechanism's members.
            values = {name: np.exp(np.median(np.log(value), axis=0))[None] for name, value in values.items()}
            parts.append(Part(mechanism, values, np.exp(np.median(np.log(factor), axis=0))[None], alike))
            break
        mine = chosen[(chosen >= rows.start) & (chosen < rows.stop)] - rows.start
        if len(mine):
            values = {name: value if len(value) == 1 else value[mine] for name, value in values.items()}
            parts.append(Part(mechanism, values, factor[mine], alike))
    noise = below = None
    if loaded:
        below = loads.below(spec, full, len(said.curves), chosen, queues, flows)
    elif spec.draws:
        noise = scatter_of(changed, variant) * scatter_draws(spec.seed, len(said.curves), n)[:, chosen]
    labels = {"variant": name, "machine": target.slug}
    if any(each is not None for each in spec.placement):
        labels["placement"] = placement or "packed"
    if any(spec.changes):
        labels["change"] = change
    return Cell(
        labels,
        n,
        said.unit,
        scale_of(said.unit, path.packet_bytes),
        len(chosen) if spec.draws else 0,
        replace(path, variants=(), checks=(), scopes=()),
        variant,
        tuple(parts),
        noise,
        hypothetical=~has_cores(target, np.array(spec.cores)),
        extrapolated=said.extrapolated
        if below is None
        else np.isin(spec.cores, n[said.extrapolated]) | (spec.cores > n[-1]),
        below=below,
        words=(*({"says": text} for text in said.notes), *map(assumed, said.assumptions), *words),
        notes={"joint fit": fitted.scope, "measured in": unit_of_fit(changed, variant)},
    )


def chosen_draws(have: int, wanted: int | None, seed: int) -> np.ndarray:
    """Indices of `wanted` of `have` draws, ascending: one of each of as many equal parts; all when None or no more."""
    if not wanted or wanted >= have:
        return np.arange(have)
    edges = np.linspace(0, have, wanted + 1)
    inside = np.random.default_rng([seed, 6]).random(wanted)
    return np.unique(np.floor(edges[:-1] + inside * np.diff(edges)).astype(int))


def scatter_draws(seed: int, draws: int, n) -> np.ndarray:
    """Normal draws (P, draws) that belong to a count: those that `mpps.predict` adds to its curves."""
    return np.stack([np.random.default_rng([seed, 2, int(count)]).standard_normal(draws) for count in n])


def scale_of(unit: str, packet_bytes) -> float:
    """What one packet/s is in `unit`, as `mpps.predict` has it."""
    from mpps.units import from_rate_pps

    return 1.0 if unit == "ns/element" else float(from_rate_pps(1.0, unit, packet_bytes))


def assumed(one) -> dict:
    """An assumption as the metadata list it."""
    return {
        "says": one.name,
        "median": one.median,
        "lower": one.lower,
        "upper": one.upper,
        "unit": one.unit,
        "why": one.why,
    }
