// flags: naive
#include <cuda_runtime.h>
void f(void** p, cudaStream_t s) {
  check(cudaMallocHost(p, size(cudaMallocHost(p + 1, sizeof(cudaError_t)), cudaSuccess)));
  cudaEventCreate(&e, cudaEventDisableTiming); cudaEventCreate(&e);
  cudaStreamGetCaptureInfo(s, &a, cudaMallocHost(p, 1), &c, &d, &e);
}
// output
#include <hip/hip_runtime.h>
void f(void** p, hipStream_t s) {
  check(hipHostMalloc(p, size(hipHostMalloc(p + 1, sizeof(hipError_t), hipHostMallocDefault), hipSuccess), hipHostMallocDefault));
  hipEventCreateWithFlags(&e, hipEventDisableTiming); hipEventCreate(&e);
  hipStreamGetCaptureInfo_v2(s, &a, hipHostMalloc(p, 1, hipHostMallocDefault), &c, &d, &e);
}
