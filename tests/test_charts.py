"""Charts hold what the rows say, stay inside their axes, keep labels apart, and draw without a network."""

import json
import math
import re
import subprocess
import sys
import xml.dom.minidom

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mpps import charts
from mpps.charts import layout, panel, style
from mpps.charts.busy import busiest

COUNTS = (1, 2, 4, 8, 16)
TITLE = "Sixteen senders are slower than eight while a lock remains"


def predictions(variants=("before", "after"), counts=COUNTS, upto=64):
    """Rates that level off; the last core counts are extrapolated."""
    rows = []
    for place, variant in enumerate(variants):
        for n in [*counts, *([32, 64] if upto == 64 else [])]:
            rate = 20.0 * n / (1 + (0.05 + 0.05 * place) * (n - 1))
            beyond = n > max(counts)
            rows.append(
                {
                    "variant": variant,
                    "n": n,
                    "median": rate,
                    "lower": rate * 0.9,
                    "upper": rate * 1.1,
                    "observed": None if beyond else rate * 1.01,
                    "extrapolated": beyond,
                    "source": f"row {n}",
                }
            )
    return rows


def every_chart():
    """One chart of each kind, from the smallest sensible rows."""
    rows = predictions()
    cost = [
        {"variant": v, "n": 8, "stage": s, "resource": r, "ns": ns, "cycles": ns * 3}
        for v in ("before", "after")
        for s, r, ns in (("copy", "private", 400.0), ("lock", "serial", 200.0))
    ]
    busy = [
        {"variant": v, "resource": r, "n": n, "utilisation": u}
        for v in ("before", "after")
        for n in COUNTS
        for r, u in (("cores", 1 / n), ("lock", min(1.0, n / 8)))
    ]
    depth = [
        {"mechanism": m, "depth": d, "section_ns": 100.0 + s * d, "lower": 90.0, "upper": 200.0 + s * d}
        for m, s in (("constant", 0), ("ticket", 9))
        for d in range(12)
    ]
    queue = [{"variant": "before", "n": n, "depth": n / 2, "section_ns": 100.0 + n} for n in COUNTS]
    gain = [{"n": n, "gain": 0.1 * n, "lower": -0.1, "upper": 0.3 * n, "p": 0.9} for n in COUNTS]
    values = [
        {"name": "work", "median": 600.0, "lower": 580.0, "upper": 620.0, "unit": "ns", "identified": True},
        {"name": "section", "median": 90.0, "lower": None, "upper": 150.0, "unit": "ns", "identified": False},
        {"name": "coalescing", "median": None, "lower": None, "upper": None, "unit": "packets", "identified": False},
    ]
    curve = [{"parameter": "work", "value": 600.0 + x, "unit": "ns", "loss": x * x / 50} for x in range(-20, 21)]
    tests = [{"test": "16 cores", "method": m, "error": e, "points": 4} for m, e in (("mpps", 0.05), ("USL", 0.4))]
    machines = [{**row, "machine": m} for m in ("guest", "server") for row in rows]
    errors = [{"model": m, "dataset": d, "error": e} for m in ("mpps", "USL") for d, e in (("a", 0.1), ("b", 0.4))]
    held = [
        {"part": "near", "level": level, "held": level - 0.02, "lower": level - 0.1, "upper": 1.0, "points": 20}
        for level in (0.9, 0.5)
    ]
    ends = [{"series": "a", "n": n, "beyond": n / 8, "width": 0.3 * n, "inside": n < 30} for n in (9, 16, 32)]
    quantiles = {"lower": 5.0, "lower50": 6.0, "median": 7.0, "upper50": 8.0, "upper": 9.0}
    case = [{"n": n, "observed": float(n)} for n in (1, 2, 4)] + [
        {"n": n, "observed": n - 1.0, **quantiles} for n in (8, 16)
    ]
    left = [
        {"test": "one point", "method": m, "error": e, "inside": e < 0.05, "width": 0.2, "what": "before at 8"}
        for m in ("model", "USL")
        for e in (0.0, 0.01, 0.2)
    ]
    shares = [
        {"variant": v, "name": name, "first": first, "total": total}
        for v in ("before", "after")
        for name, first, total in (
            ("structural error", 0.5, 0.7),
            ("a parameter with a name of many words", -0.01, 0.3),
        )
    ]
    open_marks = [{"variant": "before", "n": 6, "median": 60.0, "lower": 50.0, "upper": 70.0}]
    limits = [
        {"x": x, "y": y, "limit": "lock" if y > 50 * x else "private work", "share": 0.6 + 0.1 * (x % 3)}
        for x in (1, 2, 4, 8)
        for y in (50.0, 100.0, 200.0)
    ]
    return {
        "map": charts.limit_map(limits, title=TITLE, x_title="packets", y_title="ns", here=[(3.0, 90.0, "as fitted")]),
        "left out": charts.left_out(left, title=TITLE),
        "sensitivity": charts.sensitivity(shares, title=TITLE),
        "registered": charts.scaling(rows, title=TITLE, unit="Gbit/s", facet_by_variant=True, registered=open_marks),
        "errors": charts.error_distribution(errors, title=TITLE),
        "coverage": charts.coverage(held, title=TITLE),
        "sharpness": charts.sharpness(ends, title=TITLE),
        "case": charts.forecast_case(case, title=TITLE, unit="Mpps"),
        "scaling": charts.scaling(rows, title=TITLE, unit="Gbit/s", baseline_rows=rows, held_out=[8]),
        "facets": charts.scaling(rows, title=TITLE, unit="Gbit/s", facet_by_variant=True),
        "machines": charts.machine_comparison(machines, title=TITLE, unit="Gbit/s"),
        "overview": charts.overview([{"title": "path", "unit": "Mpps", "rows": rows}] * 2, title=TITLE),
        "cost": charts.packet_cost(cost, title=TITLE),
        "waterfall": charts.packet_cost(cost[:2], title=TITLE),
        "utilisation": charts.utilisation(busy, title=TITLE),
        "one utilisation": charts.utilisation(busy[: len(busy) // 2], title=TITLE),
        "handoff": charts.handoff(depth, title=TITLE, measured_depth=8),
        "depth": charts.queue_depth(queue, title=TITLE),
        "gain": charts.whatif_gain(gain, title=TITLE),
        "residuals": charts.residuals(rows, title=TITLE, held_out=[("before", 8)]),
        "parameters": charts.parameter_intervals(values, title=TITLE),
        "profile": charts.profile(curve, title=TITLE),
        "weights": charts.mechanism_weights([{"mechanism": "lock", "weight": 0.7, "error": 0.02}], title=TITLE),
        "budget": charts.budget([{"name": "fast", "ns": 7.5}], [{"link": "100G", "ns": 6.72}], title=TITLE),
        "holdout": charts.holdout(tests, title=TITLE),
    }


@pytest.fixture(scope="module")
def every():
    return every_chart()


def marks(spec, kind):
    """Every layer of a mark with its rows."""
    found = []
    for part in [spec, *spec.get("layer", []), *spec.get("concat", []), *spec.get("vconcat", [])]:
        if part is not spec:
            found += marks({**part, "datasets": spec["datasets"]}, kind)
    mark = spec.get("mark")
    name = mark["type"] if isinstance(mark, dict) else mark
    if name == kind:
        found.append((spec, spec["datasets"][spec["data"]["name"]]))
    return found


def test_every_chart_is_valid_vega_lite_with_title_and_description(every):
    for name, chart in every.items():
        made = chart.to_dict()  # Altair checks it against the Vega-Lite schema
        assert " ".join(made["title"]["text"]) == TITLE, name
        assert made["description"].startswith(TITLE) and len(made["description"]) > len(TITLE) + 20, name
        assert made["usermeta"]["mpps"]["resize"] in ("container", "bars", "children", "columns"), name
        json.dumps(made, allow_nan=False)


def test_every_chart_draws(every):
    for name, chart in every.items():
        svg = charts.to_svg(chart)
        assert xml.dom.minidom.parseString(svg).documentElement.tagName == "svg", name
        assert "NaN" not in svg and "undefined" not in svg, name


def test_charts_follow_the_page_in_light_and_dark(every):
    made = charts.spec(every["scaling"])
    assert made["config"]["background"] == "transparent"
    inline = charts.to_svg(every["scaling"], standalone=False)
    assert 'fill="currentColor"' in inline and "<style>" not in inline
    assert "prefers-color-scheme:dark" in charts.to_svg(every["scaling"])
    light, dark = (charts.to_png(every["weights"], dark=dark) for dark in (False, True))
    assert light[:4] == dark[:4] == b"\x89PNG" and light != dark


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return float(
        np.dot([0.2126, 0.7152, 0.0722], [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts])
    )


@pytest.mark.parametrize("colour", [*style.PALETTE, *style.RESOURCE_COLOURS.values()])
def test_colours_have_three_to_one_contrast_on_both_pages(colour):
    for page in ("#ffffff", "#14171a"):
        high, low = sorted([luminance(colour), luminance(page)], reverse=True)
        assert (high + 0.05) / (low + 0.05) >= 3.0


def lightness_and_hue(linear):
    """CIE L*a*b* of linear RGB, where equal steps look equally large."""
    matrix = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    white = np.array([0.9505, 1.0, 1.089])
    x, y, z = np.cbrt(np.clip(np.array(matrix) @ linear / white, 0.008856, None))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize(
    "missing",
    [
        [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
        [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
    ],
    ids=["no red cones", "no green cones"],
)
def test_six_colours_are_told_apart_by_the_colour_blind(missing):
    """Simulated after Vienot, Brettel and Mollon (1999); a distance of 2.3 is just noticeable, side by side."""
    srgb = np.array([[int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)] for colour in style.PALETTE[:6]])
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    seen = [lightness_and_hue(np.clip(np.array(missing) @ colour, 0, 1)) for colour in linear]
    assert min(np.linalg.norm(seen[i] - seen[j]) for i in range(6) for j in range(i)) > 15


def test_scaling_shows_measured_points_hollow_where_held_out_and_dashes_beyond():
    made = charts.spec(charts.scaling(predictions(), title=TITLE, unit="Gbit/s", held_out=[("after", 8), 16]))
    points = [(layer["mark"]["filled"], rows) for layer, rows in marks(made, "point") if "observed" in rows[0]]
    filled, hollow = ({(row["series"], row["x"]) for row in rows} for _, rows in sorted(points, key=lambda p: not p[0]))
    assert hollow == {("after", 8), ("before", 16), ("after", 16)}
    assert filled | hollow == {(v, n) for v in ("before", "after") for n in COUNTS}
    dashes = {tuple(layer["mark"]["strokeDash"]): rows for layer, rows in marks(made, "line") if "series" in rows[0]}
    assert {row["x"] for row in dashes[(1, 0)]} == set(COUNTS)
    assert {row["x"] for row in dashes[(6, 4)]} == {16, 32, 64}  # joined to the last measured point
    key = " ".join(made["title"]["subtitle"])
    assert "hollow: held out" in key and "dashes" in key and "USL" not in key


def test_scaling_says_value_interval_and_source_at_the_pointer():
    made = charts.spec(charts.scaling(predictions(), title=TITLE, unit="Gbit/s"))
    row = next(rows[0] for _, rows in marks(made, "point") if "observed" in rows[0])
    assert row["tip"] == "20.0 (18.0 to 22.0) Gbit/s" and row["measured"] == "20.2 Gbit/s" and row["source"] == "row 1"


def test_a_forecast_case_tells_training_held_out_and_missed_points_apart():
    """Training points are filled, held-out ones hollow, the one outside its interval red."""
    points = marks(charts.spec(every_chart()["case"]), "point")
    looks = {(layer["mark"]["filled"], layer["mark"]["color"]): len(rows) for layer, rows in points}

    assert looks == {(True, style.PALETTE[0]): 3, (False, style.PALETTE[0]): 1, (False, style.PALETTE[1]): 1}


def test_errors_of_a_model_show_their_median_and_tail():
    errors = [{"model": "mpps", "dataset": str(k), "error": k / 100} for k in range(1, 12)]
    spec = charts.spec(charts.error_distribution(errors, title=TITLE))

    assert "mpps: median 6.0 %, 80th percentile 9.0 %" in spec["description"]
    assert len(marks(spec, "point")[0][1]) == 11


def test_bands_stay_inside_a_log_axis_even_from_zero_to_infinity():
    rows = predictions()
    rows[6].update(lower=0.0, upper=math.inf)
    rows[5].update(lower=0.0, upper=1e9)
    made = charts.spec(charts.scaling(rows, title=TITLE, unit="Gbit/s"))
    ((layer, band),) = marks(made, "area")
    low, high = layer["encoding"]["y"]["scale"]["domain"]
    assert 0 < low < high < 1e5
    assert all(low <= row["lower"] <= row["upper"] <= high for row in band)
    assert len(band) == len(rows) - 1  # an open end has no band


def test_measured_points_and_medians_are_never_clipped():
    rows = predictions()
    rows[0]["observed"], rows[3]["observed"] = 0.001, 5000.0
    made = charts.spec(charts.scaling(rows, title=TITLE, unit="Gbit/s"))
    layer, _ = marks(made, "area")[0]
    low, high = layer["encoding"]["y"]["scale"]["domain"]
    assert low < 0.001 and high > 5000


def test_machine_and_measurement_edges_are_marked():
    rows = [{**row, "hypothetical": row["n"] > 32} for row in predictions()]
    made = charts.spec(charts.scaling(rows, title=TITLE, unit="Gbit/s"))
    words = {row["text"] for _, rows in marks(made, "text") for row in rows if "text" in row}
    assert {"measured", "hypothetical", "ideal"} <= words


def test_packet_cost_stacks_to_the_total_and_shows_cycles():
    made = charts.spec(every_chart()["cost"])
    ((_, bars),) = marks(made, "bar")
    assert [(row["start"], row["end"]) for row in bars if row["bar"] == "before"] == [(0.0, 400.0), (400.0, 600.0)]
    assert "600 ns, 1,800 cycles" in made["description"]


def test_busiest_names_the_limit_and_changes_between_core_counts():
    rows = [{"x": n, "series": s, "median": u} for n in COUNTS for s, u in (("cores", 0.5), ("lock", n / 16))]
    regions = busiest(rows)
    assert [region["label"] for region in regions] == ["cores", "lock"]
    assert regions[0]["high"] == regions[1]["low"] == pytest.approx((8 * 16) ** 0.5)
    assert busiest([row for row in rows if row["series"] == "lock"]) == []


def test_one_sided_and_unidentified_parameters_are_not_points():
    made = charts.spec(every_chart()["parameters"])
    dots = {row["name"] for _, rows in marks(made, "point") for row in rows if "way" not in row}
    arrows = {row["name"] for _, rows in marks(made, "point") for row in rows if "way" in row}
    assert dots == {"work"} and arrows == {"section"}
    assert "section: at most 150 ns" in made["description"] and "coalescing: not identified" in made["description"]


def test_names_with_markup_stay_text():
    evil = "<img src=x onerror=alert(1)>"
    chart = charts.scaling([{**row, "variant": evil} for row in predictions(("a",))], title=evil, unit="Gbit/s")
    assert "<img" not in charts.to_svg(chart)


def test_many_rows_are_thinned_but_measured_rows_stay():
    rows = [{"variant": "a", "n": n, "median": float(n), "lower": n * 0.9, "upper": n * 1.1} for n in range(1, 2001)]
    rows[1234]["observed"] = 1200.0
    made = charts.spec(charts.scaling(rows, title=TITLE, unit="pps"))
    ((_, line),) = ((layer, rows) for layer, rows in marks(made, "line") if "series" in rows[0])
    assert len(line) <= layout.MOST_POINTS + 2 and {1, 1235, 2000} <= {row["x"] for row in line}
    assert sum(len(rows) for rows in made["datasets"].values()) < 5000


def test_a_single_row_and_two_hundred_variants_draw():
    one = [{"variant": "a", "n": 1, "median": 5.0, "lower": 4.0, "upper": 6.0, "observed": 5.0}]
    assert "svg" in charts.to_svg(charts.scaling(one, title=TITLE, unit="Mpps"))
    many = predictions([f"variant {i}" for i in range(200)], counts=(1, 2))
    assert "svg" in charts.to_svg(charts.scaling(many, title=TITLE, unit="Mpps"))


def test_measurements_alone_are_points_joined_by_thin_lines():
    rows = [{"variant": v, "n": n, "observed": 10.0 * n} for v in "ab" for n in (1, 2, 4)]
    made = charts.spec(charts.scaling(rows, title=TITLE, unit="Gbit/s", ideal=False))
    ((line, joined),) = marks(made, "line")
    assert line["mark"]["strokeWidth"] == 1 and len(joined) == 6
    assert made["title"]["subtitle"] == ["points: measured"]
    assert {row["series"] for _, rows in marks(made, "text") for row in rows} == {"a", "b"}


def test_no_rows_are_an_error_that_says_so():
    with pytest.raises(ValueError, match="scaling: no rows to draw"):
        charts.scaling([], title=TITLE, unit="Gbit/s")


def test_a_series_keeps_its_colour_where_others_are_left_out():
    whole = charts.spec(charts.scaling(predictions(), title=TITLE, unit="Gbit/s"))
    part = charts.spec(charts.scaling(predictions(("after",)), title=TITLE, unit="Gbit/s", series=("before", "after")))
    scales = [layer["encoding"]["color"]["scale"] for made in (whole, part) for layer, _ in marks(made, "area")]
    assert scales[0] == scales[1]
    assert {row["series"] for _, rows in marks(part, "text") for row in rows if "series" in row} == {"after"}


def test_what_n_counts_stands_below_the_axis():
    for made in (
        charts.scaling(predictions(), title=TITLE, unit="Gbit/s", x_title="streams"),
        charts.residuals(predictions(), title=TITLE, x_title="streams"),
        charts.machine_comparison(
            [{**row, "machine": "a"} for row in predictions()], title=TITLE, unit="Mpps", x_title="streams"
        ),
    ):
        text = json.dumps(charts.spec(made))
        assert '"title": "streams"' in text and '"title": "cores"' not in text


def test_long_names_break_into_lines_that_are_all_there():
    name = "Packet transmit: tap rows above 8 CPUs from the rows up to 8, median error"
    tests = [{"test": name, "method": method, "error": error} for method, error in (("model", 0.05), ("USL", 0.4))]
    made = charts.holdout(tests, title=TITLE)
    drawn = " ".join(re.findall(r"<tspan[^>]*>([^<]*)</tspan>", charts.to_svg(made)))
    assert all(word in drawn for word in name.split()) and "\u2026" not in drawn
    assert name in charts.spec(made)["description"]


# layout


@given(
    st.lists(st.floats(-50, 400), min_size=1, max_size=12),
    st.floats(1, 20),
)
def test_spread_keeps_order_distance_and_room(positions, gap):
    placed = layout.spread(positions, gap, 0.0, 300.0)
    order = np.argsort(positions, kind="stable")
    ordered = np.array(placed)[order]
    assert np.all(np.diff(ordered) >= gap - 1e-6)
    if len(positions) * gap <= 300:
        assert ordered.min() >= -1e-6 and ordered.max() <= 300 + 1e-6


def test_spread_leaves_labels_that_have_room():
    assert layout.spread([10.0, 100.0, 200.0], 15, 0, 300) == [10.0, 100.0, 200.0]
    assert layout.spread([100.0, 100.0], 20, 0, 300) == [90.0, 110.0]


@given(st.floats(1e-6, 1e9), st.floats(1.3, 1e6))
def test_log_ticks_are_round_and_inside(low, ratio):
    high = low * ratio
    ticks = layout.log_ticks(low, high)
    assert all(low <= tick * 1.000001 and tick <= high * 1.000001 for tick in ticks) and len(ticks) <= 8
    assert ticks == sorted(ticks)


def test_core_ticks_are_the_real_counts():
    assert layout.core_ticks([1, 2, 4, 8, 16], 64) == [1, 2, 4, 8, 16, 32, 64]
    assert layout.core_ticks([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 20]) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 20]
    assert layout.core_ticks(range(1, 97)) == [1, 2, 4, 8, 16, 32, 64, 96]
    assert layout.core_ticks(range(1, 129)) == [1, 2, 4, 8, 16, 32, 64, 128]
    assert layout.core_ticks([3]) == [3]


def test_runs_share_their_ends():
    curve = [{"x": x, "extrapolated": x > 2} for x in range(1, 6)]
    assert [(dashed, [row["x"] for row in rows]) for dashed, rows in panel.runs(curve)] == [
        (False, [1, 2]),
        (True, [2, 3, 4, 5]),
    ]


# showing


def test_notebooks_get_json_that_nbformat_takes_and_words(every, monkeypatch):
    import altair
    import nbformat

    monkeypatch.setenv("MPPS_CHARTS", "json")
    charts.use()
    try:
        bundle, _ = every["scaling"]._repr_mimebundle_(None, None)
        assert set(bundle) == {charts.MIME, "text/plain"} and bundle["text/plain"].startswith(TITLE)
        output = nbformat.v4.new_output("display_data", data=bundle)
        nbformat.validate(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(outputs=[output])]))
        monkeypatch.delenv("MPPS_CHARTS")
        charts.use()
        bundle, _ = every["scaling"]._repr_mimebundle_(None, None)
        assert bundle["image/svg+xml"].startswith("<svg")
        charts.use(svg=False)
        bundle, _ = every["scaling"]._repr_mimebundle_(None, None)
        assert "image/svg+xml" not in bundle
    finally:
        altair.renderers.enable("default")


