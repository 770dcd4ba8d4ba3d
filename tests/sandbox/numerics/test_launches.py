"""Recordings held against each other, and recordings that are none."""

import struct
from contextlib import closing

import pytest
from recordings import Writer, floats

from sandbox.numerics.launches import compare_recordings
from sandbox.numerics.recording import Recording, RecordingError

SIGNATURES = {"_Z4stepPfi": "step(float*, int)", "_Z4linkPPvi": "link(void**, int)"}


@pytest.fixture
def sides(tmp_path):
    return Writer(tmp_path / "reference", 0x7F0000000000), Writer(tmp_path / "port", 0x7E0000000000)


def compare(sides):
    with closing(sides[0].end()) as reference, closing(sides[1].end()) as port:
        return compare_recordings(reference, port, SIGNATURES)


def play(side, *results, host=(1.0, 2.0)):
    """One buffer, and a launch for each of the results, which it writes to it."""
    address = side.allocate(0, 8)
    side.contents("change", "host", 0, 0, floats(*host))
    for result in results:
        side.launch("_Z4stepPfi", address.to_bytes(8, "little"), b"\2\0\0\0")
        side.contents("change", "launch", 0, 0, floats(*result))


def test_the_same(sides):
    for side in sides:
        play(side, (2.0, 4.0), (4.0, 8.0))
    found = compare(sides)
    assert found.divergence is None
    assert (found.aligned, found.same_launches, found.reference_launches, found.complete) == (True, 2, 2, True)
    assert found.bytes_compared == 24


def test_the_first_launch_that_differs_is_named(sides):
    play(sides[0], (2.0, 4.0), (4.0, 8.0), (8.0, 16.0))
    play(sides[1], (2.0, 4.0), (4.0, 9.0), (1.0, 1.0))
    found = compare(sides)
    where = found.divergence
    assert (where.launch, where.kernel, where.by, where.element) == (1, "_Z4stepPfi", "launch", 1)
    assert (where.element_type, where.expected, where.got) == ("float32", "8", "9")
    assert where.buffer == "argument 0 (8 bytes, allocation 0)"
    assert found.same_launches == 1


def test_another_order_is_no_divergence_but_counted(sides):
    play(sides[0], (2.0, 4.0), (5.0, 5.0))
    play(sides[1], (4.0, 2.0), (5.0, 5.0))
    found = compare(sides)
    assert (found.divergence, found.same_launches, found.reordered_buffers) == (None, 2, 1)


def test_what_only_one_side_wrote(sides):
    play(sides[0], (2.0, 4.0))
    play(sides[1])
    address = (0x7E0000000000).to_bytes(8, "little")
    sides[1].launch("_Z4stepPfi", address, b"\2\0\0\0")
    where = compare(sides).divergence
    assert (where.launch, where.element, where.expected, where.got) == (0, 0, "2", "1")


def test_other_input_is_the_hosts(sides):
    play(sides[0], (2.0, 4.0))
    play(sides[1], (2.0, 4.0), host=(1.0, 3.0))
    where = compare(sides).divergence
    assert (where.launch, where.by, where.element) == (0, "host", 1)


def test_other_launches_are_not_aligned(sides):
    play(sides[0], (2.0, 4.0), (3.0, 3.0))
    play(sides[1], (9.0, 9.0))
    found = compare(sides)
    assert (found.aligned, found.divergence, found.reference_launches, found.port_launches) == (False, None, 2, 1)


def test_what_the_host_reads_is_compared_where_launches_are_not(sides):
    for side, value in zip(sides, (4.0, 5.0), strict=True):
        play(side, *[(value, value)] * int(value))
        side.contents("read", "host", 0, 4, floats(value))
    found = compare(sides)
    where = found.divergence
    assert not found.aligned
    assert (where.launch, where.by, where.element, where.expected, where.got) == (None, "read", 1, "4", "5")


def test_pointers_in_memory_are_places(sides):
    for side in sides:
        side.allocate(0, 16)
        target = side.allocate(1, 64)
        side.launch("_Z4linkPPvi", side.base.to_bytes(8, "little"), b"\0\0\0\0")
        side.contents("change", "launch", 0, 0, struct.pack("QQ", target + 8, 5))
    assert compare(sides).divergence is None


