// findings: H07:3:to-do
#include <cuda_runtime.h>
__global__ void child(int* p) { *p = 1; }
__global__ void parent(int* p) { child<<<1, 1>>>(p); }
void host(int* p) { parent<<<1, 1>>>(p); }
// output
#include <hip/hip_runtime.h>
__global__ void child(int* p) { *p = 1; }
__global__ void parent(int* p) { child<<<1, 1>>>(p); }
void host(int* p) { parent<<<1, 1>>>(p); }
