"""A card read from a host gives back the topology and the latencies that the host was built with."""

import shlex

import numpy as np
import pytest
import yaml

from host_trees import AMD, ARM, INTEL, as_csv, classes, matrix, ranges, seats, tree, with_device, write
from mpps import cli
from mpps.errors import DataError, UnknownNameError
from mpps.machine import LINE_CLASSES, load_machine, machine_from_text
from mpps.machine.detect import detect
from mpps.machine.domains import domains_by_gaps, transfers
from mpps.machine.matrix import read_matrix
from mpps.machine.system import SAVE, cpu_list, read_system
from samples import ROOT

# Least, 5 %, median, 95 % and greatest of published matrices, as data/machines cites them, and how their CPUs sit.
XEON_8375C = (
    seats(2, 1, 32, 2),
    {
        "smt": (8.0, 8.0, 8.0, 8.2, 8.3),
        "cluster": (39.6, 44.6, 51.3, 57.8, 62.1),
        "socket": (96.7, 102.2, 107.8, 113.3, 116.8),
    },
    None,
)
EPYC_7R13 = (
    seats(2, 6, 8, 2),
    {
        "smt": (9.7, 9.8, 9.8, 9.9, 10.0),
        "cluster": (20.0, 20.3, 22.7, 25.9, 27.3),
        "other": (83.7, 89.5, 107.6, 112.3, 115.9),
        "remote": (185.6, 190.8, 200.5, 205.1, 207.3),
        "socket": (182.2, 186.1, 197.2, 205.2, 208.5),
    },
    1,
)
RYZEN_5950X = (
    seats(1, 2, 8, 2),
    {
        "smt": (7.4, 7.4, 7.8, 8.0, 8.0),
        "cluster": (15.5, 16.0, 18.1, 20.3, 20.7),
        "other": (81.9, 82.8, 85.2, 87.4, 88.2),
    },
    None,
)
GRAVITON2 = (seats(1, 1, 64, 1), {"cluster": (30.4, 40.0, 47.2, 55.6, 58.4)}, None)
LX2160A = (seats(1, 8, 2, 1), {"cluster": (60, 60, 60, 66.7, 66.7), "other": (240, 246.7, 260, 266.7, 273.3)}, None)
PUBLISHED = {
    "Xeon 8375C": XEON_8375C,
    "EPYC 7R13": EPYC_7R13,
    "Ryzen 5950X": RYZEN_5950X,
    "Graviton2": GRAVITON2,
    "LX2160A": LX2160A,
}
KEYS = {
    "smt": "smt_sibling",
    "cluster": "same_cluster",
    "other": "other_cluster",
    "remote": "other_cluster_remote_home",
    "socket": "other_socket",
}


def values_for(machine):
    places, knots, remote = machine
    return matrix(classes(places, remote), knots, np.random.default_rng(5))


def saved(folder, values):
    path = folder / "latencies.csv"
    path.write_text(as_csv(values), encoding="utf-8")
    return path


def read(text):
    return machine_from_text("found.yaml", text)


def counts(machine):
    names = ("sockets", "cores_per_socket", "threads_per_core", "cluster_cores")
    return tuple(machine[f"topology.{name}"].value for name in names)


# Topology


@pytest.mark.parametrize("numbering", ["halves", "pairs"])
@pytest.mark.parametrize("shape", [(1, 1, 1, 1), (1, 1, 4, 2), (2, 6, 4, 2), (2, 1, 8, 1), (4, 2, 3, 2)])
def test_counts_of_a_tree(tmp_path, shape, numbering):
    machine = read(detect(tree(tmp_path, seats(*shape, numbering), info=AMD)))

    sockets, clusters, cores, threads = shape
    assert counts(machine) == (sockets, clusters * cores, threads, cores if cores > 1 else None)
    assert machine.role == "own" and machine["microarchitecture"].value == "Zen 3"
    assert machine["core_class"].value == "out-of-order" and machine["clock.tsc"].value == 2.6


