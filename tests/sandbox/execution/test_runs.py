"""Programs that misbehave, built and run for real: what happened is said by name."""

import dataclasses
import os
from pathlib import Path

import pytest

from sandbox.execution.builder import Recipe, build_program
from sandbox.execution.devices import find_device
from sandbox.execution.runner import RunRequest
from sandbox.isolation.protocol import Limits
from sandbox.models import Side

pytestmark = pytest.mark.toolchain

LIMITS = Limits(memory_bytes=1 << 30, pids=64, wall_seconds=20, cpu_seconds=60)

HIP = """
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
"""

DEVICE_HOG = (
    HIP
    + """
int main() {
  void* p;
  hipError_t e = hipMalloc(&p, size_t(100) << 30);  // would fit the part, but not this host
  printf("%s\\n", hipGetErrorName(e));
  e = hipMalloc(&p, size_t(2) << 30);  // more than the sandbox allows, but costs nothing until it is touched
  printf("%s\\n", hipGetErrorName(e));
  return 0;
}
"""
)

HOST_HOG = (
    HIP
    + """
int main() {
  for (;;) {
    volatile char* p = (volatile char*)malloc(64 << 20);
    for (size_t i = 0; i < (64 << 20); i += 4096) p[i] = 1;
  }
}
"""
)
FORK_BOMB = HIP + "int main() { for (;;) fork(); }"
SLEEPER = HIP + "int main() { for (;;) pause(); }"
ENDLESS_KERNEL = (
    HIP
    + """
__global__ void spin(volatile int* flag) { while (*flag == 0) {} }
int main() {
  int* flag;
  (void)hipMalloc(&flag, 4);
  (void)hipMemset(flag, 0, 4);
  spin<<<1, 64>>>(flag);
  return (int)hipDeviceSynchronize();
}
"""
)
WILD_STORE = (
    HIP
    + """
__global__ void wild(int* p) { p[(1L << 40) + threadIdx.x] = 1; }
int main() {
  int* p;
  (void)hipMalloc(&p, 4);
  wild<<<1, 64>>>(p);
  (void)hipDeviceSynchronize();
  printf("still here\\n");
  return 0;
}
"""
)


def run_hip(workshop, source, *, limits=LIMITS, **request):
    recipe = Recipe(files=(("a.hip", source.encode()),), main_files=("a.hip",))
    build = build_program(workshop.bench(), recipe, Side.HIP, "gfx942")
    assert build.ok, build.log
    runner = workshop.runner()
    return runner.run(Path(build.program), find_device("vgpu:gfx942"), RunRequest(limits=limits, **request))


def test_device_memory_that_is_not_there(workshop):
    run = run_hip(workshop, DEVICE_HOG, environment=(("W2W_MEMORY_GB", "16"),))
    assert run.stdout.split() == ["hipErrorOutOfMemory", "hipSuccess"]
    assert run.exit_code == 0


@pytest.mark.parametrize(
    ("source", "limit"),
    [(HOST_HOG, "memory"), (FORK_BOMB, "pids"), (SLEEPER, "wall-time"), (ENDLESS_KERNEL, "wall-time")],
    ids=["host memory", "fork bomb", "sleeper", "endless kernel"],
)
def test_limits_are_named(workshop, source, limit):
    run = run_hip(workshop, source, limits=dataclasses.replace(LIMITS, wall_seconds=4))
    assert (run.limit, run.exit_code) == (limit, None)


def test_wild_store_is_a_typed_fault(workshop):
    run = run_hip(workshop, WILD_STORE)
    assert run.fault is not None
    assert run.fault.kind == "memory-fault"
    assert "wild" in run.fault.kernel
    assert run.fault.pc.startswith("0x")


@pytest.mark.parametrize("address", ["0", "8", "0x123456789abc"])
def test_stores_through_hidden_pointers_fault(workshop, address):
    source = (
        HIP
        + """
__global__ void store(unsigned long address) { *(volatile int*)address = 3; }
int main(int, char** argv) {
  store<<<1, 1>>>(strtoul(argv[1], nullptr, 0));
  (void)hipDeviceSynchronize();
}
"""
    )
    run = run_hip(workshop, source, args=(address,))
    assert run.fault is not None
    assert run.fault.kind == "memory-fault"


