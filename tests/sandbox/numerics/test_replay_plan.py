"""Plans for the replay of launches."""

import struct
from contextlib import closing

import pytest
from recordings import Writer, floats

from sandbox.numerics.replay_plan import ReplayError, plan_replay, same_launches, short_name

NAMES = [
    ("_Z3addPfi", "add"),
    ("_ZL3addPfi", "add"),
    ("_Z3addIfEvPT_", "add"),
    ("_ZN2ns5inner3addEPf", "ns::inner::add"),
    ("_ZN12_GLOBAL__N_13addEPf", "_GLOBAL__N_1::add"),
    ("main_kernel", "main_kernel"),
    ("_Z", "_Z"),
    ("_Z99x", "x"),
    ("_ZNK", "_ZNK"),
    ("_Z" + "9" * 5000, "_Z" + "9" * 5000),
]


@pytest.mark.parametrize(("mangled", "name"), NAMES)
def test_short_names(mangled, name):
    assert short_name(mangled) == name


@pytest.fixture
def reference(tmp_path):
    return Writer(tmp_path / "reference", 0x7F0000000000)


def plan(writer, kernels):
    with closing(writer.end()) as recording:
        return plan_replay(recording, kernels, recording.launches).splitlines()


def test_memory_launches_and_pointers(reference):
    first, second = reference.allocate(0, 16), reference.allocate(1, 64, kind="managed")
    reference.contents("change", "host", 0, 0, struct.pack("QQ", second + 24, 7))
    reference.launch("_Z4stepPfi", first.to_bytes(8, "little"), b"\2\0\0\0")
    reference.contents("change", "launch", 1, 8, floats(1.0, 2.0))
    reference.events.append({"event": "free", "id": 0})
    reference.launch("_Z4stepPfi", second.to_bytes(8, "little"), b"\3\0\0\0")
    step = "launch 1 1 1 64 1 1 0 _Z4stepPfi"
    assert plan(reference, ["_Z4stepPfi", "other"]) == [
        "allocate 0 device 16 -",
        "allocate 1 managed 64 -",
        "write 0 0 16 0 1 0 1 24",
        f"{step} {first.to_bytes(8, 'little').hex()}02000000 1 0 0 0",
        "write 1 8 8 16 0",
        "free 0",
        f"{step} {second.to_bytes(8, 'little').hex()}03000000 1 0 1 0",
    ]


def test_a_pointer_that_is_not_aligned_in_its_page_is_found(reference):
    target = reference.allocate(0, 64)
    reference.contents("change", "host", 0, 4, b"\0\0\0\0" + struct.pack("Q", target + 8))
    assert plan(reference, [])[-1] == "write 0 4 12 0 1 4 0 8"


def test_a_kernel_is_found_by_its_name_where_parameters_mangle_differently(reference):
    reference.launch("_Z4stepP9cuda_type")
    assert " _Z4stepP8hip_type " in plan(reference, ["_Z4stepP8hip_type", "_Z5step2v"])[0]


@pytest.mark.parametrize(
    ("kernels", "message"),
    [(["_Z5otherv"], "no kernel for launch 0"), (["_Z4stepf", "_Z4stepd"], "more than one kernel for launch 0")],
)
def test_kernels_that_cannot_be_told(reference, kernels, message):
    reference.launch("_Z4stepi")
    with pytest.raises(ReplayError, match=message):
        plan(reference, kernels)


def test_a_graph(reference):
    reference.launch("(graph)")
    with pytest.raises(ReplayError, match="launch 0 is a graph"):
        plan(reference, [])


def test_what_was_not_kept(reference):
    reference.allocate(0, 8)
    reference.contents("change", "host", 0, 0, floats(1.0, 2.0), kept=False)
    with pytest.raises(ReplayError, match="more bytes"):
        plan(reference, [])


OTHER = [
    (["a"], ["a", "b"], "the port launches 2 kernels, the original 1"),
    (["a", "b"], ["a", "c"], "the port's launch 1 is c, where the original's is b"),
]


@pytest.mark.parametrize(("mine", "theirs", "message"), OTHER)
def test_other_launches(tmp_path, mine, theirs, message):
    writers = [Writer(tmp_path / name, 0x1000) for name in ("mine", "theirs")]
    for writer, kernels in zip(writers, (mine, theirs), strict=True):
        for kernel in kernels:
            writer.launch(kernel)
    with (
        closing(writers[0].end()) as reference,
        closing(writers[1].end()) as port,
        pytest.raises(ReplayError, match=message),
    ):
        same_launches(reference, port)


def test_a_reference_that_broke_off(tmp_path):
    writer = Writer(tmp_path / "mine", 0x1000)
    with closing(writer.end("a launch did not end")) as reference, pytest.raises(ReplayError, match="did not end"):
        same_launches(reference, reference)
