#include <cuda_runtime.h>

__global__ void scale(float* x, float s) { x[threadIdx.x] *= s; }

int main() {
  float* d = nullptr;
  if (cudaMalloc(&d, 256 * sizeof(float)) != cudaSuccess) return 1;
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  scale<<<1, 256, 0, stream>>>(d, 2.0f);
  cudaError_t error = cudaStreamSynchronize(stream);
  return cudaFree(d) == cudaSuccess && error == cudaSuccess ? 0 : 1;
}
// output
#include <hip/hip_runtime.h>

__global__ void scale(float* x, float s) { x[threadIdx.x] *= s; }

int main() {
  float* d = nullptr;
  if (hipMalloc(&d, 256 * sizeof(float)) != hipSuccess) return 1;
  hipStream_t stream;
  hipStreamCreateWithFlags(&stream, hipStreamNonBlocking);
  scale<<<1, 256, 0, stream>>>(d, 2.0f);
  hipError_t error = hipStreamSynchronize(stream);
  return hipFree(d) == hipSuccess && error == hipSuccess ? 0 : 1;
}