def test_build_that_fails_says_where(workshop):
    recipe = Recipe(files=(("a.hip", b"int main() { return nothing; }\n"),), main_files=("a.hip",))
    build = build_program(workshop.bench(), recipe, Side.HIP, "gfx942")
    assert not build.ok
    assert (build.diagnostics[0].file, build.diagnostics[0].line) == ("a.hip", 1)
    assert "nothing" in build.diagnostics[0].message


def test_inputs_outputs_and_arguments(workshop):
    source = (
        HIP
        + """
int main(int argc, char** argv) {
  FILE* in = fopen("in.txt", "r");
  FILE* out = fopen("out.txt", "w");
  int c;
  while ((c = fgetc(in)) != EOF) fputc(c + 1, out);
  fclose(out);
  char line[16] = "";
  if (fgets(line, sizeof line, stdin)) printf("%s %s", argv[argc - 1], line);
  return 7;
}
"""
    )
    run = run_hip(
        workshop, source, args=("x", "last"), inputs=(("in.txt", b"HAL"),), stdin=b"typed\n", output_files=("out.txt",)
    )
    assert (run.stdout, run.exit_code) == ("last typed\n", 7)
    assert [(o.name, o.size) for o in run.outputs] == [("out.txt", 3)]


def test_output_file_that_is_a_link_is_not_followed(workshop):
    source = HIP + 'int main() { return symlink("/etc/passwd", "out.txt"); }'
    assert run_hip(workshop, source, output_files=("out.txt",)).outputs == ()


def test_forged_reports_are_dropped(workshop):
    source = (
        HIP
        + """
int main() {
  FILE* f = fopen(getenv("W2W_REPORT"), "w");
  fputs("not json\\n[1]\\n{\\"launch\\": 3}\\n{\\"launch\\": {\\"kernel\\": 1}}\\n{\\"kind\\": 7}\\n", f);
  fclose(f);
  return 0;
}
"""
    )
    run = run_hip(workshop, source, trace=True)
    assert run.fault is None
    assert run.trace.launches == ()


def test_program_cannot_write_the_translation_cache(workshop):
    source = (
        HIP
        + """
int main() {
  FILE* f = fopen("/cache/x", "w");
  FILE* g = fopen("/opt/w2w/lib/x", "w");
  printf("%d %d\\n", f != nullptr, g != nullptr);
  return 0;
}
"""
    )
    assert run_hip(workshop, source).stdout == "0 0\n"


@pytest.mark.parametrize(
    "replacement",
    [
        "mkfifo(report, 0666)",
        'symlink("/dev/zero", report)',
        "mkdir(report, 0777)",
        "nested(report)",
        "surrogate(report)",
    ],
    ids=["fifo", "link to an endless device", "folder", "deep nesting", "lone surrogate"],
)
def test_report_replaced_by_anything_hangs_and_breaks_nothing(workshop, replacement):
    source = (
        HIP
        + f"""
#include <sys/stat.h>
int nested(const char* report) {{
  FILE* f = fopen(report, "w");
  for (int i = 0; i < 200000; ++i) fputc('[', f);
  return fclose(f);
}}
int surrogate(const char* report) {{
  FILE* f = fopen(report, "w");
  fputs("{{\\"kind\\": \\"trap\\", \\"message\\": \\"\\\\ud800\\"}}\\n", f);
  return fclose(f);
}}
int main() {{
  const char* report = getenv("W2W_REPORT");
  unlink(report);
  printf("%d\\n", {replacement});
  return 0;
}}
"""
    )
    run = run_hip(workshop, source)
    assert (run.stdout, run.exit_code) == ("0\n", 0)
    run.model_dump_json()


def test_deeply_nested_folders_are_removed(workshop):
    source = (
        HIP
        + """
#include <sys/stat.h>
int main() {
  for (int i = 0; i < 3000; ++i) {
    mkdir("d", 0777);
    if (chdir("d")) return 1;
  }
}
"""
    )
    assert run_hip(workshop, source).exit_code == 0
    assert not list((workshop.config.cache / "runs").glob(f"{os.getpid()}-*"))


def test_translator_that_was_talked_to_death_is_started_again(workshop):
    runner = workshop.runner()
    runner.translator._running.cancel()
    runner.translator._running.wait()
    run = run_hip(workshop, ENDLESS_KERNEL.replace("while (*flag == 0) {}", "*flag = 7;"))
    assert (run.exit_code, run.fault) == (0, None)
