#include <cuda_runtime.h>
#define CHECK(call)                                   \
  do {                                                \
    cudaError_t status = (call);                      \
    if (status != cudaSuccess) fail(cudaGetErrorString(status)); \
  } while (0)
#define API(name) cuda##name
#define LAUNCH(k, ...) k<<<1, 32>>>(__VA_ARGS__)
void fail(const char*);
void f(void* p) { CHECK(cudaFree(p)); CHECK(API(DeviceSynchronize)()); }
// output
#include <hip/hip_runtime.h>
#define CHECK(call)                                   \
  do {                                                \
    hipError_t status = (call);                      \
    if (status != hipSuccess) fail(hipGetErrorString(status)); \
  } while (0)
#define API(name) hip##name
#define LAUNCH(k, ...) k<<<1, 32>>>(__VA_ARGS__)
void fail(const char*);
void f(void* p) { CHECK(hipFree(p)); CHECK(API(DeviceSynchronize)()); }
