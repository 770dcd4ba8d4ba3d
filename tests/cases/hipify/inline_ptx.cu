// findings: P01:3:fixed P14:4:fixed P03:7:fixed P10:12:to-do P08:17:fixed
// A statement of one instruction becomes a call, others a block; what is unknown stays and is reported.
#include <cuda_runtime.h>
__device__ unsigned lane() { unsigned r; asm("mov.u32 %0, %%laneid;" : "=r"(r)); return r; }
__device__ void fence() { asm volatile("membar.gl;" ::: "memory"); }
__device__ unsigned swap(unsigned a) {
  unsigned r;
  asm("prmt.b32 %0, %1, 0, 0x0123;" : "=r"(r) : "r"(a));
  return r;
}
__device__ void some() {
  if (threadIdx.x < 64)
    asm volatile("bar.sync 1, 64;");
  else
    return;
}
#define COPY(to, from) \
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" /* sixteen */ \
               :: "r"(to), "l"(from))
__device__ void copy(unsigned to, const void* from) { COPY(to, from); }
int host() { int x; asm("cpuid" : "=a"(x)); return x; }
// output
// A statement of one instruction becomes a call, others a block; what is unknown stays and is reported.
#include <hip/hip_runtime.h>
#include "warp2wave/ptx_integers.h"
#include "warp2wave/ptx_memory.h"
#include "warp2wave/ptx_types.h"
#include "warp2wave/warp32.h"
__device__ unsigned lane() { unsigned r; (r) = w2w::lane_id(); return r; }
__device__ void fence() { __threadfence(); }
__device__ unsigned swap(unsigned a) {
  unsigned r;
  w2w::ptx::give((r), w2w::ptx::permute(w2w::ptx::take<unsigned>(a), 0u, 291u));
  return r;
}
__device__ void some() {
  if (threadIdx.x < 64)
    asm volatile("bar.sync 1, 64;");
  else
    return;
}
#define COPY(to, from) \
  w2w::ptx::copy_async<16u>(w2w::ptx::take<unsigned>(to), w2w::ptx::take<unsigned long long>(from), 16u)
__device__ void copy(unsigned to, const void* from) { COPY(to, from); }
int host() { int x; asm("cpuid" : "=a"(x)); return x; }
