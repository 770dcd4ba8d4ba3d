// flags: either
#include <cuda_runtime.h>
  #include "cublas_v2.h"  // BLAS
#include <cublas.h>
#include <cufft.h>
// output
#include <hip/hip_runtime.h>
#if __has_include(<hipblas/hipblas.h>)
#include <hipblas/hipblas.h>
#else
  #include "hipblas.h"  // BLAS
#endif
#include <hipfft/hipfft.h>
