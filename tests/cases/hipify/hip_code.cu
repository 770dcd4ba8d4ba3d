// findings: W01:7:fixed
#ifdef __HIP_PLATFORM_AMD__
#include <hip/hip_runtime.h>
#define SHFL_DOWN(m, v, d) __shfl_down(v, d)
constexpr int width = 64;
#else
#include <cuda_runtime.h>
#define SHFL_DOWN(m, v, d) __shfl_down_sync(m, v, d)
constexpr int width = 32;
#endif
__global__ void k(int* p) { *p = SHFL_DOWN(0xffffffff, *p, width / 2); }
// output
#include <hip/hip_runtime.h>
#include "warp2wave/warp32.h"
#ifdef __HIP_PLATFORM_AMD__
#include <hip/hip_runtime.h>
#define SHFL_DOWN(m, v, d) __shfl_down(v, d)
constexpr int width = 64;
#else
#define SHFL_DOWN(m, v, d) w2w::shfl_down_sync(m, v, d)
constexpr int width = 32;
#endif
__global__ void k(int* p) { *p = SHFL_DOWN(0xffffffff, *p, width / 2); }
