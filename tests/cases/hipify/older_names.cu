// flags: older
#include <cublas_v2.h>
void f(cublasHandle_t h, cuComplex* c) { cublasCscal(h, 3, c, c, 1); cublasSscal(h, 3, s, s, 1); }
// output
#include <hip/hip_runtime.h>
#include <hipblas.h>
void f(hipblasHandle_t h, hipComplex* c) { hipblasCscal_v2(h, 3, c, c, 1); hipblasSscal(h, 3, s, s, 1); }
