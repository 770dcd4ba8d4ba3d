// findings: H06:3:to-do
#include <cuda_runtime.h>
#include <cstring>
bool f(cudaError_t e) { return strcmp(cudaGetErrorName(e), "cudaErrorInvalidValue") == 0; }
const char* g(cudaError_t e) { return cudaGetErrorString(e); }
// output
#include <hip/hip_runtime.h>
#include <cstring>
bool f(hipError_t e) { return strcmp(hipGetErrorName(e), "cudaErrorInvalidValue") == 0; }
const char* g(hipError_t e) { return hipGetErrorString(e); }
