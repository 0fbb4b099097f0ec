"""Code paths: every shipped one is sound, and stages, variants and mechanisms compile to the networks that they mean."""

import itertools
import pathlib
from dataclasses import replace

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from mpps import measurements, network, paths
from mpps.errors import MppsError, UnknownNameError
from mpps.locks import FORMS
from mpps.machine import load_machine
from mpps.path import (
    CEILING,
    CORE,
    ROLES,
    STATION,
    CodePath,
    Mechanism,
    Parameter,
    Stage,
    Variant,
    active_parameters,
    evaluate,
    formula,
    handoff_parameters,
    lap,
    pinned,
    rate_pps,
    sections,
    under_ceiling,
    without_stage,
)

PATHS = {slug: paths.load_path(slug) for slug in paths.names()}
GIVEN = {"n", "shared", "cross"}
FUNCTIONS = {"at", "exp", "log", "sqrt", "minimum", "maximum"}
SENDERS = np.array([1, 2, 4, 8, 16])

every_path = pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
#: Each path under each kind of mechanism: those that differ in how variable the work is compile to the same network.
KINDS = {(slug, m.handoff, m.relative, m.reading, m.parts, m.domain, m.without): (p, m) for slug, p in PATHS.items() for m in p.mechanisms}
every_case = pytest.mark.parametrize(("path", "mechanism"), [pytest.param(p, m, id=f"{p.slug}: {m.name}") for p, m in KINDS.values()])


def texts(path):
    """Every formula of a path with the stage or variant that it belongs to."""
    for stage in path.stages:
        yield stage.name, stage.demand
        yield stage.name, stage.share
    for variant in path.variants:
        yield variant.name, variant.packets_per_lap


def names_in(text):
    return {str(symbol) for symbol in formula(text).free_symbols}


def draw(path, mechanism, count=3, seed=0, inside=0.25):
    """Random values of all parameters from the middle of their bounds: name -> (count, 1)."""
    rng = np.random.default_rng(seed)
    parameters = (*path.parameters, *handoff_parameters([mechanism]))
    middle = {p.name: (np.log(p.lower) + np.log(p.upper)) / 2 for p in parameters}
    reach = {p.name: inside * np.log(p.upper / p.lower) for p in parameters}
    return {name: np.exp(middle[name] + reach[name] * rng.uniform(-1, 1, (count, 1))) for name in middle}


# Every shipped path


@every_path
def test_formulas_are_what_is_computed(path):
    rng = np.random.default_rng(2)
    for where, text in texts(path):
        for n in (1.0, 2.0, 8.0, 13.0):
            values = {parameter.name: rng.uniform(0.5, 2.0) for parameter in path.parameters}
            values |= {"n": n, "shared": float(n > 1), "cross": rng.uniform(0, 1)}
            expression = formula(text).replace(sympy.Function("at"), lambda a, b, n=n: sympy.Integer(int(n) == int(b)))
            expected = expression.subs({sympy.Symbol(name, positive=True): value for name, value in values.items()})
            assert float(evaluate(text, values)) == pytest.approx(float(expected), rel=1e-12), (where, text)


@every_path
def test_names_lead_somewhere(path):
    stages, variants, mechanisms = ([one.name for one in group] for group in (path.stages, path.variants, path.mechanisms))

    for group in (stages, variants, mechanisms, [p.name for p in path.parameters], [s.name for s in path.scopes]):
        assert len(set(group)) == len(group) > 0
    for stage in path.stages:
        assert set(stage.inside) <= set(stages) - {stage.name}
        assert stage.on in (CORE, STATION, CEILING) and stage.per in ("packet", "skb") and stage.words
    for variant in path.variants:
        assert variant.stages and set(variant.stages) <= set(stages)
        assert len(set(variant.stages)) == len(variant.stages)
    for mechanism in path.mechanisms:
        assert mechanism.handoff in FORMS and set(mechanism.without) <= set(stages) and mechanism.odds > 0 and mechanism.words
    for scope in path.scopes:
        assert set(scope.variants) <= set(variants)
    assert set(stages) == {name for variant in path.variants for name in variant.stages}
    assert set(variants) == {name for scope in path.scopes for name in scope.variants}
    assert {stage for stage, _ in path.tradeoffs} <= set(stages)
    assert path.title and path.question.endswith("?") and load_machine(path.machine).slug == path.machine


