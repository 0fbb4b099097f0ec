"""Rows of a sweep against what the workbook says elsewhere: predictions, levers, networks, bounds, answers of tables."""

import numpy as np
import polars as pl
import pytest

import mpps
from mpps.explain import bounds_pps, first_crossing, knee_cores, peak
from mpps.lever import lever
from mpps.locks import handoff_ns
from mpps.network import throughput
from mpps.sweep import read_spec
from mpps.sweep.axes import Axes
from mpps.sweep.cells import prepared
from mpps.sweep.evaluate import evaluate
from mpps.sweep.kernel import constant
from mpps.sweep.plan import plan_of
from samples import ROOT

TABLE = ROOT / "data" / "measurements" / "packet_transmit.csv"


def swept(spec, tmp_path, **options):
    return mpps.sweep(spec, out=tmp_path / "sweep.parquet", workers=1, progress=False, **options).frame()


@pytest.mark.parametrize(
    ("name", "variants", "machines", "cores"),
    [
        ("pppoe_receive", ["both locks", "no lock, GRO on"], [None, "epyc_9654"], [1, 3, 16, 40]),
        ("packet_transmit", ["qdisc with packet_rcv", "bypass"], [None, "xeon_8375c_2s"], [1, 8, 20]),
        ("tun_receive", ["netif_rx"], [None, "intel_n100"], [1, 2, 4]),
        ("fraglist_gro", None, [None], [1, 2]),
        ("page_pool_recycle", None, [None, "epyc_9654"], [1, 4]),
    ],
)
def test_rows_are_the_predictions(tmp_path, name, variants, machines, cores):
    spec = {"path": name, "machines": machines, "cores": cores} | ({"variants": variants} if variants else {})
    rows = swept(spec, tmp_path)
    path = mpps.load_path(name)
    variants = variants or [variant.name for variant in path.variants]

    expected = [
        row
        for variant in variants
        for machine in machines
        for row in mpps.predict(path, cores, variant=variant, machine=machine).rows()
    ]
    assert len(rows) == len(expected)
    for found, said in zip(rows.iter_rows(named=True), expected, strict=True):
        same = ("variant", "machine", "n", "unit", "extrapolated", "hypothetical")
        assert [found[key] for key in same] == [said[key] for key in same]
        pairs = {"rate": "median", **{f"rate_{end}": end for end in ("lower", "lower50", "upper50", "upper")}}
        np.testing.assert_allclose([found[key] for key in pairs], [said[key] for key in pairs.values()], rtol=1e-9)


def test_a_moved_parameter_is_that_of_the_lever(tmp_path):
    path, values = mpps.load_path("pppoe_receive"), [40.0, 60.0, 90.0]
    spec = {
        "path": "pppoe_receive",
        "variants": ["both locks"],
        "cores": [8],
        "parameters": {"section_ns": values},
        "outputs": ["peak_rate", "cores_for_load"],
        "loads": [1.0],
    }
    rows = swept(spec, tmp_path)
    found = lever(path, "section_ns", values, 8, variant="both locks", against="no lock")

    assert rows["section_ns"].to_list() == values
    packets = rows["peak_rate"].to_numpy() * 1e9 / (8 * path.packet_bytes)
    # Between two draws one interpolates rates, the other logarithms.
    np.testing.assert_allclose(packets, found.rate[2], rtol=1e-5)


def test_a_moved_parameter_is_that_of_a_setting_where_nothing_is_simulated(tmp_path):
    """Far below the device's ceiling, within the measured counts, on another machine too."""
    spec = {"path": "packet_transmit", "variants": ["qdisc"], "machines": [None, "xeon_8375c_2s"], "cores": [1, 3]}
    rows = swept(spec | {"parameters": {"driver_ns": [500.0, 700.0]}}, tmp_path)
    path = mpps.load_path("packet_transmit")
    said = [
        mpps.predict(path, [1, 3], variant="qdisc", machine=machine, settings={"driver_ns": value}).median
        for machine in (None, "xeon_8375c_2s")
        for value in (500.0, 700.0)
    ]

    np.testing.assert_allclose(rows["rate"], np.concatenate(said), rtol=2e-3)


