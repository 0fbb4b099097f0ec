"""Shares of variance: against closed forms, against scipy, and for a prediction whose parts are known."""

import numpy as np
import pytest

from mpps import compare, paths, sensitivity
from mpps.predict import scatter_of


def ishigami(x, a=7.0, b=0.1):
    z = np.pi * (2 * x - 1)
    return np.sin(z[0]) + a * np.sin(z[1]) ** 2 + b * z[2] ** 4 * np.sin(z[0])


def test_the_ishigami_function():
    """Closed form of its variances (Ishigami and Homma 1990)."""
    a, b = 7.0, 0.1
    parts = np.array([(1 + b * np.pi**4 / 5) ** 2 / 2, a**2 / 8, 0.0])
    together = 8 * b**2 * np.pi**8 / 225
    total = parts + np.array([together, 0.0, together])
    found = sensitivity.sobol(ishigami, 3, base=8192)

    assert found["first"] == pytest.approx(parts / (parts.sum() + together), abs=0.02)
    assert found["total"] == pytest.approx(total / (parts.sum() + together), abs=0.02)


def test_a_linear_function_and_its_interval():
    """Shares are squared slopes; alone and total are the same, and the bootstrap ends hold them."""
    slopes = np.array([3.0, 2.0, 1.0, 0.0])
    found = sensitivity.sobol(lambda x: slopes @ x, 4, base=4096)
    shares = slopes**2 / (slopes**2).sum()

    assert found["first"] == pytest.approx(shares, abs=0.02)
    assert found["total"] == pytest.approx(shares, abs=0.02)
    for name in ("first", "total"):
        assert (found[f"{name}_lower"] - 0.02 <= shares).all() and (shares <= found[f"{name}_upper"] + 0.02).all()
        assert (found[f"{name}_upper"][:3] - found[f"{name}_lower"][:3] > 0.003).all()


def test_as_scipy_has_it():
    from scipy.stats import sobol_indices, uniform

    theirs = sobol_indices(
        func=lambda x: ishigami(x)[None], n=4096, dists=[uniform(0, 1)] * 3, rng=np.random.default_rng(5)
    )
    ours = sensitivity.sobol(ishigami, 3, base=4096)

    assert ours["first"] == pytest.approx(np.ravel(theirs.first_order), abs=0.04)
    assert ours["total"] == pytest.approx(np.ravel(theirs.total_order), abs=0.04)


def test_what_does_not_vary_has_no_shares():
    found = sensitivity.sobol(lambda x: np.full(x.shape[1], 3.0), 2)

    assert all((values == 0).all() for values in found.values())


def test_shares_do_not_depend_on_the_unit():
    ours, scaled = (sensitivity.sobol(lambda x, f=f: f * ishigami(x) + 1e3 * f, 3) for f in (1.0, 1e-3))

    assert scaled["total"] == pytest.approx(ours["total"], rel=1e-6)


def test_at_the_ceiling_only_device_scatter_and_an_unseen_bottleneck_count():
    """Far above the corner the rate is the ceiling: what no new bottleneck explains, its members and the scatter of a
    measurement share."""
    path = paths.load_path("packet_transmit")
    fitted = compare.fit(path, "all")
    found = sensitivity.ranking(fitted, path.variant("bypass"))
    scatter = scatter_of(fitted, path.variant("bypass")) ** 2
    device = np.average(
        [np.var(one.members[:, one.problem.names.index("device_pps")]) for one in fitted.kept],
        weights=[one.weight for one in fitted.kept],
    )
    shares = {row["name"]: row["total"] for row in found["inputs"]}

    own = {name: value for name, value in shares.items() if name != sensitivity.UNSEEN}
    known = own[sensitivity.SCATTER] + own["device_pps"]

    assert own[sensitivity.SCATTER] / known == pytest.approx(scatter / (scatter + device), abs=0.05)
    assert max(value for name, value in own.items() if name not in (sensitivity.SCATTER, "device_pps")) < 0.02
    assert found["spread"] > np.sqrt(scatter + device)


def test_inputs_are_ranked_and_a_count_that_the_machine_lacks_is_hypothetical():
    path = paths.load_path("packet_transmit")
    fitted = compare.fit(path, "all")
    far, near = (sensitivity.ranking(fitted, path.variant("qdisc with packet_rcv"), n) for n in (64, 8))
    totals = [row["total"] for row in far["inputs"]]

    assert far["hypothetical"] and not near["hypothetical"]
    assert totals == sorted(totals, reverse=True)
    assert far["inputs"][0]["name"] == sensitivity.UNSEEN
    assert not {sensitivity.STRUCTURE, sensitivity.UNSEEN} & {row["name"] for row in near["inputs"]}


def test_beyond_the_measured_depth_the_doubt_of_the_hand_off_is_an_input():
    path = paths.load_path("pppoe_receive")
    fitted = compare.fit(path, "synchronous")
    locked, free = (sensitivity.ranking(fitted, path.variant(name)) for name in ("both locks", "no lock"))
    shares = {row["name"]: row["total"] for row in locked["inputs"] if row["name"] != sensitivity.UNSEEN}

    assert max(shares, key=shares.get) == sensitivity.DEPTH
    assert {row["name"]: row["total"] for row in free["inputs"]}[sensitivity.DEPTH] == pytest.approx(0, abs=1e-3)
    inputs, function = sensitivity.model(fitted, path.variant("both locks"), 16)
    assert sensitivity.DEPTH not in inputs
    assert function(np.full((len(inputs), 3), 0.5)) == pytest.approx(np.full(3, function(np.full((len(inputs), 1), 0.5))[0]))
