// flags: launches naive
#include <cuda_runtime.h>
template <typename T, int N> __global__ void t(T* p);
namespace n { __global__ void k(); }
__global__ void e(int a, int b);
void f(dim3 g, cudaStream_t s) {
  t<float, 3> <<<g, 32>>>(nullptr);
  n::k<<<dim3(1, 2), dim3(3)>>>();
  ::n::k <<< 1, 2, 0, cudaStreamPerThread >>> ( );
  e<<<(1 > 0) ? 2 : 3, max(4, 5), 16>>>(f2(6, 7), /* eight */ 8);
  (*pick(a < b))<<<g, 1>>>(9);
  int shifted = 1 << 3; bool less = a < b;
  for (;;) e<<<g, 1, 0, s>>>(1, 2);
}
// output
#include <hip/hip_runtime.h>
template <typename T, int N> __global__ void t(T* p);
namespace n { __global__ void k(); }
__global__ void e(int a, int b);
void f(dim3 g, hipStream_t s) {
  hipLaunchKernelGGL(HIP_KERNEL_NAME(t<float, 3>), dim3(g), dim3(32), 0, 0, nullptr);
  hipLaunchKernelGGL(n::k, dim3(1, 2), dim3(3), 0, 0);
  hipLaunchKernelGGL(::n::k, dim3(1), dim3(2), 0, hipStreamPerThread);
  hipLaunchKernelGGL(e, dim3((1 > 0) ? 2 : 3), dim3(max(4, 5)), 16, 0, f2(6, 7), /* eight */ 8);
  hipLaunchKernelGGL((*pick(a < b)), dim3(g), dim3(1), 0, 0, 9);
  int shifted = 1 << 3; bool less = a < b;
  for (;;) hipLaunchKernelGGL(e, dim3(g), dim3(1), 0, s, 1, 2);
}