def test_ipython_shows_the_same_without_checking_the_schema():
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    try:
        charts.use()
        bundle, _ = shell.display_formatter.format(every_chart()["weights"])
        assert bundle[charts.MIME]["usermeta"]["mpps"]["resize"] == "bars"
    finally:
        InteractiveShell.clear_instance()


def test_files_end_in_a_kind_that_can_be_drawn(tmp_path, every):
    for name in ("chart.svg", "chart.png", "chart.json"):
        charts.save(every["weights"], tmp_path / name)
        assert (tmp_path / name).stat().st_size > 1000
    with pytest.raises(ValueError, match=r"chart.pdf: expected a name that ends in \.svg, \.png, \.json"):
        charts.save(every["weights"], tmp_path / "chart.pdf")


def test_importing_charts_does_not_import_altair():
    code = "import sys, mpps.charts, mpps.tables, mpps.machine; print([m for m in ('altair', 'vl_convert', 'yaml') if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    assert done.stdout.strip() == "[]", done.stderr


def test_a_row_outside_its_interval_is_hollow_and_counted(every):
    made = every["left out"].to_dict()
    hollow = [rows for spec, rows in marks(made, "point") if not spec["mark"]["filled"]]
    said = [row["said"] for _, rows in marks(made, "text") for row in rows]

    assert [row["error"] for rows in hollow for row in rows] == [0.2, 0.2]
    assert said == ["1.0 %, 2 of 3, × 1.2"] * 2


