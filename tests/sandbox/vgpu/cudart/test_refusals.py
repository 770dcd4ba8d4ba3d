"""What the virtual CUDA device does not have says so, by name."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest
from virtual_cuda import VirtualCuda

from sandbox.vgpu.ptx.fatbinary import MAGIC

pytestmark = pytest.mark.toolchain

UNKNOWN_INSTRUCTION = b"""#include "check.h"
__global__ void fine(int* p) { *p = 3; }
__global__ void unknown(int* p) {
  if (*p == 4) asm volatile("multimem.red.relaxed.sys.global.add.u32 [%0], 1;" ::"l"(p));
  *p += 1;
}
int main() {
  Buffer<int> p(1);
  fine<<<1, 1>>>(p.data);
  unknown<<<1, 1>>>(p.data);
  printf("%d\\n", p.get()[0]);
  fflush(stdout);
  unknown<<<1, 1>>>(p.data);
  printf("not reached\\n");
}
"""
MISSING_FUNCTION = b"""#include "check.h"
int main() {
  cudaArray_t array;
  cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindFloat};
  printf("%s\\n", cudaGetErrorName(cudaMallocArray(&array, &format, 16, 16)));
}
"""
NESTED_LAUNCH = b"""#include "check.h"
__global__ void child(int* p) { *p = 1; }
__global__ void parent(int* p) { child<<<1, 1>>>(p); }
int main() { Buffer<int> p(1); parent<<<1, 1>>>(p.data); cudaDeviceSynchronize(); printf("%d\\n", p.get()[0]); }
"""
MACHINE_CODE_ONLY = b"""#include "check.h"
__global__ void fine(int* p) { *p = 3; }
int main() { Buffer<int> p(1); fine<<<1, 1>>>(p.data); printf("%s\\n", cudaGetErrorName(cudaGetLastError())); }
"""


def test_an_unknown_instruction_matters_only_where_it_is_reached(cuda: VirtualCuda) -> None:
    outcome = cuda.run_program(cuda.build("unknown", UNKNOWN_INSTRUCTION).program)
    assert outcome.stdout == "4\n"
    assert outcome.exit_code == 125
    assert outcome.fault is not None
    assert outcome.fault.kind == "unsupported-instruction"
    assert outcome.fault.kernel == "_Z7unknownPi"
    assert outcome.fault.instruction == "multimem.red.relaxed.sys.global.add.u32"


def test_a_missing_function_is_reported_by_name(cuda: VirtualCuda) -> None:
    outcome = cuda.run_program(cuda.build("missing", MISSING_FUNCTION).program)
    assert outcome.stdout == "cudaErrorNotSupported\n"
    assert outcome.fault is not None
    assert (outcome.fault.kind, outcome.fault.instruction) == ("unsupported-function", "cudaMallocArray")


def test_dynamic_parallelism_is_refused(cuda: VirtualCuda) -> None:
    build = cuda.build("nested", NESTED_LAUNCH, "-rdc=true")
    assert build.ok, build.log
    outcome = cuda.run_program(build.program)
    assert outcome.exit_code == 125
    assert outcome.fault is not None
    assert outcome.fault.kind == "unsupported-function"
    assert "dynamic parallelism" in outcome.fault.message


def test_a_program_without_ptx_is_told_how_to_be_built(cuda: VirtualCuda, tmp_path: Path) -> None:
    build = cuda.build("machine_code", MACHINE_CODE_ONLY)
    assert build.ok, build.log
    content = bytearray(Path(build.program).read_bytes())
    for container in re.finditer(struct.pack("<I", MAGIC), bytes(content)):
        if struct.unpack_from("<Q", content, container.start() + 8)[0]:  # not an empty one
            struct.pack_into("<H", content, container.start() + 16, 2)  # its first entry is machine code now
    program = tmp_path / "program"
    program.write_bytes(content)
    outcome = cuda.run_program(program)
    assert outcome.stdout == "cudaErrorNoKernelImageForDevice\n"
    assert outcome.fault is not None
    assert outcome.fault.kind == "translation-failed"
    assert "code=compute_90" in outcome.fault.message
