// Atomics on LDS and on global memory: integers, 64-bit, floats, compare-and-swap.
#include "check.h"

constexpr int kBins = 61;

__global__ void histogram(const int* in, unsigned* bins, unsigned long long* total, float* weight, int* largest,
                          int n) {
  __shared__ unsigned local[kBins];
  for (int b = threadIdx.x; b < kBins; b += blockDim.x) local[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&local[in[i] % kBins], 1u);
    atomicAdd(total, 1ull << 20);
    atomicAdd(weight, 0.5f);
    for (int seen = *largest; seen < in[i];) {
      int before = atomicCAS(largest, seen, in[i]);
      if (before == seen) break;
      seen = before;
    }
  }
  __syncthreads();
  for (int b = threadIdx.x; b < kBins; b += blockDim.x) atomicAdd(&bins[b], local[b]);
}

int main() {
  const int n = 20011;
  std::vector<int> in(n);
  std::vector<unsigned> expected(kBins, 0);
  int largest = 0;
  for (int i = 0; i < n; ++i) {
    in[i] = static_cast<int>(i * 2654435761u >> 8);
    expected[in[i] % kBins]++;
    largest = std::max(largest, in[i]);
  }
  DeviceVector<int> din(in), dlargest(std::vector<int>{0});
  DeviceVector<unsigned> bins(std::vector<unsigned>(kBins, 0));
  DeviceVector<unsigned long long> total(std::vector<unsigned long long>{0});
  DeviceVector<float> weight(std::vector<float>{0});
  histogram<<<9, 200>>>(din.data, bins.data, total.data, weight.data, dlargest.data, n);
  CHECK(hipGetLastError());
  expect_equal("bins", bins.host(), expected);
  expect_equal("total", total.host(), std::vector<unsigned long long>{static_cast<unsigned long long>(n) << 20});
  expect_equal("weight", weight.host(), std::vector<float>{0.5f * n});
  expect_equal("largest", dlargest.host(), std::vector<int>{largest});
}
