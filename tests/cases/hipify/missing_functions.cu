// findings: I04:4:fixed I04:4:fixed A01:5:fixed I02:6:fixed N02:6:fixed N01:6:fixed
#include <cuda_runtime.h>
#include <cuda_bf16.h>
__global__ void k(const float4* a, float4* b, __nv_bfloat16* h, unsigned* u) {
  __stcs(b, __ldcg(a));
  atomicAdd(h, __float2bfloat16_rn(1.0f));
  u[0] = __vadd4(u[1], u[2]) + __float2uint_rz(__fmul_rn(a->x, a->y));
}
// output
#include <hip/hip_runtime.h>
#include "warp2wave/atomics.h"
#include "warp2wave/conversions.h"
#include "warp2wave/intrinsics.h"
#include "warp2wave/rounding.h"
#include "warp2wave/simd_in_word.h"
#include <hip/hip_bf16.h>
__global__ void k(const float4* a, float4* b, __hip_bfloat16* h, unsigned* u) {
  w2w::stcs(b, w2w::ldcg(a));
  w2w::atomic_add(h, __float2bfloat16(1.0f));
  u[0] = w2w::vadd4(u[1], u[2]) + w2w::float2uint_rz(w2w::fmul_rn(a->x, a->y));
}
