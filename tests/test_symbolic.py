"""The SymPy side of the laws, and the NumPy functions generated from it."""

import inspect
import subprocess
import sys
import xml.etree.ElementTree

import numpy as np
import pytest
import sympy

from mpps import laws, laws_generated
from mpps.errors import UnknownNameError
from mpps.symbolic import LAWS
from mpps.symbolic.__main__ import TARGET, function_name, generated

FORMS = [(law, form) for law in LAWS.values() for form in law.forms]
NAMES = [function_name(law, form) for law, form in FORMS]

# Where random arguments of every form lie inside its domain.
RANGES = {
    "n": (2, 64), "speedup": (1, 3), "contention": (0.01, 0.25), "serial": (0.01, 0.4), "rate_one": (0.5, 9),
    "coherence": (1e-5, 1e-3), "rate": (0.1, 0.5), "response_time": (3, 90), "critical": (0.01, 0.5),
    "contention_probability": (0.05, 1), "private_ns": (100, 900), "total_ns": (90, 200), "largest_ns": (30, 90),
    "average_ns": (20, 30), "first": (0.5, 4), "second": (0.5, 4), "sharpness": (1, 20), "per_packet_ns": (50, 500),
    "lookup_ns": (5, 50), "per_skb_ns": (60, 900), "coalescing": (1, 40), "section_ns": (20, 300),
    "bits_per_second": (1e9, 4e11), "frame_bytes": (64, 1518), "time_ns": (5, 900),
}  # fmt: skip


def arguments(law, form, count=20):
    rng = np.random.default_rng(sorted(LAWS).index(law.name))
    return {name: rng.uniform(*RANGES[name], count) for name in law.arguments(form)}


def test_stored_functions_are_what_the_generator_writes():
    assert TARGET.read_text() == generated(), "run: python -m mpps.symbolic"


@pytest.mark.parametrize(("law", "form"), FORMS, ids=NAMES)
def test_stored_functions_equal_the_expressions(law, form):
    values = arguments(law, form)

    numeric = getattr(laws_generated, function_name(law, form))(**values)

    for index, got in enumerate(numeric):
        point = {law.symbols[name]: sympy.Float(float(column[index]), 40) for name, column in values.items()}
        expected = form.expression.subs(point).evalf(30)
        assert expected.is_real
        assert float(got) == pytest.approx(float(expected), rel=1e-11)


@pytest.mark.parametrize(("law", "form"), FORMS, ids=NAMES)
def test_stored_functions_broadcast_over_every_argument(law, form):
    values = arguments(law, form, 3)
    function = getattr(laws_generated, function_name(law, form))
    names = list(inspect.signature(function).parameters)

    shaped = {name: values[name].reshape([3 if axis == place else 1 for axis in range(len(names))])
              for place, name in enumerate(names)}  # fmt: skip
    result = function(**shaped)

    assert result.shape == (3,) * len(names)
    whole = {name: int(np.ceil(values[name][0])) for name in names if RANGES[name][0] >= 1}
    mixed = {name: whole.get(name, float(values[name][0])) for name in names}
    assert function(**mixed) == function(**{name: float(value) for name, value in mixed.items()}), "integers count"


@pytest.mark.parametrize("name", LAWS)
def test_every_symbol_is_described_and_every_formula_can_be_shown(name):
    law = laws.law(name)

    described = {row["name"] for row in law.table() if row["meaning"] and row["unit"] and row["domain"]}
    assert {symbol.name for form in law.forms for symbol in form.expression.free_symbols} <= described
    assert law.source and law.question.endswith("?")
    for form in law.forms:
        assert law.latex(form.name)
        tree = xml.etree.ElementTree.fromstring(law.mathml(form.name))
        shown = {node.text for node in tree.iter() if node.tag.endswith("mi")}
        labels = {row["label"] for row in law.table() if row["name"] in law.arguments(form)}
        assert labels <= shown