def test_a_registered_prediction_is_drawn_in_the_panel_of_its_variant(every):
    made = every["registered"].to_dict()
    diamonds = [rows for spec, rows in marks(made, "point") if spec["mark"].get("shape") == "diamond"]

    assert [(row["series"], row["x"], row["median"]) for rows in diamonds for row in rows] == [("before", 6, 60.0)]
    assert any("registered" in line for line in made["title"]["subtitle"])
    assert not any("registered" in line for line in every["facets"].to_dict()["title"]["subtitle"])


def test_shares_below_zero_are_drawn_as_nothing(every):
    bars = [
        rows for spec, rows in marks(every["sensitivity"].to_dict(), "bar") if spec["encoding"]["x"]["field"] == "first"
    ]

    assert [[row["first"] for row in rows] for rows in bars] == [[0.5, 0.0]] * 2


def test_every_chart_carries_its_numbers_as_a_table(every):
    """Columns that rows have, values that JSON holds, and for rates the unit."""
    for name, chart in every.items():
        table = charts.spec(chart)["usermeta"]["mpps"]["table"]
        fields = [field for field, *_ in table["columns"]]
        assert fields and table["rows"] and json.dumps(table, allow_nan=False), name
        assert all(set(row) <= {*fields, "lower", "upper"} for row in table["rows"]), name
        assert all(any(field in row for row in table["rows"]) for field in fields), name
    scaling = charts.spec(every["scaling"])["usermeta"]["mpps"]["table"]
    assert scaling["unit"] == "Gbit/s" and ["n", "cores", "count", ""] in scaling["columns"]
    held = [row for row in scaling["rows"] if row["n"] == 8 and "USL" not in row["variant"]]
    assert [row["note"] for row in held] == ["held out"] * 2


