#include <thrust/device_vector.h>
#include <thrust/system/cuda/execution_policy.h>
void f(thrust::device_vector<int>& v, cudaStream_t s) { thrust::sort(thrust::cuda::par.on(s), v.begin(), v.end()); }
// output
#include <hip/hip_runtime.h>
#include <thrust/device_vector.h>
#include <thrust/system/hip/execution_policy.h>
void f(thrust::device_vector<int>& v, hipStream_t s) { thrust::sort(thrust::hip::par.on(s), v.begin(), v.end()); }
