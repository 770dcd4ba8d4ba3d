// No include of the toolkit: nvcc needs none.
#include <cstdio>
__global__ void hello() { printf("hello\n"); }
int main() { hello<<<1, 1>>>(); return cudaDeviceSynchronize() != cudaSuccess; }
// output
// No include of the toolkit: nvcc needs none.
#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void hello() { printf("hello\n"); }
int main() { hello<<<1, 1>>>(); return hipDeviceSynchronize() != hipSuccess; }
