#include <cuda_runtime.h>
__constant__ float table[8];
template <int N> __device__ int counter;
void f(const float* h, void** p, size_t* n) {
  cudaMemcpyToSymbol(table, h, sizeof table, 0, cudaMemcpyHostToDevice);
  cudaGetSymbolAddress(p, counter<3>);
  cudaGetSymbolSize(n, table);
}
// output
#include <hip/hip_runtime.h>
__constant__ float table[8];
template <int N> __device__ int counter;
void f(const float* h, void** p, size_t* n) {
  hipMemcpyToSymbol(HIP_SYMBOL(table), h, sizeof table, 0, hipMemcpyHostToDevice);
  hipGetSymbolAddress(p, HIP_SYMBOL(counter<3>));
  hipGetSymbolSize(n, HIP_SYMBOL(table));
}