@every_path
def test_every_measured_variant_finds_its_rows(path):
    for variant in path.variants:
        if not variant.dataset:
            continue
        table = measurements.load(variant.dataset)
        for metric, kind in variant.observe:
            assert kind in ("rate", "idle")
            found = table.series(metric, variant=variant.series, **dict(variant.where))
            assert sum(len(series.n) for series in found) > 0, (variant.name, metric)
    assert {dataset for dataset, _ in path.scatter} >= {v.dataset for v in path.variants if v.dataset}


@every_path
def test_every_parameter_is_used_and_every_name_is_a_parameter(path):
    used = set().union(*(names_in(text) for _, text in texts(path)))
    known = {parameter.name for parameter in path.parameters}

    assert used - GIVEN == known
    for _, text in texts(path):
        assert {str(one.func) for one in formula(text).atoms(sympy.Function)} <= FUNCTIONS


@every_case
def test_the_parameters_of_a_fit_are_those_that_move_it(path, mechanism):
    """Each active parameter changes the rate of some variant, and no other does."""
    middle = draw(path, mechanism, count=1)

    def moves(variants, name):
        # From a millionth to a million times: a ceiling shows only where it is the lowest.
        steps = [[middle | {name: middle[name] * factor * step} for step in (1.0, 1.3)] for factor in (1.0, 1e-3, 1e3, 1e-6, 1e6)]
        return any(
            not np.allclose(*(rate_pps(path, variant, mechanism, values, SENDERS) for values in pair), rtol=1e-9)
            for pair in steps
            for variant in variants
        )

    for scope in path.scopes:
        variants = [path.variant(name) for name in scope.variants]
        active = {parameter.name for parameter in active_parameters(path, variants, mechanism)}
        assert {name for name in middle if moves(variants, name)} == active, scope.name


@every_path
def test_bounds_and_priors_are_sane(path):
    for parameter in (*path.parameters, *handoff_parameters(path.mechanisms)):
        assert 0 < parameter.lower < parameter.upper < np.inf, parameter.name
        assert parameter.role in ROLES and parameter.unit and parameter.meaning
        assert parameter.name.endswith("_ns") == (parameter.unit == "ns"), parameter.name
        prior = parameter.prior
        if prior:
            assert parameter.lower <= prior.lower < prior.median < prior.upper <= parameter.upper, parameter.name
            assert prior.median == pytest.approx(np.sqrt(prior.lower * prior.upper), rel=0.12), parameter.name
            assert prior.why


@every_case
def test_rates_are_positive_and_below_every_ceiling(path, mechanism):
    values = draw(path, mechanism, count=20, inside=0.5)
    for variant in path.variants:
        rate = rate_pps(path, variant, mechanism, values, SENDERS)
        numbers = lap(path, variant, mechanism, values, SENDERS)
        work = numbers.think_ns + (0 if numbers.section_ns is None else numbers.section_ns)

        assert np.isfinite(rate).all() and (rate > 0).all()
        assert (rate <= numbers.ceiling_pps * (1 + 1e-12)).all()
        assert (rate <= SENDERS * numbers.packets / work * 1e9 * (1 + 1e-9)).all()
        if numbers.section_ns is not None:
            assert (rate <= numbers.packets / numbers.section_ns * 1e9 * (1 + 1e-9)).all()


@every_case
def test_the_order_of_core_counts_does_not_matter(path, mechanism):
    """Asked alone, backwards, or among others, a core count has one answer."""
    values = draw(path, mechanism)
    for variant in path.variants:
        together = rate_pps(path, variant, mechanism, values, SENDERS)
        backwards = rate_pps(path, variant, mechanism, values, SENDERS[::-1])[:, ::-1]
        alone = np.concatenate([rate_pps(path, variant, mechanism, values, [n]) for n in SENDERS], axis=1)
        pairs = np.concatenate([rate_pps(path, variant, mechanism, values, [n, 1])[:, :1] for n in SENDERS], axis=1)

        for answer in (backwards, alone, pairs):
            assert answer == pytest.approx(together, rel=1e-9)


