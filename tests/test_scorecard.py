"""The scorecard: its figures against other ways to compute them, and its store."""

import ast
import itertools
import re
from dataclasses import replace

import numpy as np
import pytest

from mpps import compare, keep, paths, scorecard, stored
from mpps.baseline import fit_usl
from mpps.fit import points_of
from mpps.measurements import load
from mpps.path import Check
from mpps.predict import predict
from mpps.rounding import interval_over, rounding_interval
from mpps.scorecard import _KINDS
from samples import ROOT

TRANSMIT = paths.load_path("packet_transmit")
TAP = "qdisc with packet_rcv"


def figure(slug, kind, scope="all", **fields):
    """One figure of a path, declared on the spot."""
    path = replace(paths.load_path(slug), checks=(Check("asked here", kind, scope, **fields),))
    return scorecard.scorecard(path)[0]


def series(name):
    rates = load("packet_transmit").one("throughput", variant=name)
    return rates.n, rates.value


@pytest.mark.parametrize("slug", paths.names())
def test_declared_checks_name_what_exists(slug):
    """A wrong name in a check would end in an error, or would check nothing."""
    path = paths.load_path(slug)
    assert len({check.name for check in path.checks}) == len(path.checks)
    for check in path.checks:
        path.scope(check.scope)
        points = points_of(path, check.scope)
        assert check.kind in _KINDS
        assert all(compare.rows_of(points, [row]).any() for row in (*check.rows, *check.unseen))
        assert all(path.parameter(name) for name, _ in check.pins)
        assert set(check.mechanisms) <= {one.name for one in path.mechanisms}
        hidden = compare.rows_of(points, check.unseen or check.rows)
        assert not (compare.rows_of(points, check.rows) & ~hidden).any(), "a row is scored that the fit saw"


def test_every_kind_is_explained():
    kinds = set(_KINDS)

    assert {
        kind for kind in kinds if re.search(rf"^    (?:.*, )?{kind}(?:[,:]| {{2}})", scorecard.__doc__, re.MULTILINE)
    } == kinds


def test_the_error_of_a_fit_is_that_of_its_rows():
    fitted = compare.fit(TRANSMIT, "all")
    found = figure("packet_transmit", "fit", goal=0.04)
    ratio = np.exp(fitted.fitted - fitted.points.value)

    assert found.value == pytest.approx(np.sqrt(np.mean((ratio - 1) ** 2)))
    assert found.note.startswith("36 points, 8 parameters") and found.unit == ""


def test_the_usl_beside_it_is_that_of_another_solver():
    """Each series alone, by the fits with standard errors; left out one by one as well."""
    off, left = [], []
    for name in (variant.name for variant in TRANSMIT.variants):
        n, rate = series(name)
        off += list(fit_usl(n, rate, scale="log").predict(n) / rate - 1)
        for k in range(len(n)):
            others = np.arange(len(n)) != k
            left.append(fit_usl(n[others], rate[others], scale="log").predict(n[k]) / rate[k] - 1)

    assert figure("packet_transmit", "fit").usl == pytest.approx(np.sqrt(np.mean(np.square(off))), rel=1e-3)
    assert figure("packet_transmit", "leave one out").usl == pytest.approx(np.sqrt(np.mean(np.square(left))), rel=1e-2)
    assert figure("tun_receive", "fit").usl is None


def test_a_point_left_out_costs_more_than_a_point_fitted():
    assert figure("packet_transmit", "leave one out").value > figure("packet_transmit", "fit").value


def test_held_out_rows_are_those_of_a_fit_that_did_not_see_them():
    rows = tuple((TAP, n) for n in (9, 10, 11, 20))
    fitted = compare.fit(TRANSMIT, "all", held_out=rows)
    forecast = predict(TRANSMIT, [9, 10, 11, 20], variant=TAP, fitted=fitted)
    n, rate = series(TAP)
    seen = rate[np.isin(n, [9, 10, 11, 20])]
    error = np.abs(forecast.median / seen - 1)
    hit = (forecast.lower <= seen) & (seen <= forecast.upper)

    assert figure("packet_transmit", "held out", rows=rows).value == pytest.approx(np.sqrt(np.mean(error**2)))
    assert figure("packet_transmit", "median of held out", rows=rows).value == pytest.approx(np.median(error))
    assert figure("packet_transmit", "largest of held out", rows=rows).value == pytest.approx(error.max())
    assert figure("packet_transmit", "inside", rows=rows).value == pytest.approx(hit.mean())


def test_more_rows_can_be_hidden_than_are_scored():
    rows, more = ((TAP, 20),), tuple((TAP, n) for n in (9, 10, 11, 20))
    forecast = predict(TRANSMIT, [20], variant=TAP, fitted=compare.fit(TRANSMIT, "all", held_out=more))
    n, rate = series(TAP)

    assert figure("packet_transmit", "held out", rows=rows, unseen=more).value == pytest.approx(
        abs(forecast.median[0] / rate[n == 20][0] - 1)
    )


