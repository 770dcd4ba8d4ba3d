// findings: hipify-header:2:to-do hipify-unsupported:4:to-do hipify-unknown-name:5:to-do
#include <cuda_runtime.h>
#include <cuda/atomic>
void f(cudaStream_t s) {
  cudaCtxResetPersistingL2Cache();
  cudaFrobnicate(s);
}
// output
#include <hip/hip_runtime.h>
#include <cuda/atomic>
void f(hipStream_t s) {
  cudaCtxResetPersistingL2Cache();
  cudaFrobnicate(s);
}
