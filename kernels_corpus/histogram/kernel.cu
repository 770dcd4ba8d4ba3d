// Histogram of bytes: one private histogram in shared memory a block, merged with global atomics.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call)                                                                       \
  do {                                                                                    \
    cudaError_t status = (call);                                                          \
    if (status != cudaSuccess) {                                                          \
      std::printf("%s failed: %s\n", #call, cudaGetErrorString(status));                  \
      return 2;                                                                           \
    }                                                                                     \
  } while (0)

constexpr int BINS = 256;

__global__ void histogram(const unsigned char* data, unsigned* bins, int n) {
  __shared__ unsigned local[BINS];
  for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) local[bin] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&local[data[i]], 1u);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
    if (local[bin]) atomicAdd(&bins[bin], local[bin]);
  }
}

int main() {
  const int n = 200003, threads = 192, blocks = 24;
  std::vector<unsigned char> data(n);
  std::vector<unsigned> expected(BINS, 0), bins(BINS);
  unsigned state = 12345;
  for (int i = 0; i < n; ++i) {
    state = state * 1664525u + 1013904223u;
    data[i] = static_cast<unsigned char>((state >> 24) & (state >> 16));
    ++expected[data[i]];
  }
  unsigned char* d_data;
  unsigned* d_bins;
  CHECK(cudaMalloc(&d_data, n));
  CHECK(cudaMalloc(&d_bins, BINS * sizeof(unsigned)));
  CHECK(cudaMemset(d_bins, 0, BINS * sizeof(unsigned)));
  CHECK(cudaMemcpy(d_data, data.data(), n, cudaMemcpyHostToDevice));
  histogram<<<blocks, threads>>>(d_data, d_bins, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(bins.data(), d_bins, BINS * sizeof(unsigned), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int bin = 0; bin < BINS; ++bin) wrong += bins[bin] != expected[bin];
  std::printf("bin[0] = %u, bin[85] = %u, bin[255] = %u, wrong bins = %d\n", bins[0], bins[85], bins[255], wrong);
  std::printf("%s\n", wrong ? "FAIL" : "PASS");
  CHECK(cudaFree(d_data));
  CHECK(cudaFree(d_bins));
  return wrong != 0;
}
