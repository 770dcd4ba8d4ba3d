// flags: roc
#include "cublas_v2.h"
#include <curand_kernel.h>
void f(cublasHandle_t h, float* x, cuComplex c, cudaDataType t, curandState* s) {
  cublasStatus_t e = cublasSscal(h, 3, x, x, 1);
  if (e != CUBLAS_STATUS_SUCCESS || t == CUDA_R_32F) cublasSetStream_v2(h, 0);
  cublasSgemmStridedBatched(h, CUBLAS_OP_N, CUBLAS_OP_T, 1, 1, 1, x, x, 1, 1, x, 1, 1, x, x, 1, 1, 1);
}
// output
#include <hip/hip_runtime.h>
#include "rocblas/rocblas.h"
#include <rocrand/rocrand_kernel.h>
void f(rocblas_handle h, float* x, rocblas_float_complex c, rocblas_datatype t, rocrand_state_xorwow* s) {
  rocblas_status e = rocblas_sscal(h, 3, x, x, 1);
  if (e != rocblas_status_success || t == rocblas_datatype_f32_r) rocblas_set_stream(h, 0);
  rocblas_sgemm_strided_batched(h, rocblas_operation_none, rocblas_operation_transpose, 1, 1, 1, x, x, 1, 1, x, 1, 1, x, x, 1, 1, 1);
}