@every_case
def test_parameter_sets_do_not_touch_each_other(path, mechanism):
    values = draw(path, mechanism, count=4)
    for variant in path.variants:
        together = rate_pps(path, variant, mechanism, values, SENDERS)
        loop = [rate_pps(path, variant, mechanism, {k: v[b : b + 1] for k, v in values.items()}, SENDERS)[0] for b in range(4)]

        assert together == pytest.approx(np.array(loop), rel=1e-9)


@every_case
def test_twice_the_nanoseconds_are_half_the_rate(path, mechanism):
    """Demands are times: formulas have the dimension that their parameters' units say."""
    values = draw(path, mechanism)
    slower = {}
    for parameter in (*path.parameters, *handoff_parameters([mechanism])):
        factor = 2.0 if parameter.unit == "ns" else 0.5 if parameter.unit in ("packets/s", "Gbit/s") else 1.0
        slower[parameter.name] = values[parameter.name] * factor
    for variant in path.variants:
        rate = rate_pps(path, variant, mechanism, values, SENDERS)
        assert rate_pps(path, variant, mechanism, slower, SENDERS) == pytest.approx(rate / 2, rel=1e-6)


@every_path
def test_a_stage_taken_away_is_the_variant_that_the_path_lists(path):
    """The path's own answer to "without this stage" is the variant of the same table that differs in it alone."""
    mechanism = path.mechanisms[0]
    values = draw(path, mechanism)
    for before, after in itertools.permutations(path.variants, 2):
        gone = set(before.stages) - set(after.stages)
        alike = before.dataset == after.dataset and before.packets_per_lap == after.packets_per_lap
        if len(gone) != 1 or not alike or set(after.stages) - set(before.stages):
            continue
        changed = without_stage(path, before, *gone)

        assert set(changed.stages) == set(after.stages)
        expected = rate_pps(path, after, mechanism, values, SENDERS)
        assert rate_pps(path, changed, mechanism, values, SENDERS) == pytest.approx(expected, rel=1e-12)


def test_both_locks_without_the_outer_one_is_the_inner_one_alone():
    path = PATHS["pppoe_receive"]
    changed = without_stage(path, path.variant("both locks"), "socket lock")

    assert changed.stages == path.variant("ppp lock only").stages
    assert changed.name == "both locks without socket lock"
    for mechanism in path.mechanisms:
        values = draw(path, mechanism)
        expected = rate_pps(path, path.variant("ppp lock only"), mechanism, values, SENDERS)
        assert rate_pps(path, changed, mechanism, values, SENDERS) == pytest.approx(expected, rel=1e-12)


def test_no_other_module_names_a_path():
    folder = pathlib.Path(paths.__file__).parent.parent
    searched, hits = 0, []
    for file in sorted(folder.rglob("*")):
        if not file.is_file() or file.is_relative_to(folder / "paths") or "__pycache__" in file.parts:
            continue
        searched += 1
        text = file.read_text(encoding="utf-8", errors="ignore")
        hits += [f"{file.relative_to(folder)}: {slug}" for slug in PATHS if slug in text]

    assert searched > 30
    assert not hits


# Names that do not exist


@every_path
def test_unknown_names_are_told_with_the_known_ones(path):
    variant, stage, parameter = path.variants[0].name, path.stages[0].name, path.parameters[0].name

    with pytest.raises(UnknownNameError, match="did you mean"):
        path.variant(variant + "s")
    with pytest.raises(UnknownNameError, match="did you mean"):
        path.stage(stage[:-1])
    with pytest.raises(UnknownNameError, match="did you mean"):
        path.parameter(parameter + "x")
    with pytest.raises(UnknownNameError, match=path.scopes[0].name):
        path.scope("nothing")
    with pytest.raises(UnknownNameError, match="unknown stage"):
        without_stage(path, path.variants[0], "nothing")


def test_an_unknown_path_is_told_with_the_nearest():
    with pytest.raises(UnknownNameError, match="unknown code path 'pppoe_recieve': did you mean 'pppoe_receive'"):
        paths.load_path("pppoe_recieve")


# A small path, so that every number can be written down