def test_mechanisms_can_be_chosen_and_parameters_pinned():
    """One package size alone; and a cost of delivery that the table contradicts is answered with a larger error."""
    one = figure("packet_transmit", "fit", mechanisms=("fan-out, 8 CPUs a package",))
    fitted = compare.fit(TRANSMIT, "all")
    (expected,) = (each.error for each in fitted.mechanisms if "8 CPUs" in each.mechanism.name)

    assert one.value == pytest.approx(expected, rel=1e-3)
    assert (
        figure("packet_transmit", "fit", pins=(("delivery_ns", 800.0),)).value
        > 3 * figure("packet_transmit", "fit").value
    )


def test_order_counts_the_pairs_that_come_out():
    """The bypass is faster at 8 than at 4 CPUs, the tap path at 20 is slower than at 8."""
    right, wrong = ((("bypass", 4), ("bypass", 8))), (((TAP, 8), (TAP, 20)))

    assert figure("packet_transmit", "order", rows=right).value == 1
    assert figure("packet_transmit", "order", rows=(*right, *wrong)).value == 0.5
    assert figure("packet_transmit", "order", rows=wrong, goal=1.0).met is False


def test_rounding_alone_is_that_of_the_prints():
    """275 ns: 264 to 286 by exact corners of the two prints."""
    found = figure("tun_receive", "parameter", about="backlog_ns")
    corners = interval_over(
        lambda before, after: 1e6 / before - 1e6 / after, rounding_interval("700"), rounding_interval("867")
    )
    low, high = map(float, re.search(r"alone: (\d+) to (\d+) ns", found.note).groups())

    assert found.value == pytest.approx(1e6 / 700 - 1e6 / 867, abs=1)
    assert (low, high) == pytest.approx(corners, abs=1.0)
    assert found.lower < low and high < found.upper


def test_work_of_a_packet_and_its_budgets():
    """24.6 and 18.6 us for 1492 bytes by the utilisation law; 7.537 ns against 6.72 ns at 100 Gbit/s is 1.12 budgets."""
    off, on = (figure("fraglist_gro", "cost", rows=((f"rx-gro-list {name}", 2),)) for name in ("off", "on"))

    assert off.value == pytest.approx(2 * 0.65 * 1492 * 8e3 / 630, rel=0.02)
    assert on.value == pytest.approx(2 * 0.60 * 1492 * 8e3 / 770, rel=0.02)
    assert off.unit == "ns" and off.lower < off.value < off.upper
    budget = figure("page_pool_recycle", "budget", rows=(("fast path on a link", 1),), about="line rate")
    assert budget.value == pytest.approx(7.537 / (84 * 8 / 100), rel=0.01)


def test_a_path_without_checks_shows_what_its_packets_cost():
    path = replace(paths.load_path("tun_receive"), checks=())
    found = {each.check.name: each for each in scorecard.scorecard(path)}

    assert found["work of one packet, `netif_rx`"].value == pytest.approx(1e6 / 700, rel=0.02)
    assert found["work of one packet, `netif_receive_skb`"].value == pytest.approx(1e6 / 867, rel=0.02)
    assert found["enqueue, raising the softirq, dequeue of one packet"].unit == "ns"


def test_goals_are_upper_ends_of_errors_and_lower_ends_of_shares():
    tight = figure("packet_transmit", "fit", goal=1e-6)

    assert tight.met is False
    assert figure("packet_transmit", "fit", goal=0.5).met is True
    assert figure("packet_transmit", "fit").met is None


# The store


def test_a_result_is_computed_once_for_each_question(monkeypatch, tmp_path):
    monkeypatch.setattr(keep, "cache_folder", lambda: tmp_path)
    fitted, calls = compare.fit(TRANSMIT, "all"), itertools.count()

    def ask(about):
        return keep.kept("some", fitted, ("scorecard/*.py",), lambda: next(calls), about=about)

    assert [ask("a"), ask("a"), ask("b"), ask("a")] == [0, 0, 1, 0]
    for file in tmp_path.glob("*.json"):
        file.write_text("{", encoding="utf-8")
    assert ask("a") == 2


def test_another_fit_is_another_question():
    one, other = compare.fit(TRANSMIT, "all"), compare.fit(TRANSMIT, "all", held_out=((TAP, 20),))

    assert keep._digest(one, (), ()) == keep._digest(one, (), ())
    assert (
        len(
            {
                keep._digest(one, (), ()),
                keep._digest(other, (), ()),
                keep._digest(one, (), "x"),
                keep._digest(one, ("text.py",), ()),
            }
        )
        == 4
    )


def test_all_code_behind_a_figure_is_in_its_key():
    """Every module that a figure imports is hashed, or its result is, or it is hashed with the fit."""
    package = ROOT / "model" / "mpps"
    hashed = {file for part in (*scorecard._MODULES, "keep.py", *stored.CODE) for file in package.glob(part)}
    settled = {package / name for name in ("errors.py", "root.py", "rounding.py", "record.py")}
    for file in (package / "scorecard").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("mpps."):
                base = package.joinpath(*node.module.split(".")[1:])
                target = base.with_suffix(".py") if base.with_suffix(".py").is_file() else base / "__init__.py"
                assert target in hashed | settled, target


def test_no_module_of_the_library_names_a_code_path():
    """Paths are named in their own files and in data only."""
    package = ROOT / "model" / "mpps"
    names = re.compile("|".join(paths.names()))
    found = [
        file.name
        for file in package.rglob("*.py")
        if file.parent.name != "paths" and names.search(file.read_text(encoding="utf-8"))
    ]

    assert found == []
