#include <vector>
#include "kernels.cuh"
#include <cuda_runtime.h>
int main() { return cudaDeviceSynchronize(); }
// output
#include <hip/hip_runtime.h>
#include <vector>
#include "kernels.cuh"
int main() { return hipDeviceSynchronize(); }