def test_a_map_draws_a_line_where_the_limit_changes():
    """Two resources over a grid of 3 by 2: the border lies half-way between the counts on the log scale."""
    rows = [
        {"x": x, "y": y, "limit": "lock" if x > 2 else "private work", "share": 1.0} for x in (1, 2, 4) for y in (1, 2)
    ]
    ((_, lines),) = [
        found for found in marks(charts.spec(charts.limit_map(rows, title=TITLE, x_title="n", y_title="ns")), "rule")
    ]
    assert {round(line["x"], 6) for line in lines} == {round(8**0.5, 6)} == {round(line["x2"], 6) for line in lines}
    assert len(lines) == 2


def test_names_on_a_map_keep_clear_of_its_marks_and_run_inwards_at_its_sides():
    from mpps.charts.regions import _labels

    xs, ys = [2.0**k for k in range(12)], [10.0 * 2**k for k in range(12)]
    rows = [{"x": x, "y": y, "limit": "lock" if x < 8 else "work"} for x in xs for y in ys]
    middle = (xs[7], ys[5])
    found = {each["text"]: each for each in _labels(rows, xs, ys, [(*middle, "as fitted")])}
    assert found["lock"]["align"] == "left" and found["work"]["align"] == "center"
    assert abs(math.log2(found["work"]["y"] / middle[1])) >= 1
    alone = {each["text"]: each for each in _labels(rows, xs, ys, [])}
    assert alone["work"]["y"] == pytest.approx(middle[1], rel=1.01)


