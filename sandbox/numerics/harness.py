"""The host program that launches a case's kernels: CUDA source that includes the submission's, and its inputs.

Every array lies between guard zones, so that a kernel which writes beside it is seen to. The program says nothing of
results: device memory is recorded and compared.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sandbox.numerics.case import Adversarial, Array, Case, CaseLaunch, Scalar
from sandbox.numerics.expressions import evaluate
from sandbox.numerics.inputs import POISON, draw_shape, make_inputs

HARNESS_FILE = "w2w_harness.cu"
INPUTS_FILE = "w2w_inputs.bin"
GUARD_BYTES = 256

_CPP_TYPES = {
    "float64": "double", "float32": "float", "float16": "__half", "bfloat16": "__nv_bfloat16",
    "int8": "signed char", "uint8": "unsigned char", "int16": "short", "uint16": "unsigned short", "int32": "int",
    "uint32": "unsigned", "int64": "long long", "uint64": "unsigned long long", "bool": "bool",
}  # fmt: skip
_HEADERS = {"float16": "cuda_fp16.h", "bfloat16": "cuda_bf16.h"}
_PREAMBLE = """\
#undef main
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

namespace {

std::FILE* w2w_inputs;
std::vector<void*> w2w_arrays;

void w2w_check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::printf("%s: %s\\n", what, cudaGetErrorString(error));
  std::exit(1);
}

// The next array of the inputs, between guard zones.
char* w2w_array(size_t bytes) {
  std::vector<char> data(bytes + 2 * GUARD, char(POISON));
  if (std::fread(data.data() + GUARD, 1, bytes, w2w_inputs) != bytes) std::exit(2);
  void* memory = nullptr;
  w2w_check(cudaMalloc(&memory, data.size()), "allocation");
  w2w_check(cudaMemcpy(memory, data.data(), data.size(), cudaMemcpyHostToDevice), "copy");
  w2w_arrays.push_back(memory);
  return static_cast<char*>(memory) + GUARD;
}

void w2w_finish(const char* what) {
  w2w_check(cudaGetLastError(), what);
  w2w_check(cudaDeviceSynchronize(), what);
}

void w2w_release() {
  for (void* memory : w2w_arrays) w2w_check(cudaFree(memory), "release");
  w2w_arrays.clear();
}

}  // namespace
"""


@dataclass(frozen=True)
class Variant:
    """One shape with one seed, and what floats that would be random hold instead."""

    shape: Mapping[str, int]
    seed: int
    adversarial: Adversarial | None = None

    def __str__(self) -> str:
        sizes = ", ".join(f"{name} = {value}" for name, value in self.shape.items())
        return f"{sizes}, seed {self.seed}{f', {self.adversarial} inputs' if self.adversarial else ''}"


def choose_variants(case: Case, seed: int) -> tuple[Variant, ...]:
    """Every shape of the case, adversarial inputs, and shapes that the case does not name, where it gives ranges."""
    named = [Variant(shape, seed + number) for number, shape in enumerate(case.shapes)]
    odd = [Variant(case.shapes[0], seed, kind) for kind in case.adversarial]
    drawn = [Variant(draw_shape(case, seed + number), seed + number) for number in range(2)] if case.ranges else []
    return (*named, *odd, *drawn)


def write_harness(case: Case, source: str, variants: Sequence[Variant]) -> str:
    """The program's text, which includes ``source`` (a path relative to it)."""
    headers = sorted({_HEADERS[a.type] for a in case.arrays if a.type in _HEADERS})
    lines = [f"#include <{header}>\n" for header in headers]
    lines += ["#define main w2w_program_main\n", f'#include "{posixpath.normpath(source)}"\n', _preamble()]
    lines += [
        "\nint main() {\n",
        f'  w2w_inputs = std::fopen("{INPUTS_FILE}", "rb");\n',
        "  if (!w2w_inputs) return 2;\n",
    ]
    for variant in variants:
        lines += ["  {\n", *_variant(case, variant), "  }\n"]
    lines += [f'  std::puts("{len(variants)} variants");\n', "  return 0;\n}\n"]
    return "".join(lines)


def write_inputs(case: Case, variants: Sequence[Variant]) -> bytes:
    """What the program reads from ``INPUTS_FILE``."""
    return b"".join(data for v in variants for data in make_inputs(case, v.shape, v.seed, v.adversarial))


def _preamble() -> str:
    return _PREAMBLE.replace("GUARD", str(GUARD_BYTES)).replace("POISON", hex(POISON))


def _variant(case: Case, variant: Variant) -> list[str]:
    shape = variant.shape
    lines = [f"    const int {name} = {value};\n" for name, value in shape.items()]
    lines += [f"    (void){name};\n" for name in shape]
    lines += [_array(array, shape) for array in case.arrays]
    lines += [_scalar(scalar, shape) for scalar in case.scalars]
    lines += [_launch(launch, shape) for launch in case.launches]
    return [*lines, "    w2w_release();\n"]


def _array(array: Array, shape: Mapping[str, int]) -> str:
    element = _CPP_TYPES[array.type]
    pointer = array.pointer or element
    size = evaluate(array.size, shape)
    return f"    auto* {array.name} = reinterpret_cast<{pointer}*>(w2w_array({size} * sizeof({element})));\n"


def _scalar(scalar: Scalar, shape: Mapping[str, int]) -> str:
    kind = _CPP_TYPES[scalar.type]
    value = repr(scalar.value) if isinstance(scalar.value, float) else str(evaluate(scalar.value, shape))
    return f"    const {kind} {scalar.name} = static_cast<{kind}>({value});\n"


def _launch(launch: CaseLaunch, shape: Mapping[str, int]) -> str:
    grid, block = (
        f"dim3({', '.join(str(evaluate(extent, shape)) for extent in extents)})"
        for extents in (launch.grid, launch.block)
    )
    configuration = f"{grid}, {block}, {evaluate(launch.shared, shape)}"
    call = f"    {launch.kernel}<<<{configuration}>>>({', '.join(launch.arguments)});\n"
    return f'{call}    w2w_finish("{launch.kernel}");\n'
