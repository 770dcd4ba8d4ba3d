// findings: S02:3:fixed X18:4:fixed
#include <cuda_runtime.h>
__global__ void __launch_bounds__(256) a(int* p) { *p = 1; }
__global__ void __launch_bounds__(256, 2) b(int* p) { *p = 1; }
template <int N> __global__ __launch_bounds__(N, 4, 2) void c(int* p) { *p = N; }
// output
#include <hip/hip_runtime.h>
__global__ void __launch_bounds__(256) a(int* p) { *p = 1; }
__global__ void __launch_bounds__(256) b(int* p) { *p = 1; }
template <int N> __global__ __launch_bounds__(N) void c(int* p) { *p = N; }