def test_placements_are_those_of_predict(tmp_path):
    spec = {"path": "pppoe_receive", "variants": ["both locks"], "machines": ["epyc_9654"], "cores": [4]}
    rows = swept(spec | {"placement": ["packed", "spread"]}, tmp_path)
    path = mpps.load_path("pppoe_receive")
    said = [
        mpps.predict(path, [4], variant="both locks", machine="epyc_9654", placement=placement).median[0]
        for placement in ("packed", "spread")
    ]

    assert rows["placement"].to_list() == ["packed", "spread"] and said[0] != said[1]
    np.testing.assert_allclose(rows["rate"], said, rtol=1e-9)


def test_gains_are_those_of_whatif(tmp_path):
    spec = {"path": "pppoe_receive", "variants": ["ppp lock only"], "cores": [2, 8], "outputs": ["gain"]}
    rows = swept(spec | {"against": "both locks"}, tmp_path)
    found = mpps.whatif(mpps.load_path("pppoe_receive"), [2, 8], start="both locks", without="socket lock").rows()

    for name, key in (("gain", "gain"), ("gain_lower", "lower"), ("gain_upper", "upper"), ("gain_p", "p")):
        np.testing.assert_allclose(rows[name], [row[key] for row in found], rtol=1e-9)


def test_changes_are_those_of_alter(tmp_path):
    from mpps.alter import altered, fit_for_changes, parse_changes

    changes = [[], [{"remove": "socket lock"}], [{"scale": {"receive body": 0.5}}]]
    spec = {"path": "pppoe_receive", "variants": ["both locks"], "cores": [4], "changes": changes}
    rows = swept(spec | {"outputs": ["rate", "gain"], "against": "unchanged"}, tmp_path)
    path = mpps.load_path("pppoe_receive")

    assert rows["change"][0] == "none" and rows["gain"][0] == 1 and rows["change"].n_unique() == 3
    for row, change in zip(rows.iter_rows(named=True), changes, strict=True):
        fitted = fit_for_changes(path, "both locks", parse_changes(change))
        new = altered(fitted, "both locks", parse_changes(change))
        said = mpps.predict(new.fitted.path, [4], variant=new.variant, settings=new.settings, fitted=new.fitted)
        np.testing.assert_allclose(row["rate"], said.median[0], rtol=1e-9)


@pytest.mark.parametrize("form", ["constant", "ticket", "saturating", "hump", "early hump", "step"])
@pytest.mark.parametrize("grows", [False, True])
def test_a_network_by_its_numbers_is_that_network(form, grows):
    parameters = {"private_ns": [300.0, 900.0], "section_ns": [20.0, 80.0]} | ({"growth_ns": [5.0]} if grows else {})
    from mpps.locks import FORMS

    handoff = {name: 40.0 if name.endswith("ns") else 3.0 for name, *_ in FORMS[form].parameters}
    n = np.array([1, 2, 7, 64])
    spec = read_spec({"network": form, "cores": n.tolist(), "parameters": parameters | handoff})
    cell = prepared(spec, spec.keys[0])
    found = evaluate(cell, spec.axes, 0, 4, ("rate",))["rate"].reshape(4, len(n))

    assert cell.parts[0].alike != grows
    for row, (private, section) in zip(found, [(z, s) for z in (300, 900) for s in (20, 80)], strict=True):
        depth = np.arange(1.0, 65)
        service = section + handoff_ns(form, depth, handoff)
        think = private + (5.0 * (n - 1) if grows else 0.0)
        np.testing.assert_allclose(row, 1e9 * throughput(n, think * np.ones(4), service[None]), rtol=1e-9)


