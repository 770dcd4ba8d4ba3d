// Kernels whose counters follow from their source; ../test_counters.py holds the numbers.
#include "check.h"

constexpr int kThreads = 256;
constexpr int kItems = 1024;  // 16 waves

__global__ __launch_bounds__(kThreads) void coalesced_copy(const float* in, float* out) {
  int i = blockIdx.x * kThreads + threadIdx.x;
  out[i] = in[i];
}

// Each lane in a line of its own.
__global__ __launch_bounds__(kThreads) void strided_copy(const float* in, float* out) {
  int i = 32 * (blockIdx.x * kThreads + threadIdx.x);
  out[i] = in[i];
}

__global__ __launch_bounds__(kThreads) void vector_copy(const float4* in, float4* out) {
  int i = blockIdx.x * kThreads + threadIdx.x;
  out[i] = in[i];
}

__global__ __launch_bounds__(kThreads) void shifted_copy(const float* in, float* out) {
  int i = blockIdx.x * kThreads + threadIdx.x;
  out[i] = in[i + 1];
}

// A tile of 32 x 32, written by rows and read by columns.
template <int kWidth>
__device__ void transpose_tile(const float* in, float* out) {
  __shared__ float tile[32 * kWidth];
  int x = threadIdx.x % 32, y = threadIdx.x / 32;
  for (int row = y; row < 32; row += kThreads / 32) tile[row * kWidth + x] = in[row * 32 + x];
  __syncthreads();
  for (int row = y; row < 32; row += kThreads / 32) out[row * 32 + x] = tile[x * kWidth + row];
}
__global__ __launch_bounds__(kThreads) void transpose(const float* in, float* out) { transpose_tile<32>(in, out); }
__global__ __launch_bounds__(kThreads) void padded_transpose(const float* in, float* out) {
  transpose_tile<33>(in, out);
}

// Lane l of each wave adds to bin l % 8.
__global__ __launch_bounds__(kThreads) void histogram(int* bins) { atomicAdd(&bins[threadIdx.x % 8], 1); }

__global__ __launch_bounds__(kThreads) void lds_histogram(int* out) {
  __shared__ int bins[8];
  if (threadIdx.x < 8) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[threadIdx.x % 8], 1 + (int)threadIdx.x);
  __syncthreads();
  if (threadIdx.x < 8) out[blockIdx.x * 8 + threadIdx.x] = bins[threadIdx.x];
}

// Lane l multiplies and adds l times.
__global__ __launch_bounds__(kThreads) void divergent(float* data, float factor) {
  int lane = threadIdx.x % 64;
  float x = data[blockIdx.x * kThreads + threadIdx.x];
  for (int i = 0; i < lane; ++i) x = __builtin_fmaf(x, factor, 1.0f);
  data[blockIdx.x * kThreads + threadIdx.x] = x;
}

__global__ void partial(float* data, int n) {
  if ((int)threadIdx.x < n) data[threadIdx.x] += 1.0f;
}

int main() {
  const std::vector<float> zeros(32 * kItems + 1);
  DeviceVector<float> in(zeros), out(zeros);
  DeviceVector<int> bins(std::vector<int>(8 * kItems));
  dim3 grid(kItems / kThreads);
  coalesced_copy<<<grid, kThreads>>>(in.data, out.data);
  coalesced_copy<<<grid, kThreads>>>(in.data, out.data);
  strided_copy<<<grid, kThreads>>>(in.data, out.data);
  vector_copy<<<grid, kThreads>>>((const float4*)in.data, (float4*)out.data);
  shifted_copy<<<grid, kThreads>>>(in.data, out.data);
  transpose<<<1, kThreads>>>(in.data, out.data);
  padded_transpose<<<1, kThreads>>>(in.data, out.data);
  histogram<<<grid, kThreads>>>(bins.data);
  lds_histogram<<<grid, kThreads>>>(bins.data);
  divergent<<<grid, kThreads>>>(out.data, 0.5f);
  partial<<<1, 100>>>(out.data, 70);
  CHECK(hipDeviceSynchronize());
  printf("done\n");
}
