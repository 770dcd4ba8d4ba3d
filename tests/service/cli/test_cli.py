"""The command line as users call it: exit codes, what goes to stdout and what to stderr."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from service.exit_codes import ExitCode
from service.settings import load_settings
from service.store.records import PortFilter, State
from service.store.store import open_store

COMMAND = (sys.executable, "-c", "from service.cli.main import main; main()")
KERNEL = """
#include <cstdio>
#include <cuda_runtime.h>
__global__ void twice(int* p) { p[threadIdx.x] *= 2; }
int main(int argc, char** argv) {
  int h[64], *d;
  for (int i = 0; i < 64; ++i) h[i] = i;
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  twice<<<1, 64>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d %d %s\\n", h[1], h[63], argc > 1 ? argv[1] : "none");
  return 0;
}
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A data folder of the test's own; the toolchain's cache stays."""
    monkeypatch.setenv("WARP2WAVE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*arguments, stdin=""):
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], input=stdin, capture_output=True, text=True, errors="replace", check=False
    )


def test_version_and_help(home):
    assert call("--version").stdout.startswith("warp2wave ")
    help_text = call("port", "--help").stdout
    for option in ("-I", "-D", "--std", "--nvcc-flag", "--hipcc-flag", "--input", "--stdin-file", "--output-file"):
        assert option in help_text


@pytest.mark.parametrize(
    "arguments",
    [
        ("port",),
        ("port", "--nonsense"),
        ("nonsense",),
        ("run", "a.cu", "--device", "vgpu:gfx1"),
        ("run", "--check=all", "a.cu"),
        ("verify", "a.hip"),
        ("verify", "--against", "a.cu"),
        ("verify", "--against", "none.cu", "none.hip"),
    ],
    ids=["no file", "bad option", "bad command", "bad device", "bad check", "no original", "no port", "no such files"],
)
def test_usage_errors_exit_2(home, arguments):
    done = call(*arguments)
    assert done.returncode == ExitCode.USAGE
    assert done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"\x7fELF\0\0", "is binary"),
        (b"int main() { return 0; }", "no kernel"),
        (b"x" * (50 << 20), "10 MiB"),
    ],
    ids=["empty", "binary", "no kernel", "50 MB"],
)
@pytest.mark.toolchain
def test_bad_input_exits_2_and_leaves_a_row(home, content, words):
    (home / "a.cu").write_bytes(content)
    done = call("port", "-q", "a.cu")
    assert done.returncode == ExitCode.USAGE
    assert words in " ".join(done.stderr.split())
    settings = load_settings()
    store = open_store(settings.resolved_database_url, settings.data_dir)
    try:
        (row,) = store.ports.page(PortFilter(), limit=10).ports
        assert row.state is State.FAILED
        assert words in row.error.message
        shown = call("show", row.id)
        assert words in " ".join(shown.stdout.split())
    finally:
        store.close()


def test_hipify_writes_hip_to_stdout_and_findings_to_stderr(home):
    (home / "a.cu").write_text(KERNEL)
    done = call("hipify", "a.cu")
    assert done.returncode == ExitCode.ACCEPTED
    assert "hipMalloc(&d, sizeof h)" in done.stdout
    assert (home / "a.cu").read_text() == KERNEL
    again = call("hipify", "--stdin", stdin=done.stdout)
    assert again.stdout == done.stdout
    assert call("hipify", "--stdin", stdin=KERNEL).stdout == done.stdout


def test_hipify_json(home):
    document = json.loads(call("hipify", "--json", "--stdin", stdin=KERNEL).stdout)
    assert "hipMemcpy" in document["text"]
    assert document["findings"] == []


BLAS = '#include "cublas_v2.h"\nvoid f(cublasHandle_t h) { cublasDestroy(h); k<<<1, 2>>>(); }\n'


def test_hipify_takes_the_options_of_hipify_clang(home):
    (home / "a.cu").write_text(BLAS)
    done = call(
        "hipify", "-roc", "--hip-kernel-execution-syntax", "-o=a.out", "--cuda-path=/x", "a.cu", "--", "-x", "cuda"
    )
    assert done.returncode == ExitCode.ACCEPTED, done.stderr
    text = (home / "a.out").read_text()
    assert "rocblas_destroy_handle(h); hipLaunchKernelGGL(k, dim3(1), dim3(2), 0, 0);" in text
    assert "#if __has_include(<rocblas/rocblas.h>)" in text
    pinned = call("hipify", "--hip-version", "7.2", "a.cu")
    assert '#include "hipblas/hipblas.h"\n' in pinned.stdout
    assert "__has_include" not in pinned.stdout


def test_hipify_of_many_files_keeps_their_order_and_the_originals(home):
    names = [f"{number}.cu" for number in range(12)]
    for number, name in enumerate(names):
        (home / name).write_text(f"int f{number}() {{ return cudaFree(0); }}\n")
    done = call("hipify", "--inplace", *names)
    assert done.returncode == ExitCode.ACCEPTED, done.stderr
    for number, name in enumerate(names):
        assert f"int f{number}() {{ return hipFree(0); }}" in (home / name).read_text()
        assert "cudaFree" in (home / f"{name}.prehip").read_text()


@pytest.mark.parametrize(
    "arguments",
    [
        ("--hip-version", "5"),
        ("-o", "x", "--inplace"),
        ("--engine", "moon"),
        ("-o", "x", "a.cu"),
        ("--stdin", "--inplace"),
    ],
)
def test_hipify_options_that_make_no_sense(home, arguments):
    (home / "a.cu").write_text(BLAS)
    done = call("hipify", "a.cu", *arguments)
    assert done.returncode in (ExitCode.USAGE, ExitCode.ENVIRONMENT)
    assert (home / "a.cu").read_text() == BLAS
    assert not (home / "x").exists()


def test_hipify_compares_what_is_installed(home, monkeypatch):
    (home / "hipify-perl").write_text('#!/bin/sh\necho other; sed s/cuda/hip/ "$1"\n')
    (home / "hipify-perl").chmod(0o700)
    monkeypatch.setenv("PATH", f"{home}:/usr/bin:/bin")
    done = call("hipify", "--compare", "--json", "--stdin", stdin="int f() { return cudaFree(0); }\n")
    assert done.returncode == ExitCode.NEEDS_ATTENTION, done.stderr
    (document,) = json.loads(done.stdout)
    assert document["engines"] == ["builtin", "hipify-perl"]
    assert document["differences"][0]["texts"] == {
        "builtin": ["#include <hip/hip_runtime.h>"],
        "hipify-perl": ["other"],
    }


def test_hipify_exits_3_while_something_blocks(home):
    source = '__global__ void k(int* p) { asm("nonsense.op %0;" : "=r"(*p)); }\n'
    done = call("hipify", "--stdin", stdin=source)
    assert done.returncode == ExitCode.NEEDS_ATTENTION
    assert "stdin.cu:1:" in done.stderr


@pytest.mark.toolchain
@pytest.mark.parametrize("device", ["vcuda", "vgpu:gfx942", "vgpu:gfx950"])
def test_run_passes_output_and_status_through(home, device):
    (home / "a.cu").write_text(KERNEL.replace("return 0;", "return 9;"))
    done = call("run", "-q", "--device", device, "a.cu", "--", "--json")
    assert (done.stdout, done.returncode) == ("2 126 --json\n", 9)


UNCHECKED = """#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void fill(int* out) { out[threadIdx.x + 10] = 1; }
int main() {
  int* out;
  (void)hipMalloc(&out, 64 * sizeof(int));
  fill<<<1, 64>>>(out);
  (void)hipDeviceSynchronize();
  puts("PASS");
}
"""


@pytest.mark.toolchain
@pytest.mark.parametrize(("option", "status"), [("--check", 123), ("--check=race", 123), ("--check=off", 0)])
def test_what_checks_find_is_said_and_becomes_the_status(home, option, status):
    (home / "fill.hip").write_text(UNCHECKED)
    done = call("run", option, "fill.hip", "--device", "vgpu:gfx942", "-q")
    assert (done.returncode, done.stdout) == (status, "PASS\n")
    found = "out-of-bounds: store of 4 bytes" in done.stderr and "at fill.hip:3" in done.stderr
    assert found == (status == 123)


@pytest.mark.toolchain
def test_run_of_a_program_that_does_not_compile_exits_125(home):
    (home / "a.cu").write_text("__global__ void k() { nonsense; }\nint main() {}\n")
    done = call("run", "-q", "a.cu")
    assert done.returncode == 125
    assert "a.cu(1): error" in done.stderr


@pytest.mark.toolchain
def test_port_writes_files_and_json(home):
    (home / "a.cu").write_text(KERNEL)
    done = call("port", "-q", "--json", "--target", "gfx942", "-o", "out", "a.cu", "--", "hello")
    assert done.returncode == ExitCode.ACCEPTED, done.stderr
    port = json.loads(done.stdout)
    assert port["schema"] == "warp2wave/port/1"
    assert port["verdict"]["evidence"] == "emulated"
    assert port["reference_run"]["stdout"] == "2 126 hello\n"
    assert json.loads((home / "out/report.json").read_text())["id"] == port["id"]
    assert "hipMalloc" in (home / "out/a.hip").read_text()
    assert (home / "out/report.md").read_text().startswith("# a.cu: accepted")
    assert port["id"] in call("list").stdout
    shown = call("show", port["id"][:12])
    assert "accepted (emulated)" in shown.stdout


@pytest.mark.toolchain
def test_verify_judges_a_given_port(home):
    """The exit code says that the output agrees and device memory does not; the port's file is left alone."""
    given = Path(__file__).resolve().parents[2] / "cases" / "given"
    arguments = ("verify", "--against", given / "halves.cu", given / "halves_forged.hip", "--target", "gfx942")
    done = call(*arguments, "-o", "checked", "--json", "-q")
    assert done.returncode == 3, done.stderr
    assert "expected 499.5, got 0" in json.loads(done.stdout)["verdict"]["targets"][0]["reasons"][0]
    assert (home / "checked" / "halves_forged.hip").read_bytes() == (given / "halves_forged.hip").read_bytes()


