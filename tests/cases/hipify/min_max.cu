// findings: N04:3:fixed N04:4:fixed
#include <cuda_runtime.h>
#include <algorithm>
__device__ int d(int a) { return min(a, 3) + max(a, (int)blockDim.x); }
float h(float a, float b) { return min(a, b) + std::max(a, b) + min(2, 3); }
// output
#include <hip/hip_runtime.h>
#include "warp2wave/minmax.h"
#include <algorithm>
__device__ int d(int a) { return min(a, 3) + w2w::max(a, (int)blockDim.x); }
float h(float a, float b) { return w2w::min(a, b) + std::max(a, b) + min(2, 3); }