def test_what_the_kernel_leaves_out_is_not_stated_with_a_way_to_find_it(tmp_path):
    machine = read(detect(tree(tmp_path, seats(1, 1, 4, 1))))

    for name in ("clock.base", "clock.one_core", "clock.all_cores", "line_transfer.same_cluster", "device.link"):
        assert machine[name].not_stated and len(machine[name].why) > 15
    assert "core-to-core-latency" in machine["line_transfer.other_socket"].why


def test_clocks_mitigations_and_device(tmp_path):
    root = tree(tmp_path, seats(2, 1, 4, 2), highest=3.5, base=2.9)
    write(root / "sys/devices/system/cpu/vulnerabilities/retbleed", "Mitigation: IBRS")
    write(root / "sys/devices/system/cpu/vulnerabilities/meltdown", "Not affected")
    write(root / "sys/devices/system/node/node0/cpulist", "0-3,8-11")
    write(root / "sys/devices/system/node/node1/cpulist", "4-7,12-15")
    with_device(root, "eth1", 10000, "ixgbe")
    with_device(root, "eth0", -1)
    with_device(root, "eth2", 100000)
    write(root / "sys/class/net/lo/speed", 10)
    machine = read(detect(root))

    assert (machine["clock.one_core"].value, machine["clock.base"].value) == (3.5, 2.9)
    assert machine["mitigations"].value == "retbleed: Mitigation: IBRS"
    assert machine["topology.numa_nodes"].value == 2
    assert machine["device.link"].value == 100 and machine["device.name"].value.startswith("eth2 (mlx5_core")
    assert "eth1 10 Gbit/s" in " ".join(machine.notes)
    assert read(detect(root, nic="eth1"))["device.link"].value == 10
    assert read(detect(root, nic="eth0"))["device.link"].not_stated
    with pytest.raises(DataError, match="eth9.*eth2, eth1, eth0"):
        detect(root, nic="eth9")


def test_offline_cpus_are_not_counted(tmp_path):
    """SMT switched off, and a core of the second cluster gone: cluster sizes differ, and the card says so."""
    machine = read(detect(tree(tmp_path, seats(1, 2, 4, 2), offline=(*range(8, 16), 7))))

    assert counts(machine) == (1, 7, 1, 4)
    fact = machine["topology.cluster_cores"]
    assert (fact.lower, fact.upper, fact.assumed) == (3, 4, True)
    assert any("9 CPUs are offline" in note for note in machine.notes)


