"""The names of a spec against what the workbook has: path, variants, machines, parameters, changes, draws."""

from dataclasses import replace

from mpps.errors import MppsError
from mpps.sweep.cell import UNCHANGED
from mpps.sweep.spec import Spec, chosen, wrong


def named(spec: Spec, place) -> Spec:
    """The spec with every variant named. Raises `MppsError` for a name that nobody knows and for what does not go together."""
    check = {"path": _path, "table": _table, "network": _network}[spec.subject]
    spec = check(spec, place)
    if len(set(spec.variants)) < len(spec.variants):
        raise wrong(place, ("variants",), list(spec.variants), "every variant once")
    work = len(spec.keys) * spec.axes.size * max(spec.draws, 1) * len(spec.cores)
    if work > spec.limit:
        parts = {
            "variants": len(spec.variants),
            "machines": len(spec.machines),
            "placements": len(spec.placement),
            "sets of changes": len(spec.changes),
            "parameter sets": spec.axes.size,
            "draws": max(spec.draws, 1),
            "core counts": len(spec.cores),
        }
        told = " x ".join(f"{count:,} {name}" for name, count in parts.items() if count > 1)
        days = work / 1e7 / 86400
        raise MppsError(
            f"{spec.file}: found {work:.3g} rates to compute ({told}), which takes about {days:,.1f} days of one core: expected at "
            f"most {spec.limit:.3g}; ask for fewer, set draws: 0 for the best estimate alone, or allow it with limit: {work * 1.01:.2g}"
        )
    return spec


def _path(spec: Spec, place) -> Spec:
    from mpps.machine import load_machine
    from mpps.path import active_parameters
    from mpps.paths import load_path, names

    chosen(place, ("path",), spec.name, "code path", names())
    path = load_path(spec.name)
    known = [variant.name for variant in path.variants]
    for name in spec.variants:
        chosen(place, ("variants",), name, "variant", known)
    if spec.against is not None:
        chosen(place, ("against",), spec.against, "variant", [*known, UNCHANGED])
    variants = spec.variants or tuple(known)
    for machine in spec.machines:
        if machine is not None:
            try:
                load_machine(spec.file_of(machine))
            except MppsError as error:
                raise MppsError(f"{place('machines')}: {error}") from None
    used = {
        parameter.name
        for name in variants
        for mechanism in path.mechanisms
        for parameter in active_parameters(path, [path.variant(name)], mechanism)
    }
    if spec.changes != ((),):
        used |= _changed(spec, path, variants, place)
    for name in spec.axes.names:
        if name in used:
            continue
        try:
            path.parameter(name)
        except MppsError as error:
            raise MppsError(f"{place('parameters', name)}: {error}") from None
        raise MppsError(
            f"{place('parameters', name)}: {name} enters none of the variants {', '.join(variants)}; they have "
            f"{', '.join(sorted(used))}"
        )
    return replace(spec, variants=variants)


def _changed(spec: Spec, path, variants, place) -> set[str]:
    """Parameters of the variants after each set of changes. Raises `MppsError` for a change that one of them cannot take."""
    from mpps.alter import altered, fit_for_changes, parse_changes
    from mpps.path import active_parameters

    used = set()
    for index, changes in enumerate(spec.changes):
        try:
            parse_changes(list(changes))
            for name in variants if changes else ():
                new = altered(fit_for_changes(path, name, list(changes), seed=spec.seed), name, list(changes))
                both = [each for each in spec.axes.names if each in new.settings]
                if both:
                    raise MppsError(f"it sets {', '.join(both)}, and so does the key parameters: keep one of them")
                for one in new.fitted.kept:
                    used |= {each.name for each in active_parameters(new.path, [new.variant], one.mechanism)}
        except MppsError as error:
            raise MppsError(f"{place('changes', index)}: {error}") from None
    return used


def _table(spec: Spec, place) -> Spec:
    from mpps.sweep.of_table import check_outputs, series_of

    _nothing_else(spec, place, "a table of rates", machines=(None,), placement=(None,), changes=((),), against=None)
    if spec.axes.names:
        raise MppsError(
            f"{place('parameters')}: a table has no parameters to set: leave the key out, or sweep a code path"
        )
    check_outputs(spec, place)
    known = [series.variant for series in series_of(spec)]
    for name in spec.variants:
        chosen(place, ("variants",), name, "variant", known)
    return replace(spec, variants=spec.variants or tuple(dict.fromkeys(known)))


def _network(spec: Spec, place) -> Spec:
    from mpps.locks import FORMS
    from mpps.sweep.outputs import LOADED

    for name in spec.outputs:
        if name in LOADED:
            raise MppsError(
                f"{place('outputs')}: {name} needs a code path; a network by its numbers has no queues of packets"
            )

    forms = [name for name in FORMS if name != "topology"]
    chosen(place, ("network",), spec.name, "form of the hand-off", forms)
    _nothing_else(
        spec,
        place,
        "a network by its numbers",
        variants=(),
        machines=(None,),
        placement=(None,),
        changes=((),),
        against=None,
    )
    needed = ("private_ns", "section_ns", *(name for name, *_ in FORMS[spec.name].parameters))
    for name in spec.axes.names:
        chosen(place, ("parameters", name), name, "parameter", (*needed, "growth_ns"))
    missing = [name for name in needed if name not in spec.axes.names]
    if missing:
        raise MppsError(
            f"{place('parameters')}: missing {', '.join(missing)}: a network by its numbers needs {', '.join(needed)}"
        )
    return replace(spec, variants=("network",))


def _nothing_else(spec, place, what: str, **usual) -> None:
    for name, value in usual.items():
        if getattr(spec, name) != value:
            raise MppsError(f"{place(name)}: {what} takes no {name}: leave the key out")