def test_limits_knee_and_peak_are_those_of_explain(tmp_path):
    n = list(range(1, 65))
    spec = {"path": "pppoe_receive", "variants": ["both locks"], "cores": n}
    row = swept(spec | {"outputs": ["knee", "limits_first", "peak_cores", "peak_rate"]}, tmp_path).row(0, named=True)
    fitted = mpps.fit(mpps.load_path("pppoe_receive"), "synchronous")
    variant = fitted.path.variant("both locks")
    bounds = bounds_pps(fitted, variant, n)
    crossing = first_crossing(np.log(bounds["receive lock"] / bounds["private work"]), np.array(n))

    np.testing.assert_allclose(row["knee"], np.median(crossing), rtol=1e-9)
    # The other one looks at fewer core counts.
    np.testing.assert_allclose(row["knee"], knee_cores(fitted, variant).median, rtol=0.05)
    assert row["limits_first"] == "receive lock" and row["limits_first_p"] == 1.0
    cores, rate = peak(fitted, variant)
    np.testing.assert_allclose(row["peak_rate"] * 1e9 / 8 / 1492, rate.median, rtol=0.02)
    assert (row["peak_cores"] is None) == (cores.median is None)


def test_a_table_of_the_users_own_answers_as_predict_does(tmp_path):
    rows = swept({"table": str(TABLE), "cores": [4, 16, 64], "variants": ["qdisc"]}, tmp_path)
    said = mpps.predict_table(str(TABLE), [4, 16, 64], variants=["qdisc"])["series"][0]

    assert rows["unit"].unique().to_list() == [said["unit"]]
    for name, key in (("rate", "median"), ("rate_lower", "lower"), ("rate_upper", "upper")):
        np.testing.assert_allclose(rows[name], [row[key] for row in said["predictions"]], rtol=1e-5)


def test_cores_for_a_load_are_the_fewest_that_reach_it(tmp_path):
    loads, n = [1e6, 4e6, 1e9], [1, 2, 3, 4, 8, 16]
    spec = {"path": "pppoe_receive", "variants": ["no lock"], "cores": n, "outputs": ["cores_for_load"], "loads": loads}
    rows = swept(spec, tmp_path)
    curves = np.exp(mpps.predict(mpps.load_path("pppoe_receive"), n, variant="no lock").curves)

    for row, load in zip(rows.iter_rows(named=True), loads, strict=True):
        fewest = [next((count for count, rate in zip(n, curve, strict=True) if rate >= load), None) for curve in curves]
        reached = [count for count in fewest if count is not None]
        assert row["load"] == load and row["carried"] == pytest.approx(len(reached) / len(fewest))
        if len(reached) == len(fewest):
            assert row["cores_for_load"] == np.quantile(fewest, 0.5, method="lower")
        else:
            assert row["cores_for_load"] is None


def test_one_estimate_is_amid_the_draws(tmp_path):
    spec = {"path": "pppoe_receive", "variants": ["both locks"], "cores": [2, 8], "machines": [None, "epyc_9654"]}
    one, many = (swept(spec | {"draws": draws}, tmp_path, force=True) for draws in (0, 100))

    assert "rate_lower" not in one.columns
    assert (one["rate"] > many["rate_lower"]).all() and (one["rate"] < many["rate_upper"]).all()


def test_fewer_draws_say_nearly_the_same(tmp_path):
    spec = {"path": "pppoe_receive", "variants": ["both locks"], "cores": [8], "machines": ["epyc_9654"]}
    few, all_of_them = (swept(spec | draws, tmp_path, force=True) for draws in ({"draws": 150}, {}))

    np.testing.assert_allclose(few["rate"], all_of_them["rate"], rtol=0.15)


def test_a_variant_without_the_parameter_does_not_move(tmp_path):
    spec = {"path": "pppoe_receive", "variants": ["both locks", "both locks, GRO on"], "cores": [8], "draws": 0}
    rows = swept(spec | {"parameters": {"coalescing": [2.0, 8.0]}}, tmp_path)

    first, second = rows.filter(pl.col("variant") == "both locks")["rate"]
    assert first == second
    first, second = rows.filter(pl.col("variant") == "both locks, GRO on")["rate"]
    assert second > 1.05 * first


def test_private_work_that_nothing_moves_is_known_from_the_stages():
    path = mpps.load_path("pppoe_receive")
    plain = next(one for one in path.mechanisms if one.reading == "exponential")

    assert not constant(path, path.variant("both locks"), plain)
    spec = read_spec(
        {"network": "ticket", "cores": 4, "parameters": {"private_ns": 1, "section_ns": 1, "handoff_per_waiter_ns": 1}}
    )
    cell = prepared(spec, spec.keys[0])
    assert constant(cell.path, cell.variant, cell.parts[0].mechanism)


