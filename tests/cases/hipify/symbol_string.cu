// findings: hipify-symbol-string:3:to-do
#include <cuda_runtime.h>
__constant__ float table[4];
void f(float* x) { cudaMemcpyToSymbol("table", x, 16); cudaMemcpyToSymbol(table, x, 16); }
// output
#include <hip/hip_runtime.h>
__constant__ float table[4];
void f(float* x) { hipMemcpyToSymbol(HIP_SYMBOL("table"), x, 16); hipMemcpyToSymbol(HIP_SYMBOL(table), x, 16); }
