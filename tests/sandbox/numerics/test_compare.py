"""What counts as the same output, and what does not."""

import pytest

from sandbox.models import OutputFile, Run
from sandbox.numerics.compare import compare_runs, differs_in_wording_only


def run(stdout="", *, exit_code=0, outputs=(), **fields):
    return Run(device="d", exit_code=exit_code, stdout=stdout, outputs=outputs, **fields)


SAME = [
    ("PASS\n", "PASS\n"),
    ("sum = 12345\n", "sum = 12345\n"),
    ("x = 1.000000\n", "x = 1.000001\n"),  # one unit in the last printed digit
    ("x = 3.14159265\n", "x = 3.14159300\n"),  # 1e-7 relative
    ("x = 1e-20\n", "x = 1.0000001e-20\n"),
    ("elapsed: 12.5 ms\n", "elapsed: 99.1 ms\n"),
    ("Bandwidth = 12.5 GB/s, errors = 0\n", "Bandwidth = 1.5 GB/s, errors = 0\n"),
    ("kernel took 5 us\n", "kernel took 17 us\n"),
    ("cudaSuccess, sum 5\n", "hipSuccess, sum 5\n"),
    ("hash 0x0123456789abcdef\n", "hash 0x0123456789abcdef\n"),
    ("took 1.5 s, 3 errors\n", "took 2.5 s, 3 errors\n"),
    ("a nan\n", "a nan\n"),
    ("-inf\n", "-inf\n"),
    ("x = nan\n", "x = -nan\n"),
    ("err 0.000001\n", "err 0.000000\n"),
    ("x 5.92517e-07\n", "x 5.92518e-07\n"),
    ("x 1e1000000\n", "x 1e1000000\n"),
    ("md5 5e99999999999999999999\n", "md5 5e99999999999999999999\n"),
    ("hash 0xdeadbeef\n", "hash 0xdeadbeef\n"),
]

DIFFERENT = [
    ("PASS\n", "FAIL\n"),
    ("sum = 12345\n", "sum = 12346\n"),
    ("sum = 12345\n", "sum = 6172\n"),
    ("x = 1.000000\n", "x = 1.001000\n"),
    ("x = 0.0\n", "x = 0.5\n"),
    ("x = 1.5\n", "x = -1.5\n"),
    ("x = 1.5\n", "x = nan\n"),
    ("x = inf\n", "x = -inf\n"),
    ("a\nb\n1\n", "a\nb\n"),
    ("a\n", "a\n1\n"),
    ("hash 0xdeadbeef\n", "hash 0xdeadbeee\n"),
    ("errors: 0 in 5 ms\n", "errors: 7 in 5 ms\n"),
    ("v = 1 2 3\n", "v = 1 2\n"),
    ("n = 3\n", "n = 3.5\n"),
    ("time 5 ms PASS\n", "time 6 ms FAIL\n"),
    ("x 2e+06\n", "x 1e+06\n"),
    ("x 2e+06\n", "x 1.04858e+06\n"),
    ("x 1e0\n", "x 2e0\n"),
    ("x 3.\n", "x 4.\n"),
    ("x 0.2\n", "x 0.1\n"),
    ("x 1e1000000\n", "x 2e1000000\n"),
    ("md5 5e99999999999999999999\n", "md5 6e99999999999999999999\n"),
    ("time step 10 energy 3.14\n", "time step 10 energy 9.99\n"),
    ("largest 9 second 7\n", "largest 8 second 7\n"),
    ("GPU time 5 sum 7\n", "GPU time 5 sum 8\n"),
    ("hash 0xfedcba9876543210\n", "hash 0xfedcba9876543211\n"),
    ("elapsed 1.5 count 43\n", "elapsed 1.5 count 925\n"),
    ("Time step count: 43\n", "Time step count: 925\n"),
    ("simulated time: 43\n", "simulated time: 925\n"),
    ("count 43 s\n", "count 925 s\n"),
    ("clock 5 of 7.5\n", "clock 5 of 8.5\n"),
]


@pytest.mark.parametrize(("expected", "got"), SAME)
def test_same(expected, got):
    comparison = compare_runs(run(expected), run(got))
    assert comparison.differences == ()
    assert comparison.same


@pytest.mark.parametrize(("expected", "got"), DIFFERENT)
def test_different_and_named_with_both_values(expected, got):
    comparison = compare_runs(run(expected), run(got))
    assert not comparison.same
    first = comparison.differences[0]
    assert first.where.startswith("stdout line ")
    assert first.expected != first.got
    assert not differs_in_wording_only(comparison)


def test_difference_in_device_name_is_wording():
    comparison = compare_runs(run("Running on NVIDIA part\nPASS\n"), run("Running on AMD part\nPASS\n"))
    assert not comparison.same
    assert differs_in_wording_only(comparison)


def test_wording_and_result_together_is_no_wording():
    comparison = compare_runs(run("on NVIDIA\nsum 5\n"), run("on AMD\nsum 6\n"))
    assert not differs_in_wording_only(comparison)


@pytest.mark.parametrize("text", ["p = 0x7f0012345678\n", "hash 0x00001234abcd\n"])
def test_what_may_be_a_pointer_needs_a_person(text):
    comparison = compare_runs(run(text + "PASS\n"), run(text.replace("2", "3") + "PASS\n"))
    assert not comparison.same
    assert differs_in_wording_only(comparison)


def test_exit_status_counts():
    comparison = compare_runs(run("PASS\n"), run("PASS\n", exit_code=1))
    assert comparison.differences[-1].where == "exit status"
    crashed = Run(device="d", exit_code=None, signal=6, stdout="PASS\n")
    assert "signal 6" in compare_runs(run("PASS\n"), crashed).differences[0].got


def test_silent_program_proves_nothing():
    assert not compare_runs(run(), run()).conclusive
    assert compare_runs(run(), run("1\n")).conclusive
    assert compare_runs(run("PASS\n"), run("PASS\n")).conclusive


@pytest.mark.parametrize("text", ["took 5 ms\n", "done\n", "Bandwidth: 5.5\n"])
def test_measurements_and_small_talk_prove_nothing(text):
    comparison = compare_runs(run(text), run(text))
    assert comparison.same
    assert not comparison.conclusive


def test_declared_outputs_are_compared_by_content():
    left = OutputFile(name="o.bin", sha256="a" * 64, size=4)
    right = OutputFile(name="o.bin", sha256="b" * 64, size=4)
    assert not compare_runs(run(outputs=(left,)), run(outputs=(right,))).same
    missing = compare_runs(run(outputs=(left,)), run())
    assert missing.differences[0].got == "absent"
    assert compare_runs(run(outputs=(left,)), run(outputs=(left,))).conclusive


def test_measurements_are_said_to_be_left_out():
    comparison = compare_runs(run("took 5 ms\n"), run("took 6 ms\n"))
    assert any("not compared: 1" in text for text in comparison.compared)


def test_many_differences_are_counted_not_listed():
    lines = "".join(f"{i}\n" for i in range(100))
    others = "".join(f"{i + 1}\n" for i in range(100))
    comparison = compare_runs(run(lines), run(others))
    assert len(comparison.differences) == 20
    assert "80 more differences are not listed" in comparison.compared