@pytest.mark.toolchain
def test_program_that_nvcc_rejects_exits_2_and_leaves_a_row(home):
    (home / "a.cu").write_text("__global__ void k() { nonsense; }\nint main() {}\n")
    done = call("port", "-q", "a.cu")
    assert done.returncode == ExitCode.USAGE
    assert 'a.cu:1: identifier "nonsense" is undefined' in " ".join(done.stderr.split())
    assert "failed" in call("list").stdout


@pytest.mark.toolchain
def test_silent_program_is_unverified(home):
    (home / "a.cu").write_text("__global__ void k() {}\nint main() { k<<<1, 1>>>(); return 0; }\n")
    done = call("port", "-q", "--target", "gfx942", "a.cu")
    assert done.returncode == ExitCode.UNVERIFIED
    assert "nothing to compare" in " ".join(done.stdout.split())


@pytest.mark.toolchain
def test_endless_program_is_unverified_and_the_limit_named(home):
    source = "__global__ void k(volatile int* p) { while (*p == 0) {} }\n" + (
        "int main() { int* p; cudaMalloc(&p, 4); cudaMemset(p, 0, 4); k<<<1, 1>>>(p); cudaDeviceSynchronize(); }\n"
    )
    (home / "a.cu").write_text(source)
    done = call("port", "-q", "--target", "gfx942", "--timeout", "3", "a.cu")
    assert done.returncode == ExitCode.UNVERIFIED
    assert "wall-time limit" in " ".join(done.stdout.split())


@pytest.mark.toolchain
def test_killed_port_is_resumed_by_the_next(home):
    (home / "a.cu").write_text(KERNEL)
    victim = subprocess.Popen(
        [*COMMAND, "port", "--target", "gfx942", "a.cu"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    for line in victim.stderr:
        if b"translate" in line:
            break
    victim.kill()
    victim.wait()
    victim.stderr.close()
    (home / "b.cu").write_text(KERNEL.replace("twice", "double_it"))
    done = call("port", "--target", "gfx942", "b.cu")
    assert done.returncode == ExitCode.ACCEPTED, done.stderr
    assert "going on with interrupted ports" in " ".join(done.stderr.split())
    listed = json.loads(call("list", "--json").stdout)["ports"]
    assert [(p["name"], p["outcome"]) for p in listed] == [("b.cu", "accepted"), ("a.cu", "accepted")]
