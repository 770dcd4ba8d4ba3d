"""Device code of several files, linked by nvcc -rdc=true."""

from __future__ import annotations

from pathlib import Path

import pytest
from virtual_cuda import TARGET, VirtualCuda

from sandbox.execution.builder import Recipe, build_program
from sandbox.models import Side

pytestmark = pytest.mark.toolchain

FIRST = b"""#include <cstdio>
#include <cuda_runtime.h>
extern __device__ int twice(int);
extern __device__ int total;
extern __constant__ int table[3];
static __device__ int own(int x) { return x + 1; }
__global__ void first(int* p) {
  p[threadIdx.x] = own(twice(threadIdx.x)) + table[threadIdx.x % 3];
  atomicAdd(&total, 1);
}
int second(int* p);
int main() {
  int *p, host[32];
  cudaMalloc(&p, sizeof host);
  first<<<1, 32>>>(p);
  cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
  printf("%d %d %d\\n", host[0], host[31], second(p));
}
"""
SECOND = b"""#include <cuda_runtime.h>
__device__ int total = 100;
__constant__ int table[3] = {1000, 2000, 3000};
static __device__ int own(int x) { return x * 2; }
__device__ int twice(int x) { return own(x); }
__global__ void count(int* p) { *p = total; }
int second(int* p) {
  int value;
  count<<<1, 1>>>(p);
  cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost);
  return value;
}
"""


def test_functions_and_variables_are_linked_across_files(cuda: VirtualCuda) -> None:
    recipe = Recipe(
        files=(("first.cu", FIRST), ("second.cu", SECOND)),
        main_files=("first.cu", "second.cu"),
        flags=("-rdc=true",),
    )
    build = build_program(cuda.workshop.bench(), recipe, Side.CUDA, TARGET)
    assert build.ok, build.log
    outcome = cuda.run_program(Path(build.program))
    assert outcome.exit_code == 0, outcome.stderr
    assert outcome.stdout == "1001 2063 132\n"