WORK = Stage("work", "work_ns", "private work")
BODY = Stage("body", "body_ns", "under a lock where there is one", per="skb", inside=("lock",))
LOCK = Stage("lock", "lock_ns", "the lock", on=STATION, per="skb")
LINE = Stage("line", "line_ns", "fetched under the lock only", on=STATION, per="skb", inside=("lock",))
WIRE = Stage("wire", "wire_pps", "what the wire carries", on=CEILING)
HOLD = Stage("hold", "hold_pps", "holds while there is a lock", on=CEILING, inside=("lock",))
STAGES = (WORK, BODY, LOCK, LINE, WIRE, HOLD)
PLAIN = Mechanism("plain", "the plain network")
VALUES = {"work_ns": 600.0, "body_ns": 80.0, "lock_ns": 20.0, "line_ns": 10.0, "wire_pps": 1e9, "hold_pps": 9e8, "packets": 4.0}
VALUES = {name: np.array([[value]]) for name, value in VALUES.items()}


def small(stages, packets="1", mechanism=PLAIN):
    names = ("work_ns", "body_ns", "lock_ns", "line_ns", "wire_pps", "hold_pps", "packets")
    parameters = tuple(Parameter(name, "ns" if name.endswith("_ns") else "ratio", 1e-3, 1e12, name) for name in names)
    variant = Variant("it", tuple(stage.name for stage in stages), packets_per_lap=packets)
    return CodePath("small", "Small", "How small?", "none", parameters, STAGES, (variant,), (mechanism,), ()), variant


def test_work_inside_a_lock_moves_to_the_station():
    path, variant = small((WORK, BODY, LOCK, LINE))
    numbers = lap(path, variant, PLAIN, VALUES, SENDERS)

    assert numbers.think_ns == pytest.approx(600)
    assert numbers.section_ns == pytest.approx(110)
    expected = network.throughput(SENDERS, np.full(len(SENDERS), 600.0), np.full(16, 110.0)) * 1e9
    assert rate_pps(path, variant, PLAIN, VALUES, SENDERS)[0] == pytest.approx(expected, rel=1e-12)


def test_without_the_lock_its_body_is_private_and_its_line_is_gone():
    path, variant = small((WORK, BODY, LINE))
    numbers = lap(path, variant, PLAIN, VALUES, SENDERS)

    assert numbers.section_ns is None
    assert rate_pps(path, variant, PLAIN, VALUES, SENDERS)[0] == pytest.approx(SENDERS / 680e-9)


def test_a_ceiling_inside_a_lock_goes_with_it():
    locked, with_lock = small((WORK, LOCK, WIRE, HOLD))
    free, without = small((WORK, WIRE, HOLD))

    assert lap(locked, with_lock, PLAIN, VALUES, SENDERS).ceiling_pps == pytest.approx(9e8)
    assert lap(free, without, PLAIN, VALUES, SENDERS).ceiling_pps == pytest.approx(1e9)


def test_a_lap_of_several_packets_shares_what_runs_once_per_skb():
    path, variant = small((WORK, BODY, LOCK), packets="packets")
    numbers = lap(path, variant, PLAIN, VALUES, SENDERS)

    assert numbers.think_ns == pytest.approx(4 * 600)
    assert numbers.section_ns == pytest.approx(100)
    alone = rate_pps(path, variant, PLAIN, VALUES, [1])[0, 0]
    crowd = rate_pps(path, variant, PLAIN, VALUES, [4000])[0, 0]
    assert alone == pytest.approx(1e9 / (600 + 100 / 4))
    # The lock's demand per packet is a quarter, so four times the packets pass.
    assert crowd == pytest.approx(1e9 / (100 / 4), rel=1e-9)


def test_a_share_of_a_station_leaves_the_rest_to_another_core():
    shared = replace(LOCK, share="0.25")
    path, variant = small((WORK, shared))
    path = replace(path, stages=(WORK, shared))
    numbers = lap(path, variant, PLAIN, VALUES, SENDERS)

    assert numbers.think_ns == pytest.approx(600 + 15)
    assert numbers.section_ns == pytest.approx(5)


