// Tiled matrix product, static and dynamic LDS, exact in small integers.
#include "check.h"

constexpr int kTile = 16;

__device__ void multiply(const float* a, const float* b, float* c, int n, float* tile_a, float* tile_b) {
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * kTile + y, column = blockIdx.x * kTile + x;
  float sum = 0;
  for (int k = 0; k < n; k += kTile) {
    tile_a[y * kTile + x] = a[row * n + k + x];
    tile_b[y * kTile + x] = b[(k + y) * n + column];
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += tile_a[y * kTile + i] * tile_b[i * kTile + x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void static_tiles(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[kTile * kTile], tile_b[kTile * kTile];
  multiply(a, b, c, n, tile_a, tile_b);
}

__global__ void dynamic_tiles(const float* a, const float* b, float* c, int n) {
  extern __shared__ float tiles[];
  multiply(a, b, c, n, tiles, tiles + kTile * kTile);
}

int main() {
  const int n = 96;
  std::vector<float> a(n * n), b(n * n), expected(n * n, 0);
  for (int i = 0; i < n * n; ++i) a[i] = i * 13 % 17 - 8, b[i] = i * 5 % 11 - 5;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) expected[i * n + j] += a[i * n + k] * b[k * n + j];
  DeviceVector<float> da(a), db(b), dc(n * n), dd(n * n);
  dim3 grid(n / kTile, n / kTile), block(kTile, kTile);
  static_tiles<<<grid, block>>>(da.data, db.data, dc.data, n);
  CHECK(hipGetLastError());
  expect_equal("static", dc.host(), expected);
  dynamic_tiles<<<grid, block, 2 * kTile * kTile * sizeof(float)>>>(da.data, db.data, dd.data, n);
  CHECK(hipGetLastError());
  expect_equal("dynamic", dd.host(), expected);
}