def test_pieces_and_chunks_do_not_change_a_row():
    spec = read_spec(
        {
            "network": "hump",
            "cores": [1, 16],
            "parameters": {
                "private_ns": {"from": 200, "to": 900, "steps": 2500},
                "section_ns": 50,
                "handoff_peak_ns": 50,
                "handoff_depth": 3,
            },
        }
    )
    cell = prepared(spec, spec.keys[0])
    whole = evaluate(cell, spec.axes, 0, 2500, ("rate",))
    part = evaluate(cell, spec.axes, 1700, 1900, ("rate",))

    np.testing.assert_array_equal(part["private_ns"], whole["private_ns"][3400:3800])
    np.testing.assert_allclose(part["rate"], whole["rate"][3400:3800], rtol=1e-12)
    assert plan_of(spec).rows == len(whole["rate"]) == 5000
    assert isinstance(spec.axes, Axes)


@pytest.mark.parametrize(
    ("name", "variant", "loads", "changes", "machine"),
    [
        pytest.param("pppoe_receive", "both locks", [1e6, 4e6], [], "epyc_9654", marks=pytest.mark.slow),
        ("packet_transmit", "bypass", [2e6, 11e6], [{"queues": 2, "flows": 12}], None),
        ("packet_transmit", "qdisc", [1e6, 2e7], [{"packet_bytes": 512, "link_gbit": 5}], "epyc_9654"),
    ],
)
def test_below_saturation_rows_are_those_of_under_load(tmp_path, name, variant, loads, changes, machine):
    from mpps.load import under_load

    spec = {"path": name, "variants": [variant], "machines": [machine], "cores": [1, 3], "loads": loads}
    asked = {"outputs": ["utilisation", "headroom", "delay", "drops", "carried"], "changes": [changes], "queue": 64}
    rows = swept(spec | asked, tmp_path)
    said = under_load(mpps.load_path(name), [1, 3], loads, variant=variant, machine=machine, changes=changes, room=64)

    names = {
        "utilisation": "busy",
        "headroom": "headroom",
        "delay_ns": "delay_ns",
        "delay_99_ns": "delay_99_ns",
        "drops": "dropped",
    }
    for found, row in zip(rows.iter_rows(named=True), said.rows(), strict=True):
        assert (found["n"], found["load"]) == (row["n"], row["load_pps"])
        assert (found["carried"], found["metastable"]) == (row["p_carried"], row["p_metastable"])
        for column, key in names.items():
            ends = [found[f"{column}{end}"] for end in ("", "_lower", "_upper")]
            np.testing.assert_allclose(ends, list(row[key].values()), rtol=1e-7, atol=1e-12)


def test_a_longer_section_keeps_cores_busier(tmp_path):
    spec = {"path": "pppoe_receive", "variants": ["both locks"], "cores": [8], "draws": 0, "loads": [2e6]}
    rows = swept(spec | {"parameters": {"section_ns": [40, 80, 120]}, "outputs": ["utilisation", "headroom"]}, tmp_path)

    assert rows["utilisation"].is_sorted() and rows["headroom"].is_sorted(descending=True)
    assert rows["utilisation"][2] > rows["utilisation"][0]


def test_cores_that_a_machine_does_not_have_carry_nothing(tmp_path):
    """Four efficiency cores are not six, however many are asked."""
    spec = {"path": "pppoe_receive", "variants": ["no lock"], "machines": ["intel_n100"], "loads": [1e6, 5e6]}
    asked = {"outputs": ["cores_for_load"], "draws": 50}
    few, many, none = (swept(spec | asked | {"cores": n}, tmp_path, force=True) for n in ("1-4", "1-64", "5,64"))

    assert many["cores_for_load"][0] <= 4 and many["cores_for_load"][1] is None and many["carried"][1] < 0.5
    assert many.equals(few)
    assert none["cores_for_load"].is_null().all() and (none["carried"] == 0).all()
