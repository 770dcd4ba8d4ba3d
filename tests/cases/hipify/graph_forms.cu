#include <cuda_runtime.h>
void f(cudaGraph_t g, cudaGraphExec_t e, cudaGraphNode_t n, char* log) {
  cudaGraphInstantiate(&e, g);
  cudaGraphInstantiate(&e, g, 0);
  cudaGraphInstantiate(&e, g, &n, log, 100);
}
// output
#include <hip/hip_runtime.h>
void f(hipGraph_t g, hipGraphExec_t e, hipGraphNode_t n, char* log) {
  hipGraphInstantiateWithFlags(&e, g, 0);
  hipGraphInstantiateWithFlags(&e, g, 0);
  hipGraphInstantiate(&e, g, &n, log, 100);
}
