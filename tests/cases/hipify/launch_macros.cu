// flags: launches naive
#include <cuda_runtime.h>
__global__ void k(int a, int b);
#define CALL k<<<1, 2>>>
#define LAUNCH(kernel, grid, ...) kernel<<<grid, 32, 0, cudaStreamLegacy>>>(__VA_ARGS__);
#define CHECKED(kernel) do { kernel<<<1, 1>>>(1, 2); } while (0)
void f() {
  CALL(cudaMemcpyHostToDevice, 4);
  LAUNCH(k, 5, 6, cudaSuccess)
  CHECKED(k);
  CALL;
}
// output
#include <hip/hip_runtime.h>
__global__ void k(int a, int b);
#define CALL k<<<1, 2>>>
#define LAUNCH(kernel, grid, ...) hipLaunchKernelGGL(kernel, dim3(grid), dim3(32), 0, hipStreamLegacy, __VA_ARGS__);
#define CHECKED(kernel) do { hipLaunchKernelGGL(kernel, dim3(1), dim3(1), 0, 0, 1, 2); } while (0)
void f() {
  hipLaunchKernelGGL(k, dim3(1), dim3(2), 0, 0, hipMemcpyHostToDevice, 4);
  hipLaunchKernelGGL(k, dim3(5), dim3(32), 0, hipStreamLegacy, 6, hipSuccess)
  CHECKED(k);
  CALL;
}