def test_derived_forms_follow_from_the_laws():
    """Derivatives, limits and inverses done by SymPy, not by hand."""
    usl, amdahl, gustafson = LAWS["usl"], LAWS["amdahl"], LAWS["gustafson"]
    n, s, k = (usl.symbols[name] for name in ("n", "contention", "coherence"))

    def vanishes(expression, **values):
        point = {
            usl.symbols[name]: value for name, value in {"contention": "3/100", "coherence": "1/1000", **values}.items()
        }
        return (
            abs(expression.subs({symbol: sympy.Rational(value) for symbol, value in point.items()}).evalf(30)) < 1e-25
        )

    peak = usl.derived["peak_n"]
    assert vanishes(sympy.diff(usl.derived["capacity"], n).subs(n, peak))
    assert vanishes(usl.derived["knee"] - usl.derived["capacity"].subs(n, peak))
    assert vanishes(usl.derived["peak_rate"] - usl.expression.subs(n, peak), rate_one=7)
    assert vanishes(usl.derived["efficiency"].subs(n, usl.derived["half_efficiency_n"]) - sympy.Rational(1, 2))
    assert vanishes(usl.expression.subs(n, usl.derived["n_for_rate"]) - 40, rate_one=7, rate=40)
    for form in ("n_for_response_time", "n_for_response_time_conjugate"):
        assert vanishes(usl.derived["response_time"].subs(n, usl.derived[form]) - 2, rate_one=7, response_time=2)
    assert sympy.simplify(n / usl.expression - usl.derived["response_time"]) == 0
    parts = sum(usl.derived[part] for part in ("time_parallel", "time_contention", "time_coherence"))
    assert sympy.simplify(parts - 1 / usl.derived["capacity"]) == 0
    assert sympy.limit(usl.derived["knee"], k, 0, "+") == usl.derived["contention_point"]

    assert sympy.limit(amdahl.expression, n, sympy.oo) == amdahl.derived["limit"]
    assert sympy.simplify(usl.derived["capacity"].subs(k, 0) - amdahl.expression) == 0
    speedup = amdahl.symbols["speedup"]
    assert sympy.simplify(amdahl.expression.subs(n, amdahl.derived["n_for_speedup"]) - speedup) == 0
    assert sympy.simplify(amdahl.expression.subs(s, amdahl.derived["contention_from_speedup"]) - speedup) == 0
    same = amdahl.expression.subs(s, gustafson.derived["amdahl_contention"])
    assert sympy.simplify(same - gustafson.expression) == 0
    assert sympy.simplify(gustafson.expression.subs(n, gustafson.derived["n_for_speedup"]) - speedup) == 0


def test_derived_forms_of_packet_laws_follow():
    gro, bound = LAWS["coalescing"], LAWS["asymptotic"]
    packet, skb, factor, section, n = (
        gro.symbols[name] for name in ("per_packet_ns", "per_skb_ns", "coalescing", "section_ns", "n")
    )

    without = packet + skb
    assert sympy.simplify(without - gro.expression - gro.derived["gain_ns"]) == 0
    assert sympy.simplify(gro.derived["gain_ns"].subs(factor, gro.derived["break_even"])) == 0
    assert sympy.limit(gro.expression, factor, sympy.oo) == gro.derived["limit_ns"]

    # The lock is saturated from the knee of the asymptotic bound on, with work per packet in units of 1 / G.
    z, d, m = (bound.symbols[name] for name in ("private_ns", "total_ns", "largest_ns"))
    knee = bound.derived["knee"].subs({z: gro.expression, d: section / factor, m: section / factor})
    assert sympy.simplify(knee.subs(factor, gro.derived["critical"]) - n) == 0


def test_a_law_that_does_not_exist_is_refused_with_the_nearest_name():
    with pytest.raises(UnknownNameError, match="'amdahl'"):
        laws.law("amdal")
    with pytest.raises(UnknownNameError, match="peak_n"):
        laws.law("usl").form("peek_n")


def test_the_laws_import_neither_sympy_nor_scipy():
    code = "import sys, mpps.laws, mpps.baseline, mpps.queues; print({'sympy', 'scipy'} & set(sys.modules))"

    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert result.stdout.strip() == "set()"
