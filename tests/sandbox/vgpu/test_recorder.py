"""What the recorder writes, on both sides: the same program, the same events."""

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from agents.hipify import translate_submission
from agents.orchestrator.sandboxed import build_recipe
from agents.orchestrator.submission import Program, read_submission
from sandbox.execution.builder import build_program
from sandbox.execution.devices import find_device
from sandbox.execution.runner import RunRequest
from sandbox.isolation.protocol import Limits
from sandbox.models import Side
from sandbox.numerics.recording import Recording

SOURCE = Path(__file__).resolve().parents[2] / "cases" / "recordings" / "memory_kinds.cu"
N = 2048

pytestmark = pytest.mark.toolchain


@pytest.fixture(scope="module", params=["vcuda:sm_90", "vgpu:gfx942"])
def recording(request, workshop, tmp_path_factory):
    device = find_device(request.param)
    submission = read_submission(Program(files=[SOURCE]), targets=("gfx942",))
    files, main_files = submission.files, submission.main_files
    if device.side is Side.HIP:
        source = translate_submission(submission)
        files, main_files = source.files, source.main_files
    recipe = build_recipe(submission, files, main_files, device.side)
    build = build_program(workshop.bench(), recipe, device.side, device.target)
    assert build.ok, build.log
    folder = tmp_path_factory.mktemp("recording")
    limits = Limits(memory_bytes=8 << 30, pids=256, wall_seconds=120)
    run = workshop.runner().run(Path(build.program), device, RunRequest(limits=limits, record=folder))
    assert (run.exit_code, run.stdout) == (0, "-1 4\n"), run.stderr
    with closing(Recording(folder)) as opened:
        yield opened


def test_it_reaches_the_end(recording):
    assert recording.is_complete


def test_launches(recording):
    kernels = [launch.kernel for launch in recording.launches]
    assert kernels == ["_Z3addPiii"] * 3 + ["_Z5countv", "(graph)"]
    assert (recording.launches[0].grid.x, recording.launches[0].block.x) == (8, 256)


def allocations(recording):
    return {a.id: a for step in recording.steps for a in step.allocated}


def test_allocations(recording):
    found = sorted((a.kind, a.size, a.name) for a in allocations(recording).values() if a.size >= 16)
    kinds = [("device", 4 * N, ""), ("device", 4 * N, ""), ("host", 4 * N, ""), ("managed", 4 * N, "")]
    assert [entry for entry in found if entry[0] != "symbol"] == kinds
    assert ("symbol", 16, "counter") in found
    freed = [identity for step in recording.steps for identity in step.freed]
    assert len(freed) == len(set(freed)) == 4


def written(recording, step):
    """Allocation kind or name to (first byte, values) of what the launch of a step changed."""
    result = {}
    for change in recording.steps[step].by_launch:
        allocation = allocations(recording)[change.id]
        values = np.frombuffer(recording.bytes_of(change), np.int32)
        result[allocation.name or allocation.kind] = (change.offset, values)
    return result


def test_what_each_launch_changed(recording):
    numbers = np.arange(N)
    assert {key: at for key, (at, _) in written(recording, 0).items()} == {"device": 0}
    assert np.array_equal(written(recording, 0)["device"][1], 1 - numbers)
    offset, values = written(recording, 1)["device"]
    assert (offset, set(values)) == (4096, {2})  # only the page that was written
    assert np.array_equal(written(recording, 2)["managed"][1], numbers + 3)
    assert list(written(recording, 3)["counter"][1]) == [10, 11, 12, 13]
    assert np.array_equal(written(recording, 4)["device"][1], 6 - numbers)


def test_what_the_host_wrote(recording):
    by_host = {allocations(recording)[c.id].kind: recording.bytes_of(c) for c in recording.steps[0].by_host}
    assert np.array_equal(np.frombuffer(by_host["managed"], np.int32), np.arange(N))
    assert np.array_equal(np.frombuffer(by_host["device"], np.int32), -np.arange(N))


def test_what_the_host_read(recording):
    reads = [read for step in recording.steps for read in step.reads]
    assert [(read.offset, read.size) for read in reads] == [(28, 16)]
    assert list(np.frombuffer(recording.bytes_of(reads[0]), np.int32)) == [-1, -2, -3, -4]


def test_arguments_where_the_runtime_tells_their_sizes(recording):
    arguments = recording.launches[0].arguments
    if arguments:
        device = next(a for a in allocations(recording).values() if a.kind == "device")
        values = [(offset, int.from_bytes(data, "little")) for offset, data in arguments]
        assert values == [(0, device.address), (8, N), (12, 1)]