def test_hybrid_part_has_a_card_for_each_kind_of_core(tmp_path):
    """Eight performance cores with siblings, two modules of four efficiency cores, as a Core i9-12900K."""
    places = [(0, 0, k // 2) for k in range(16)] + [(0, 0, 8 + k) for k in range(8)]
    root = tree(tmp_path, places, info=INTEL | {"model": "151"}, highest=5.1)
    for number in range(16, 24):
        module = ranges(range(16, 20) if number < 20 else range(20, 24))
        write(root / f"sys/devices/system/cpu/cpu{number}/cache/index2/shared_cpu_list", module)
        write(root / f"sys/devices/system/cpu/cpu{number}/cpufreq/cpuinfo_max_freq", 3900000)
    write(root / "sys/devices/cpu_core/cpus", "0-15")
    write(root / "sys/devices/cpu_atom/cpus", "16-23")
    labels = classes(places)
    labels[16:, 16:] = [["module" if a // 4 == b // 4 else "modules" for b in range(8)] for a in range(8)]
    labels[16:, :16] = labels[:16, 16:] = "mixed"
    knots = {
        "smt": (4.3, 4.3, 4.3, 4.4, 4.4),
        "cluster": (27.7, 28.2, 35.1, 37.0, 37.5),
        "mixed": (32.6, 32.7, 38.6, 39.9, 40.0),
        "module": (49.8, 49.9, 50.2, 50.6, 50.7),
        "modules": (44.2, 44.2, 44.2, 44.3, 44.3),
    }
    file = saved(tmp_path, matrix(labels, knots, np.random.default_rng(1)))
    fast, slow = read(detect(root, matrix=file)), read(detect(root, matrix=file, kind="efficiency"))

    assert counts(fast) == (1, 8, 2, 8) and counts(slow) == (1, 8, 1, 4)
    assert (fast["microarchitecture"].value, slow["microarchitecture"].value) == ("Golden Cove", "Gracemont")
    assert (fast["clock.one_core"].value, slow["clock.one_core"].value) == (5.1, 3.9)
    assert fast.line_transfer("smt_sibling").value == 4.3 and fast.line_transfer("same_cluster").value == 35.1
    assert slow.line_transfer("same_cluster").value == 50.2 and slow.line_transfer("other_cluster").value == 44.2
    assert "efficiency" in fast.notes[-1] and "performance" in slow.notes[-1]
    with pytest.raises(UnknownNameError, match="performance, efficiency"):
        detect(root, kind="fast")


def test_arm_host_without_topology_files(tmp_path):
    root = tree(tmp_path, seats(1, 1, 4, 1), info=ARM, topology=False)
    write(root / "sys/firmware/devicetree/base/model", "Test board\0")
    machine = read(detect(root))

    assert counts(machine) == (1, 4, 1, None) and machine.title == "Test board"
    assert machine["microarchitecture"].value == "Neoverse N1" and machine["clock.tsc"].not_stated


def test_arm_cores_of_two_capacities_are_two_kinds(tmp_path):
    root = tree(tmp_path, seats(1, 2, 4, 1), info=ARM, shared=2)
    for number in range(8):
        write(root / f"sys/devices/system/cpu/cpu{number}/cpu_capacity", 1024 if number >= 4 else 400)

    assert counts(read(detect(root))) == (1, 4, 1, 4)
    assert "cpu4" not in detect(root, kind="efficiency")


def test_container_that_shows_only_cpuinfo(tmp_path):
    tree(tmp_path / "all", seats(2, 1, 2, 2), flags="constant_tsc hypervisor")
    write(tmp_path / "little/proc/cpuinfo", (tmp_path / "all/proc/cpuinfo").read_text(encoding="utf-8"))
    machine = read(detect(tmp_path / "little"))

    assert counts(machine) == (2, 2, 2, None)
    assert machine["microarchitecture"].assumed and "hypervisor" in machine["microarchitecture"].why


def test_zeros_that_tar_adds_do_not_matter(tmp_path):
    root = tree(tmp_path, seats(2, 2, 4, 2), highest=3.5)
    plain = detect(root)
    for file in root.rglob("*"):
        if file.is_file():
            file.write_bytes(file.read_bytes().ljust(4096, b"\0"))

    assert detect(root) == plain


@pytest.mark.parametrize("content", ["", "nonsense", "-5", "9" * 30, "0-"])
def test_broken_files_of_a_tree_are_missing_ones(tmp_path, content):
    root = tree(tmp_path, seats(1, 1, 2, 1))
    for name in ("topology/core_cpus_list", "cpufreq/cpuinfo_max_freq", "cache/index0/level", "cpu_capacity"):
        write(root / "sys/devices/system/cpu/cpu1" / name, content)
    write(root / "sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", 0)

    machine = read(detect(root))
    assert machine["topology.cores_per_socket"].value == 2 and machine["clock.one_core"].not_stated


def test_cpu_lists():
    assert cpu_list("0-2,8, 10-11") == [0, 1, 2, 8, 10, 11]
    assert cpu_list(None) == cpu_list("none") == []


def test_this_machine_or_container():
    import os

    machine = read(detect())

    assert 1 <= machine.threads <= 2 * os.cpu_count()
    assert len(read_system().cpus) <= os.cpu_count()


def test_no_host_is_an_error(tmp_path):
    with pytest.raises(DataError, match="no such folder.*tar"):
        detect(tmp_path / "none")
    with pytest.raises(DataError, match="neither sys/devices/system/cpu nor proc/cpuinfo"):
        detect(tmp_path)
    with pytest.raises(DataError, match="nothing to read"):
        detect(None)


def test_favoured_cores_are_of_one_kind(tmp_path):
    root = tree(tmp_path, seats(1, 1, 4, 1))
    for number in range(4):
        write(root / f"sys/devices/system/cpu/cpu{number}/cpu_capacity", 1024 - 40 * number)

    assert read(detect(root))["topology.cores_per_socket"].value == 4


def test_a_driver_that_hides_turbo_leaves_room_above(tmp_path):
    root = tree(tmp_path, seats(1, 1, 2, 1), highest=2.5)
    write(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", "acpi-cpufreq")
    fact = read(detect(root))["clock.one_core"]
    assert (fact.value, fact.lower, fact.upper, fact.assumed) == (2.5, 2.5, 4.0, True)

    write(root / "sys/devices/system/cpu/cpufreq/boost", 0)
    fact = read(detect(root))["clock.one_core"]
    assert (fact.value, fact.assumed) == (2.5, False) and "Turbo is switched off" in detect(root)


# Line transfers


@pytest.mark.parametrize("name", PUBLISHED)
@pytest.mark.parametrize("by", ["topology", "gaps"])
def test_published_quantiles_come_back(tmp_path, name, by):
    """5 %, median and 95 % of every class, by the host's topology and by the gaps of the matrix alone."""
    places, knots, _ = PUBLISHED[name]
    file = saved(tmp_path, values_for(PUBLISHED[name]))
    machine = read(detect(tree(tmp_path / "host", places) if by == "topology" else None, matrix=file))

    stated = {key: machine[f"line_transfer.{key}"] for key in (*LINE_CLASSES, KEYS["remote"])}
    assert {key for key, fact in stated.items() if not fact.not_stated} == {KEYS[key] for key in knots}
    for key, (_, lower, middle, upper, _) in knots.items():
        fact = stated[KEYS[key]]
        assert (fact.lower, fact.value, fact.upper) == pytest.approx((lower, middle, upper), rel=0.02, abs=0.06)
    assert machine["topology.sockets"].value == len({place[0] for place in places})
    assert machine.threads == len(places)


def test_pairs_of_each_class_are_those_of_the_published_matrices():
    for machine, expected in (
        (XEON_8375C, {"smt_sibling": 64, "same_cluster": 3968, "other_socket": 4096}),
        (LX2160A, {"same_cluster": 8, "other_cluster": 112}),
        (
            EPYC_7R13,
            {
                "smt_sibling": 96,
                "same_cluster": 1344,
                "other_cluster": 3840,
                "other_socket": 9216,
                "other_cluster_remote_home": 3840,
            },
        ),
    ):
        values = values_for(machine)
        found = transfers(values, domains_by_gaps(values))
        assert {name: spread.pairs for name, spread in found.items()} == expected


def test_sockets_that_are_known_place_the_far_class():
    """Four packages look like four clusters of one, unless their number is known."""
    places = seats(4, 1, 10, 2)
    labels = classes(places)
    knots = {"smt": (8,) * 5, "cluster": (41, 42, 46, 51, 52), "socket": (140, 142, 150, 158, 160)}
    values = matrix(labels, knots, np.random.default_rng(2))

    assert "other_socket" not in transfers(values, domains_by_gaps(values))
    assert transfers(values, domains_by_gaps(values, sockets=4))["other_socket"].median == pytest.approx(150, abs=0.5)


def test_matrix_of_one_thread_a_core(tmp_path):
    root = tree(tmp_path / "host", seats(2, 1, 4, 2))
    values = matrix(classes(seats(2, 1, 4, 1)), {"cluster": (50,) * 5, "socket": (110,) * 5}, np.random.default_rng(3))
    machine = read(detect(root, matrix=saved(tmp_path, values)))

    assert machine.line_transfer("same_cluster").value == 50 and machine.line_transfer("other_socket").value == 110
    assert machine.line_transfer("smt_sibling").not_stated


def test_matrix_whose_rows_are_not_the_cpus_gets_a_note(tmp_path):
    """Siblings numbered side by side in the matrix, by halves in the tree."""
    knots = {"smt": (8,) * 5, "cluster": (50,) * 5}
    values = matrix(classes(seats(1, 1, 2, 2, "pairs")), knots, np.random.default_rng(4))
    file = saved(tmp_path, values)

    assert "does not fit" in detect(tree(tmp_path / "halves", seats(1, 1, 2, 2)), matrix=file)
    assert "does not fit" not in detect(tree(tmp_path / "pairs", seats(1, 1, 2, 2, "pairs")), matrix=file)


def test_matrix_of_another_machine_is_refused(tmp_path):
    file = saved(tmp_path, values_for(LX2160A))
    with pytest.raises(DataError, match=r"latencies.csv: 16 CPUs, but 8 are online .* --sysfs none"):
        detect(tree(tmp_path / "host", seats(1, 1, 8, 1)), matrix=file)


# CSV


def test_forms_of_one_matrix(tmp_path):
    square = np.array([[np.nan, 50, 60.5], [50, np.nan, 70], [60.5, 70, np.nan]])
    forms = {
        "triangle": ",,\n50,,\n60.5,70,\n",
        "ragged": "\n50\n60.5,70\n",
        "zeros": "0,,\n50,0,\n60.5,70,0\n\n",
        "both": "0,49,60.5\n51,0,70\n60.5,70,0\n",
        "header": ",0,1,2\n0,,,\n1,50,,\n2,60.5,70,\n",
        "names": "cpu,cpu0,cpu1,cpu2\ncpu0,,,\ncpu1,50,,\ncpu2,60.5,70,\n",
        "semicolons": ";;\n50;;\n60.5;70;\n",
        "comment": "# ns\n,,\r\n50,,\r\n60.5,70,\r\n",
        "upper": ",50,60.5\n,,70\n,,\n",
    }
    for name, text in forms.items():
        path = tmp_path / f"{name}.csv"
        path.write_text(
            text if name != "zeros" else text.replace(",0,0\n5", ",,\n5").replace("50,0,0", "50,0,"), "utf-8"
        )
        np.testing.assert_array_equal(read_matrix(path), square, err_msg=name)
    (tmp_path / "mark.csv").write_bytes(b"\xef\xbb\xbf" + forms["triangle"].encode())
    np.testing.assert_array_equal(read_matrix(tmp_path / "mark.csv"), square)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no latencies"),
        ("\n\n", "no latencies"),
        (",,\n,,\n,,\n", "no latencies"),
        ("5\n", "latencies of 1 CPUs, expected two at least"),
        ("\nx\n", "row 2, column 1: found 'x'"),
        ("x\n", "latencies of 0 CPUs"),
        (",,\n50,,\n60,fast,\n", "row 3, column 2: found 'fast'"),
        (",,\n50,,\n60,nan,\n", "row 3, column 2: found 'nan'"),
        (",,\n50,,\n60,-7,\n", "row 3, column 2: found '-7', expected ns, a positive number"),
        (",,\n50,,\n60,0,\n", "row 3, column 2"),
        (",,\n0.05,,\n0.06,0.07,\n", "row 2, column 1: found '0.05', expected 0.5 to 10000 ns.*us"),
        (",,\n50000,,\n60,70,\n", "row 2, column 1: found '50000'"),
        (",,\n50,,\n60,,\n", "row 3, column 2: no latency between CPU 2 and CPU 1"),
        (",,\n50,,\n", "row 1: 3 columns in a table of 2 rows"),
        (",,\n50,,\n60,70,,80\n", "row 3: 4 columns in a table of 3 rows"),
        (",0,1,2\n0,,,\n1,50,,\n2,60,x,\n", "row 4, column 3: found 'x'"),
    ],
)
def test_malformed_csv_names_row_and_column(tmp_path, text, words):
    path = tmp_path / "bad.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=rf"bad\.csv.*{words}"):
        read_matrix(path)


def test_csv_that_is_none(tmp_path):
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00")
    for name, words in (("binary.csv", "UTF-8"), ("missing.csv", "No such file"), (".", "directory")):
        with pytest.raises(DataError, match=words):
            read_matrix(tmp_path / name)


# The command


def run(capsys, *arguments):
    status = cli.main(["machine", "detect", *map(str, arguments)])
    out, err = capsys.readouterr()
    return status, out, err


def test_command_writes_a_card_that_predict_takes(capsys, tmp_path):
    root = with_device(tree(tmp_path / "host", seats(2, 1, 32, 2), highest=3.5, base=2.9), "eth0", 25000)
    file, card = saved(tmp_path, values_for(XEON_8375C)), tmp_path / "mine.yaml"
    status, out, err = run(capsys, "--sysfs", root, "--core-to-core", file, "--out", card)

    assert (status, err) == (0, "") and str(card) in out
    assert load_machine(card).line_transfer("other_socket").value == pytest.approx(107.8, abs=0.1)
    assert (
        cli.main(["predict", "packet_transmit", "--cores", "1,8", "--machine", str(card), "--variant", "bypass"]) == 0
    )
    assert "mine" in capsys.readouterr().out
    before = card.read_bytes()
    status, out, err = run(capsys, "--sysfs", root, "--out", card)
    assert (status, out) == (2, "") and "exists already" in err and card.read_bytes() == before


def test_command_prints_the_card_or_says_what_is_wrong(capsys, tmp_path):
    root = tree(tmp_path / "host", seats(1, 1, 2, 1))
    status, out, _ = run(capsys, "--sysfs", root)
    assert status == 0 and yaml.safe_load(out)["role"] == "own"
    for arguments, words in (
        (("--sysfs", root, "--out", tmp_path / "mine.txt"), "ends in .yaml"),
        (("--sysfs", root, "--out", tmp_path / "none" / "mine.yaml"), "No such file"),
        (("--sysfs", tmp_path / "nowhere"), "no such folder"),
        (("--sysfs", "none"), "nothing to read"),
    ):
        status, out, err = run(capsys, *arguments)
        assert (status, out) == (2, "") and words in err and "Traceback" not in err


def test_the_commands_of_the_guide_run(capsys, tmp_path, monkeypatch):
    """Every `mpps machine detect` of docs/add_a_machine.md, in a folder with the files that it names."""
    text = (ROOT / "docs" / "add_a_machine.md").read_text(encoding="utf-8")
    lines = [line.strip() for line in text.splitlines() if line.startswith("    mpps machine detect")]
    tree(tmp_path / "host", seats(2, 1, 32, 2))
    saved(tmp_path, values_for(XEON_8375C))
    monkeypatch.chdir(tmp_path)
    # The matrix belongs to the saved host: where the guide reads this machine, the saved one stands in for it.
    monkeypatch.setattr("mpps.machine.detect.read_system", lambda folder: read_system("host"))

    assert len(lines) == 3 and SAVE in text
    for line in lines:
        assert cli.main(shlex.split(line)[1:]) == 0, capsys.readouterr().err
        machine = load_machine("my_machine.yaml")
        assert machine["topology.sockets"].value == 2
        assert machine.line_transfer("other_socket").not_stated == ("--core-to-core" not in line)
        (tmp_path / "my_machine.yaml").unlink()
