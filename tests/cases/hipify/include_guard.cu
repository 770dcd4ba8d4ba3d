#ifndef KERNELS_CUH
#define KERNELS_CUH
__global__ void k(int* p);
#endif
// output
#ifndef KERNELS_CUH
#define KERNELS_CUH
#include <hip/hip_runtime.h>
__global__ void k(int* p);
#endif
