#include <cuda_runtime.h>
struct Pool { int cudaMalloc(int n) { return n; } int cudaFree; };
static int cudaMallocHelper(int v) { return v; }
namespace mine { int cudaMemcpy(int a) { return a; } }
int use(Pool p, Pool* q) {
  int cudaSuccess = 3;
  return p.cudaMalloc(1) + q->cudaMalloc(2) + p.cudaFree + cudaMallocHelper(cudaSuccess) + mine::cudaMemcpy(4);
}
int api() { return ::cudaDeviceSynchronize() == cudaSuccess; }
// output
#include <hip/hip_runtime.h>
struct Pool { int cudaMalloc(int n) { return n; } int cudaFree; };
static int cudaMallocHelper(int v) { return v; }
namespace mine { int cudaMemcpy(int a) { return a; } }
int use(Pool p, Pool* q) {
  int cudaSuccess = 3;
  return p.cudaMalloc(1) + q->cudaMalloc(2) + p.cudaFree + cudaMallocHelper(cudaSuccess) + mine::cudaMemcpy(4);
}
int api() { return ::hipDeviceSynchronize() == hipSuccess; }