def test_labels_of_wide_letters_get_the_room_that_they_take():
    assert layout.gutter(["mmmmmmmmmmmm"]) > layout.gutter(["percpu_rwsem"]) > layout.gutter(["iiiiiiiiiiii"])
    assert layout.gutter(["percpu_rwsem"]) >= 18 + 90  # 90 px in DejaVu Sans at 12 px, measured in a browser
    assert layout.gutter(["m" * 100]) == 190


def test_words_of_a_part_that_is_saved_stand_right_of_its_bar():
    rows = [
        {"variant": "after", "n": 8, "stage": stage, "resource": "serial", "ns": ns}
        for stage, ns in (("body", 100.0), ("line shared with data", -40.0), ("hand-off", 60.0))
    ]
    spec = charts.spec(charts.packet_cost(rows, title=TITLE, thing="operation"))
    (words, said), *_ = marks(spec, "text")
    assert words["encoding"]["x"]["field"] == "right"
    saved = next(row for row in said if row["stage"] == "line shared with data")
    assert (saved["start"], saved["end"], saved["right"]) == (100.0, 60.0, 100.0)
    assert "ns per operation" in json.dumps(spec) and "an operation" in json.dumps(spec)


def test_the_key_of_a_lever_says_what_its_line_is():
    rows = [{"series": "a", "x": x, "median": 10.0 * x} for x in (1, 2, 4)]
    key = lambda **more: charts.spec(charts.lever(rows, title=TITLE, unit="%", x_title="CPUs", **more))["title"][
        "subtitle"
    ]
    assert key() == ["line: median"] and key(line="share of draws") == ["line: share of draws"]


def test_panels_that_count_different_things_say_so_below_their_axes():
    rows = [{"variant": v, "resource": "work", "n": n, "utilisation": 0.5} for v in ("a", "b") for n in (1, 2)]
    spec = json.dumps(charts.spec(charts.utilisation(rows, title=TITLE, x_title={"a": "senders", "b": "CPUs"})))
    assert '"title": "senders"' in spec and '"title": "CPUs"' in spec
