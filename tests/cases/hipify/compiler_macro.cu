// flags: naive
#define __CUDACC__
#ifdef __CUDACC__
#include <cuda_runtime.h>
#endif
// output
#include <hip/hip_runtime.h>
#define __HIPCC__
#ifdef __HIPCC__
#endif
