// Embedding bag, forward, sum pooling: each bag sums the table rows that its jagged list of indices names.
// One warp a bag; lanes stride over the embedding's columns. Bags may be empty.
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

// Indices are loaded 32 at a time, one a lane, and handed round by shuffles.
__global__ void embedding_bag(const float* table, const int* indices, const int* offsets, float* out, int bags,
                              int columns) {
  const int lane = threadIdx.x;
  const int bag = blockIdx.x * blockDim.y + threadIdx.y;
  if (bag >= bags) return;
  const int begin = offsets[bag], end = offsets[bag + 1];
  for (int base = 0; base < columns; base += 32) {
    const int column = base + lane;
    float sum = 0.0f;
    for (int start = begin; start < end; start += 32) {
      const int mine = start + lane < end ? indices[start + lane] : 0;
      const int count = min(32, end - start);
      for (int k = 0; k < count; ++k) {
        const int row = __shfl_sync(0xffffffff, mine, k);
        if (column < columns) sum += table[row * columns + column];
      }
    }
    if (column < columns) out[bag * columns + column] = sum;
  }
}

int main() {
  const int rows = 500, columns = 50, bags = 67;
  std::vector<float> table(rows * columns), out(bags * columns);
  for (int i = 0; i < rows * columns; ++i) table[i] = static_cast<float>((i * 17) % 257 - 128) / 64.0f;
  std::vector<int> offsets(bags + 1, 0), indices;
  for (int bag = 0; bag < bags; ++bag) {
    const int length = (bag * 11) % 45;  // some are empty, some longer than a warp
    for (int i = 0; i < length; ++i) indices.push_back((bag * 31 + i * 7) % rows);
    offsets[bag + 1] = offsets[bag] + length;
  }
  float *d_table, *d_out;
  int *d_indices, *d_offsets;
  CHECK(cudaMalloc(&d_table, table.size() * sizeof(float)));
  CHECK(cudaMalloc(&d_out, out.size() * sizeof(float)));
  CHECK(cudaMalloc(&d_indices, indices.size() * sizeof(int)));
  CHECK(cudaMalloc(&d_offsets, offsets.size() * sizeof(int)));
  CHECK(cudaMemcpy(d_table, table.data(), table.size() * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_indices, indices.data(), indices.size() * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_offsets, offsets.data(), offsets.size() * sizeof(int), cudaMemcpyHostToDevice));
  const dim3 block(32, 4);
  embedding_bag<<<(bags + block.y - 1) / block.y, block>>>(d_table, d_indices, d_offsets, d_out, bags, columns);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost));
  int wrong = 0;
  double total = 0;
  for (int bag = 0; bag < bags; ++bag) {
    for (int column = 0; column < columns; ++column) {
      float sum = 0.0f;
      for (int i = offsets[bag]; i < offsets[bag + 1]; ++i) sum += table[indices[i] * columns + column];
      wrong += sum != out[bag * columns + column];
      total += out[bag * columns + column];
    }
  }
  std::printf("total = %.4f, wrong elements = %d\n", total, wrong);
  std::printf("%s\n", wrong ? "FAIL" : "PASS");
  CHECK(cudaFree(d_table));
  CHECK(cudaFree(d_out));
  CHECK(cudaFree(d_indices));
  CHECK(cudaFree(d_offsets));
  return wrong != 0;
}
