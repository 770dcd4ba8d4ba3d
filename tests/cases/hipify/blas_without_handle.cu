// findings: hipify-signature:2:to-do
#include <cublas.h>
void f(float* x) { cublasSscal(3, 2.0f, x, 1); cublasSscal(h, 3, &a, x, 1); }
// output
#include <hip/hip_runtime.h>
#include <hipblas/hipblas.h>
void f(float* x) { cublasSscal(3, 2.0f, x, 1); hipblasSscal(h, 3, &a, x, 1); }
