"""``warp2wave profile`` as users call it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from agents.models import Outcome, Port, Provenance, Source, SourceFile, Submission, Verdict
from sandbox.models import Evidence
from sandbox.profiling.rocpd import write_rocpd
from sandbox.profiling.rocprof_csv import write_rocprof_csv
from sandbox.profiling.virtual_counters import read_virtual_counters
from service.cli.render_profile import short_name
from service.exit_codes import ExitCode
from service.settings import load_settings
from service.store.documents import encode_model
from service.store.ids import new_port_id
from service.store.records import ArtifactRecord
from service.store.store import REPORT, open_store

COMMAND = (sys.executable, "-c", "from service.cli.main import main; main()")
CUDA = """
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
__global__ void transpose(const float* in, float* out) {
  __shared__ float tile[32][32];
  for (int y = threadIdx.y; y < 32; y += 8) tile[y][threadIdx.x] = in[y * 32 + threadIdx.x];
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += 8) out[y * 32 + threadIdx.x] = tile[threadIdx.x][y];
}
int main(int argc, char** argv) {
  float *in, *out;
  cudaMalloc(&in, 4096);
  cudaMalloc(&out, 4096);
  for (int n = argc > 1 ? atoi(argv[1]) : 1; n > 0; --n) transpose<<<1, dim3(32, 8)>>>(in, out);
  cudaDeviceSynchronize();
  printf("done\\n");
  return argc > 2 ? 7 : 0;
}
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WARP2WAVE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False)


@pytest.mark.toolchain
def test_a_cuda_program_is_ported_counted_and_explained(home: Path) -> None:
    (home / "t.cu").write_text(CUDA)
    done = call("profile", "t.cu", "-q", "--", "3")
    assert done.returncode == 0, done.stderr
    assert "vgpu:gfx942 (MI300X), emulated" in done.stdout
    assert "modelled; nothing was timed" in done.stdout
    assert "transpose  3 launches, 12 wavefronts" in done.stdout
    assert "LDS conflicts" in done.stdout
    assert "94 % of 3,168 LDS clocks" in done.stdout
    assert "LDS needs most clocks" in done.stdout
    assert "done" not in done.stdout


@pytest.mark.toolchain
def test_json_holds_the_profile_and_a_failing_program_says_so(home: Path) -> None:
    (home / "t.cu").write_text(CUDA)
    done = call("profile", "t.cu", "--device", "vgpu:gfx950", "--json", "-q", "--", "1", "fail")
    assert done.returncode == 7
    assert "the program failed; the counters are of what ran" in done.stderr
    profile = json.loads(done.stdout)
    assert (profile["schema"], profile["target"], profile["evidence"]) == (
        "warp2wave/profile/1",
        "gfx950",
        "emulated",
    )
    (kernel,) = profile["kernels"]
    assert kernel["facts"]["lds_bytes"] == 4096
    assert kernel["occupancy"]["waves_per_cu"] == 32
    counters = {counter["name"]: counter["value"] for counter in kernel["counters"]}
    assert counters["W2W_LDS_READ_CONFLICT_CYCLES"] == 992


def store_port(name: str) -> str:
    """A finished port of CUDA as the database has it; its HIP source launches twice."""
    hip = CUDA.replace("cuda_runtime.h", "hip/hip_runtime.h").replace("cuda", "hip")
    submission = Submission(
        name=name, files=(SourceFile(path=name, text=CUDA),), main_files=(name,), targets=("gfx942",)
    )
    submission = submission.model_copy(update={"run": submission.run.model_copy(update={"args": ("2",)})})
    provenance = Provenance(
        warp2wave="0", sources_sha256="", port_sha256="", toolchain="", cuda="", reference_device=""
    )
    verdict = Verdict(
        outcome=Outcome.ACCEPTED, evidence=Evidence.EMULATED, targets=(), not_shown=(), provenance=provenance
    )
    port_id = new_port_id()
    source = Source(files=(SourceFile(path="t.hip", text=hip),), main_files=("t.hip",))
    port = Port(id=port_id, name=name, source=source, verdict=verdict)
    settings = load_settings()
    store = open_store(settings.resolved_database_url, settings.data_dir)
    kept = store.blobs.put(encode_model(submission).encode())
    report = store.blobs.put(encode_model(port).encode())
    store.ports.create(port_id, name, ["gfx942"], submission_sha256=kept.sha256, executor="me")
    store.ports.claim(port_id, "me")
    artifact = ArtifactRecord(name=REPORT, media_type="application/json", sha256=report.sha256, size=report.size)
    store.ports.finish(port_id, "me", verdict, [], [artifact])
    store.close()
    return port_id


@pytest.mark.toolchain
def test_a_stored_port_is_profiled_by_its_id(home: Path) -> None:
    port_id = store_port("t.cu")
    done = call("profile", port_id[:20], "-q")
    assert done.returncode == 0, done.stderr
    assert "transpose  2 launches, 8 wavefronts" in done.stdout
    done = call("profile", port_id, "-q", "--", "5")
    assert "transpose  5 launches, 20 wavefronts" in done.stdout


RECORD = {
    "version": 1,
    "target": "gfx942",
    "dispatch": 1,
    "kernel": "_ZN2ns3addIfEEvPT_",
    "grid": [640, 1, 1],
    "workgroup": [64, 1, 1],
    "lds_bytes": 0,
    "scratch_bytes": 0,
    "counters": {"SQ_WAVES": 10, "SQ_INSTS_VALU": 100, "W2W_VALU_LANES": 3200},
}


def test_what_rocprofv3_wrote_is_read(home: Path) -> None:
    records = read_virtual_counters(json.dumps(RECORD).encode()).dispatches
    write_rocpd(home / "a.db", records)
    counters, trace = write_rocprof_csv(records)
    (home / "x_counter_collection.csv").write_text(counters)
    (home / "x_kernel_trace.csv").write_text(trace)
    for files in (["a.db"], ["x_counter_collection.csv"], ["x_kernel_trace.csv", "x_counter_collection.csv"]):
        done = call("profile", *files, "--device", "vgpu:gfx942")
        assert done.returncode == 0, done.stderr
        assert "rocm (MI300X), hardware" in done.stdout
        assert "ns::add  1 launch, 10 wavefronts" in done.stdout
        assert "active lanes" in done.stdout


USAGE = {
    "a CUDA device": (("profile", "t.cu", "--device", "vcuda"), "vcuda:sm_90 counts nothing"),
    "two databases": (("profile", "a.db", "b.db"), "give one .db"),
    "a trace alone": (("profile", "x_kernel_trace.csv"), "give one .db"),
    "no such port": (("profile", "01aaaaaaaaaaaaaaaaaaaaaaaa"), "no port"),
    "no such file": (("profile", "missing.cu"), "missing.cu"),
    "no database": (("profile", "none.db"), "there is no file none.db"),
}


@pytest.mark.parametrize("case", USAGE)
def test_usage_errors_say_what_to_give(home: Path, case: str) -> None:
    (home / "t.cu").write_text(CUDA)
    arguments, words = USAGE[case]
    done = call(*arguments)
    assert done.returncode == ExitCode.USAGE, done.stderr
    assert words in done.stderr
    assert done.stdout == ""


def test_names_are_shortened_for_people() -> None:
    assert short_name("_Z10vector_addPKfS0_Pfi") == "vector_add"
    assert short_name("_ZN7rocprim6detail6kernelILb1EEEvi") == "rocprim::detail::kernel"
    assert short_name("plain_c_kernel") == "plain_c_kernel"
    assert short_name("_Z") == "_Z"
