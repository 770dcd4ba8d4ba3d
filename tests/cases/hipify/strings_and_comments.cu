#include <cuda_runtime.h>
// cudaMalloc(&p, n) and k<<<1, 1>>>() stay in comments
/* so does cudaFree */
const char* a = "cudaMalloc \"cudaFree\" // cudaMemcpy";
const char* b = R"x(cudaMemcpy k<<<1, 1>>>)" )x";
const char16_t* c = u"cudaError_t";
char d = 'c';
int e = 1'000'000;
cudaError_t f;
// output
#include <hip/hip_runtime.h>
// cudaMalloc(&p, n) and k<<<1, 1>>>() stay in comments
/* so does cudaFree */
const char* a = "cudaMalloc \"cudaFree\" // cudaMemcpy";
const char* b = R"x(cudaMemcpy k<<<1, 1>>>)" )x";
const char16_t* c = u"cudaError_t";
char d = 'c';
int e = 1'000'000;
hipError_t f;