def test_pointers_to_another_place_differ(sides):
    for side, offset in zip(sides, (8, 16), strict=True):
        side.allocate(0, 16)
        target = side.allocate(1, 64)
        side.launch("_Z4linkPPvi", side.base.to_bytes(8, "little"), b"\0\0\0\0")
        side.contents("change", "launch", 0, 0, struct.pack("QQ", target + offset, 5))
    where = compare(sides).divergence
    assert (where.launch, where.element) == (0, 0)


def test_variables_are_paired_by_name(sides):
    for side, order in zip(sides, (("a", "b"), ("b", "a")), strict=True):
        for identity, name in enumerate(order):
            side.allocate(identity, 4, kind="symbol", name=name)
            side.contents("change", "host", identity, 0, floats(1.0 if name == "a" else 2.0))
    assert compare(sides).divergence is None


def test_what_was_not_kept_ends_the_comparison(sides):
    for side in sides:
        side.allocate(0, 8)
        side.contents("change", "host", 0, 0, floats(1.0, 2.0), kept=False)
    with pytest.raises(RecordingError, match="more bytes changed than were kept"):
        compare(sides)


def test_a_recording_that_breaks_off_says_so(sides):
    play(sides[0], (2.0, 4.0))
    play(sides[1], (2.0, 4.0))
    with closing(sides[0].end()) as reference, closing(sides[1].save()) as port:
        assert not compare_recordings(reference, port, SIGNATURES).complete


LAUNCH = (
    b'{"event": "launch", "index": 0, "kernel": "k", "grid": %s, "block": [1, 1, 1], "shared": 0, "arguments": %s}\n'
)
BROKEN = [
    b"no json\n",
    b"[]\n",
    b"17\n",
    b'{"event": "dance"}\n',
    b'{"event": "free"}\n',
    b'{"event": "free", "id": -1}\n',
    b'{"event": "free", "id": 1e400}\n',
    LAUNCH % (b"[1]", b"[]"),
    LAUNCH % (b"[1, 1, 1]", b'[[0, "zz"]]'),
    LAUNCH % (b"[1, 1, 1]", b'["00"]'),
    b'{"event": "change", "by": "host", "id": 0, "offset": 0, "size": 9999999999999999, "at": 0}\n',
    b"[" * 100000 + b"\n",
    b"\xff\xfe\n",
]


@pytest.mark.parametrize("text", BROKEN)
def test_what_is_no_recording(tmp_path, text):
    (tmp_path / "record.jsonl").write_bytes(text)
    (tmp_path / "record.bin").write_bytes(b"")
    with pytest.raises(RecordingError):
        Recording(tmp_path)


def test_no_files(tmp_path):
    with pytest.raises(RecordingError, match="no recording"):
        Recording(tmp_path)


LYING = [
    ("a change outside", lambda side: side.contents("change", "host", 0, 8, floats(1.0)), "outside of allocation"),
    ("a change of nothing", lambda side: side.contents("change", "host", 7, 0, floats(1.0)), "not recorded"),
    ("an allocation too large", lambda side: side.allocate(1, 1 << 39), "GiB of device memory"),
]


@pytest.mark.parametrize(("lie", "message"), [case[1:] for case in LYING], ids=[case[0] for case in LYING])
def test_recordings_that_lie(sides, lie, message):
    for side in sides:
        side.allocate(0, 8)
        lie(side)
    with pytest.raises(RecordingError, match=message):
        compare(sides)


def test_bytes_that_are_not_there(sides):
    for side in sides:
        play(side, (2.0, 4.0))
        side.end().close()
        (side.folder / "record.bin").write_bytes(b"")
    with (
        closing(Recording(sides[0].folder)) as reference,
        closing(Recording(sides[1].folder)) as port,
        pytest.raises(RecordingError, match="ends too early"),
    ):
        compare_recordings(reference, port, SIGNATURES)
