// Atomic operations of all types on global and shared memory, with many threads and blocks.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "check.h"

struct Cells { int add, min_, max_, inc, dec; unsigned and_, or_, xor_; unsigned long long wide, smallest; float f; double d; __half2 h; __nv_bfloat162 b; int cas; float2 v; };
template <bool kGlobal> __device__ void all(Cells* c, int i) {
  atomicAdd(&c->add, i);
  atomicMin(&c->min_, -i);
  atomicMax(&c->max_, i);
  atomicInc((unsigned*)&c->inc, 6);
  atomicDec((unsigned*)&c->dec, 9);
  atomicAnd(&c->and_, ~(1u << (i & 31)));
  atomicOr(&c->or_, 1u << (i & 15));
  atomicXor(&c->xor_, i);
  atomicAdd(&c->wide, 1ull << 33);
  atomicMin(&c->smallest, 1000ull - i);
  atomicAdd(&c->f, 0.5f);
  atomicAdd(&c->d, 0.25);
  atomicAdd(&c->h, __floats2half2_rn(1.f, 2.f));
  atomicAdd(&c->b, __floats2bfloat162_rn(1.f, -1.f));
  if (kGlobal) atomicAdd(&c->v, make_float2(1.f, 2.f));  // vectors only in global memory
  for (int old = c->cas, seen;; old = seen) { seen = atomicCAS(&c->cas, old, old + 2); if (seen == old) break; }
}
__global__ void global(Cells* c) { all<true>(c, blockIdx.x * blockDim.x + threadIdx.x); }
__global__ void shared(Cells* out) {
  __shared__ Cells c;
  if (threadIdx.x == 0) { memset(&c, 0, sizeof c); c.and_ = ~0u; c.smallest = ~0ull; }
  __syncthreads();
  for (int part = 0; part < 2; ++part) all<false>(&c, part * 64 + threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) *out = c;
}
__global__ void exchange(int* slot, int* sum) { atomicAdd(sum, atomicExch(slot, threadIdx.x)); }

static void check(const Cells& c, bool vectors) {
  CHECK(c.add == 8128 && c.min_ == -127 && c.max_ == 127 && c.inc == 128 % 7);
  int dec = 0;
  for (int i = 0; i < 128; ++i) dec = dec == 0 || dec > 9 ? 9 : dec - 1;
  CHECK(c.dec == dec && c.and_ == 0 && c.or_ == 0xffff && c.xor_ == 0);
  CHECK(c.wide == 128ull << 33 && c.smallest == 1000 - 127 && c.f == 64.f && c.d == 32.0 && c.cas == 256);
  CHECK(__low2float(c.h) == 128.f && __high2float(c.h) == 256.f && __low2float(c.b) == 128.f);
  CHECK(!vectors || (c.v.x == 128.f && c.v.y == 256.f));
}
int main() {
  Cells start = {};
  start.and_ = ~0u;
  start.smallest = ~0ull;
  Buffer<Cells> cells(std::vector<Cells>{start});
  global<<<2, 64>>>(cells.data);
  check(cells.get()[0], true);
  shared<<<1, 64>>>(cells.data);
  check(cells.get()[0], false);
  Buffer<int> p(2);
  exchange<<<1, 100>>>(p.data, p.data + 1);
  auto r = p.get();
  CHECK(r[0] + r[1] == 4950);
  return finish();
}