def test_readings_without_queues():
    path, variant = small((WORK, BODY, LOCK))
    spread, bound = (replace(PLAIN, name=reading, reading=reading) for reading in ("spread", "bound"))

    assert rate_pps(path, variant, spread, VALUES, SENDERS)[0] == pytest.approx(SENDERS / 700e-9)
    assert rate_pps(path, variant, bound, VALUES, SENDERS)[0] == pytest.approx(np.minimum(SENDERS / 700e-9, 1 / 100e-9))


def test_a_mechanism_can_deny_a_stage():
    path, variant = small((WORK, BODY, LOCK))
    denied = replace(PLAIN, without=("lock",))

    assert rate_pps(path, variant, denied, VALUES, SENDERS)[0] == pytest.approx(SENDERS / 680e-9)


HUMP = Mechanism("hump", "a hump", "hump")
HUMP_VALUES = VALUES | {"handoff_peak_ns": np.array([[150.0]]), "handoff_depth": np.array([[5.0]]), "section_ns": np.array([[50.0]])}
DEPTH = np.arange(1.0, 41)


def section_of(mechanism, depth=DEPTH):
    path, variant = small((WORK, BODY, LOCK))
    return sections(mechanism, lap(path, variant, mechanism, HUMP_VALUES, SENDERS), HUMP_VALUES, depth)[0, 0]


def test_hand_off_adds_to_the_section_or_scales_it():
    extra = section_of(HUMP) - 100

    assert extra[0] == 0
    assert extra[5] == pytest.approx(150)
    assert section_of(replace(HUMP, relative=True)) == pytest.approx(100 * (1 + extra / 50))


def test_one_sender_has_a_section_of_its_own():
    """An uncontended lock costs something else than one that others have held; asked together, each has its own."""
    once = replace(LOCK, demand="lock_ns*(1 - shared) + line_ns*shared")
    path, variant = small((WORK, once))
    path = replace(path, stages=(WORK, once))

    for counts in ([1, 2, 4], [4, 1], [1], [3]):
        numbers = lap(path, variant, PLAIN, VALUES, np.array(counts))
        table = np.broadcast_to(sections(PLAIN, numbers, VALUES, DEPTH), (1, len(counts), 40))
        assert list(table[0, :, 0]) == [20.0 if n == 1 else 10.0 for n in counts]
        assert rate_pps(path, variant, PLAIN, VALUES, counts)[0, -1] == pytest.approx(rate_pps(path, variant, PLAIN, VALUES, counts[-1:])[0, 0])


def test_a_clamped_hand_off_stays_as_it_is_at_that_depth():
    clamped = section_of(replace(HUMP, clamp_depth=9.0))

    assert clamped[:9] == pytest.approx(section_of(HUMP)[:9])
    assert clamped[8:] == pytest.approx(np.full(32, section_of(HUMP)[8]))


def test_low_variance_splits_senders_at_most_in_four():
    assert [replace(HUMP, reading="start", variation=v).parts for v in (1.0, 0.7, 0.5, 0.3, 0.1)] == [1, 2, 4, 4, 4]
    assert replace(HUMP, variation=0.1).parts == 1  # exponential, whatever it says


def test_a_pinned_parameter_keeps_its_value():
    path, _ = small((WORK, LOCK))
    held = pinned(path, work_ns=321.0).parameter("work_ns")

    assert held.lower < 321 < held.upper and held.upper / held.lower < 1 + 1e-6
    assert path.parameter("work_ns").lower == 1e-3
    with pytest.raises(UnknownNameError, match="work_ns"):
        pinned(path, wrok_ns=1.0)


def test_a_stage_that_a_variant_does_not_have_cannot_go():
    path, variant = small((WORK, LOCK))

    with pytest.raises(MppsError, match="'it' of small has no stage 'wire'; its stages: work, lock"):
        without_stage(path, variant, "wire")


@settings(max_examples=100)
@given(st.floats(1e-3, 1e12), st.one_of(st.just(np.inf), st.floats(1e-3, 1e12)))
def test_under_a_ceiling(rate, ceiling):
    found = float(under_ceiling(np.float64(rate), np.float64(ceiling)))

    assert 0.978 * min(rate, ceiling) <= found <= min(rate, ceiling)
    if rate < 0.5 * ceiling:
        assert found == pytest.approx(rate, rel=1e-9)
