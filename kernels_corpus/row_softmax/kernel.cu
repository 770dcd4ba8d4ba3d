// Softmax of each row of a matrix: one warp a row, maximum and sum by butterfly shuffles.
#include <cmath>
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

#define FULL_MASK 0xffffffffu

__global__ void row_softmax(const float* in, float* out, int rows, int columns) {
  const int lane = threadIdx.x & 31;
  const int row = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
  if (row >= rows) return;
  const float* x = in + row * columns;
  float* y = out + row * columns;

  float largest = -INFINITY;
  for (int i = lane; i < columns; i += 32) largest = fmaxf(largest, x[i]);
  for (int offset = 16; offset > 0; offset >>= 1) {
    largest = fmaxf(largest, __shfl_xor_sync(FULL_MASK, largest, offset));
  }
  float sum = 0.0f;
  for (int i = lane; i < columns; i += 32) {
    const float e = expf(x[i] - largest);
    y[i] = e;
    sum += e;
  }
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_xor_sync(FULL_MASK, sum, offset);
  for (int i = lane; i < columns; i += 32) y[i] /= sum;
}

int main() {
  const int rows = 37, columns = 117, threads = 128;
  std::vector<float> in(rows * columns), out(rows * columns);
  for (int i = 0; i < rows * columns; ++i) in[i] = static_cast<float>((i * 29) % 97) / 8.0f - 6.0f;
  float *d_in, *d_out;
  CHECK(cudaMalloc(&d_in, in.size() * sizeof(float)));
  CHECK(cudaMalloc(&d_out, out.size() * sizeof(float)));
  CHECK(cudaMemcpy(d_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice));
  const int rows_per_block = threads / 32;
  row_softmax<<<(rows + rows_per_block - 1) / rows_per_block, threads>>>(d_in, d_out, rows, columns);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost));
  double worst = 0;
  for (int row = 0; row < rows; ++row) {
    double largest = -INFINITY, sum = 0;
    for (int i = 0; i < columns; ++i) largest = std::fmax(largest, in[row * columns + i]);
    for (int i = 0; i < columns; ++i) sum += std::exp(in[row * columns + i] - largest);
    for (int i = 0; i < columns; ++i) {
      const double want = std::exp(in[row * columns + i] - largest) / sum;
      worst = std::fmax(worst, std::fabs(out[row * columns + i] - want) / want);
    }
  }
  std::printf("out[0] = %.5e, out[last] = %.5e\n", out[0], out[rows * columns - 1]);
  std::printf("%s\n", worst < 1e-5 ? "PASS" : "FAIL");
  CHECK(cudaFree(d_in));
  CHECK(cudaFree(d_out));
  return worst >= 1e-5;
}
