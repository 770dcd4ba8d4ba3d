"""Writes a CUDA program that runs each instruction form of ``instruction_forms.tsv`` on 1024 sets of operands.

The program prints one line a form, its name and the FNV-1a hash of its results. With a file name as argument it
also writes the results, 8 bytes each, form by form.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

FORMS = Path(__file__).with_name("instruction_forms.tsv")
SETS = 1024

_REGISTER = {"r": "r", "f": "r", "l": "l", "d": "l", "h": "h", "e": "h", "b": "h"}
_C_TYPE = {"r": "unsigned", "l": "unsigned long long", "h": "unsigned short"}

_PRELUDE = """#include <cstdio>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>
using std::uint64_t;
static const int kSets = 1024, kOperands = 4;
typedef void (*Kernel)(const uint64_t*, uint64_t*);
"""

_MAIN = """
static uint64_t state = 0x9e3779b97f4a7c15ull;
static uint64_t draw() { state ^= state << 13; state ^= state >> 7; state ^= state << 17; return state; }
static uint64_t special(char kind, int i) {
  static const uint64_t r[24] = {0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 127, 128, 255, 256, 32767, 32768, 65535, 0x10000,
                                 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
  static const uint64_t l[24] = {0, 1, 2, 7, 31, 32, 63, 64, 255, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
                                 0x100000000, 0x1fffffffffffff, 0x20000000000001, 0x7fffffffffffffff, 0x8000000000000000,
                                 0x8000000000000001, 0xfffffffffffffffe, 0xffffffffffffffff, 0xffffffff80000000};
  static const uint64_t f[24] = {0, 0x80000000, 0x3f800000, 0xbf800000, 0x3f800001, 0x3f000000, 0x40000000, 0x40490fdb, 1,
                                 0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
                                 0x7f800001, 0xffc12345, 0x4f000000, 0xcf000000, 0x4b800001, 0x33800000, 0x477ff000};
  static const uint64_t d[24] = {0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000001,
                                 0x3fe0000000000000, 0x4000000000000000, 0x400921fb54442d18, 1, 0x8000000000000001,
                                 0x000fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff, 0xffefffffffffffff,
                                 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x41e0000000000000,
                                 0x41efffffffe00000, 0x43e0000000000000, 0xc3e0000000000000, 0x3690000000000000,
                                 0x47efffffe0000000, 0x40effc0000000000};
  static const uint64_t e[24] = {0, 0x8000, 0x3c00, 0xbc00, 0x3c01, 0x3800, 0x4000, 0x4248, 1, 0x8001, 0x03ff, 0x0400, 0x7bff,
                                 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0x5bff, 0x6400, 0x0200, 0xc0ff, 0x3555, 0x68e0};
  static const uint64_t b[24] = {0, 0x8000, 0x3f80, 0xbf80, 0x3f81, 0x3f00, 0x4000, 0x4049, 1, 0x8001, 0x007f, 0x0080, 0x7f7f,
                                 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0x7f81, 0x4380, 0x4f00, 0xcf00, 0x3b00, 0x4b01, 0xc2aa};
  switch (kind) { case 'r': return r[i]; case 'l': return l[i]; case 'f': return f[i]; case 'd': return d[i];
                  case 'e': return e[i]; case 'b': return b[i]; default: return r[i] & 0xffff; }
}
static uint64_t ordinary(char kind) {
  uint64_t x = draw(), y = draw();
  bool any = x & 1;  // any bits at all, or a number of ordinary size
  switch (kind) {
    case 'r': return any ? y & 0xffffffff : (y >> (y & 31)) & 0xffffffff;
    case 'l': return any ? y : y >> (y & 63);
    case 'f': return any ? y & 0xffffffff : (y & 0x807fffff) | (120 + y / 0x100000000 % 16) << 23;
    case 'd': return any ? y : (y & 0x800fffffffffffff) | (1015 + (x >> 8) % 40) << 52;
    case 'e': return any ? y & 0xffff : (y & 0x83ff) | (10 + (x >> 8) % 10) << 10;
    case 'b': return any ? y & 0xffff : (y & 0x807f) | (122 + (x >> 8) % 12) << 7;
    default: return y & 0xffff;
  }
}
int main(int argc, char** argv) {
  uint64_t *in, *out;
  if (cudaMalloc((void**)&in, kSets * kOperands * 8) || cudaMalloc((void**)&out, kSets * 8)) return 2;
  FILE* file = argc > 1 ? fopen(argv[1], "wb") : nullptr;
  std::vector<uint64_t> host(kSets * kOperands), result(kSets);
  for (const Form& form : kForms) {
    state = 0x9e3779b97f4a7c15ull;
    for (int i = 0; i < kSets; ++i)
      for (int k = 0; k < kOperands; ++k) {
        char kind = form.kinds[k] ? form.kinds[k] : 'r';
        int at = k == 0 ? i % 24 : k == 1 ? i / 24 % 24 : k == 2 ? (i * 7 + 3) % 24 : (i * 5 + 11) % 24;
        host[k * kSets + i] = i < 576 ? special(kind, at) : ordinary(kind);
        if (!form.kinds[k]) k = kOperands;
      }
    cudaMemcpy(in, host.data(), kSets * kOperands * 8, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, kSets * 8);
    form.kernel<<<kSets / 128, 128>>>(in, out);
    cudaError_t error = cudaMemcpy(result.data(), out, kSets * 8, cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) { printf("%s %s\\n", form.name, cudaGetErrorString(error)); return 1; }
    uint64_t hash = 0xcbf29ce484222325ull;
    for (uint64_t v : result) for (int j = 0; j < 8; ++j) hash = (hash ^ (v >> 8 * j & 255)) * 0x100000001b3ull;
    printf("%s\\t%016llx\\n", form.name, (unsigned long long)hash);
    if (file) fwrite(result.data(), 8, kSets, file);
  }
  if (file) fclose(file);
}
"""


@dataclass(frozen=True)
class Form:
    name: str
    kinds: str
    ptx: str


def read_forms(path: Path = FORMS) -> list[Form]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [Form(*line.split("\t")) for line in lines if line and not line.startswith("#")]


def write_program(forms: list[Form]) -> str:
    kernels = [_write_kernel(number, form) for number, form in enumerate(forms)]
    rows = [f'{{"{form.name}", "{form.kinds[1:]}", k{number}}},' for number, form in enumerate(forms)]
    table = "struct Form { const char* name; const char* kinds; Kernel kernel; };\nstatic const Form kForms[] = {\n"
    return _PRELUDE + "\n".join(kernels) + "\n" + table + "\n".join(rows) + "\n};\n" + _MAIN


def _write_kernel(number: int, form: Form) -> str:
    result = _REGISTER[form.kinds[0]]
    operands = ", ".join(
        f'"{_REGISTER[kind]}"(({_C_TYPE[_REGISTER[kind]]})in[{k} * kSets + i])' for k, kind in enumerate(form.kinds[1:])
    )
    asm = re.sub(r"\$(\d)", r"%\1", form.ptx.replace("%", "%%"))
    return (
        f"__global__ void k{number}(const uint64_t* in, uint64_t* out) {{ int i = blockIdx.x * blockDim.x + "
        f'threadIdx.x; {_C_TYPE[result]} d = 0; asm volatile("{asm}" : "=&{result}"(d) : {operands}); out[i] = d; }}'
    )


if __name__ == "__main__":
    sys.stdout.write(write_program(read_forms()))
