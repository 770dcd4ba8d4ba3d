// Kernels whose time with and without counters bench/vgpu_counters.py compares. Prints "<kernel> <milliseconds>", the
// least of some launches.
// Arguments: launches, elements of vectors, size of the matrices, rows of the softmax.
#include <hip/hip_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

constexpr int kTile = 16;
constexpr int kBins = 256;

__global__ void vector_add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

__global__ void matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
  int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += kTile) {
    tile_a[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void softmax(const float* in, float* out, int n) {
  __shared__ float shared[256];
  const float* row = in + blockIdx.x * n;
  auto reduce = [&](float value, auto combine) {
    shared[threadIdx.x] = value;
    __syncthreads();
    for (int step = blockDim.x / 2; step; step /= 2) {
      if (threadIdx.x < step) shared[threadIdx.x] = combine(shared[threadIdx.x], shared[threadIdx.x + step]);
      __syncthreads();
    }
    float result = shared[0];
    __syncthreads();
    return result;
  };
  float largest = -1e30f, sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) largest = fmaxf(largest, row[i]);
  largest = reduce(largest, [](float x, float y) { return fmaxf(x, y); });
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += expf(row[i] - largest);
  sum = reduce(sum, [](float x, float y) { return x + y; });
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[blockIdx.x * n + i] = expf(row[i] - largest) / sum;
}

__global__ void strided_copy(const float* in, float* out, int n, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int place = (i % (n / stride)) * stride + i / (n / stride);
  if (i < n) out[place] = in[place];
}

__global__ void gather(const int* index, const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[index[i]];
}

__global__ void histogram(const int* values, int* bins, int n) {
  __shared__ int local[kBins];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[values[i] % kBins], 1);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

static void time_launches(const char* name, int rounds, const std::function<void()>& launch) {
  double least = 1e30;
  for (int round = 0; round < rounds; ++round) {
    auto start = std::chrono::steady_clock::now();
    launch();
    (void)hipDeviceSynchronize();
    least = std::min(least, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  printf("%s %.4f\n", name, least);
}

int main(int, char** argv) {
  const int rounds = atoi(argv[1]), n = atoi(argv[2]), size = atoi(argv[3]), rows = atoi(argv[4]);
  std::vector<int> random(n);
  for (int i = 0; i < n; ++i) random[i] = static_cast<int>((i * 2654435761u) >> 12) % n;
  float *a, *b, *c;
  int *index, *bins;
  (void)hipMalloc(&a, n * sizeof(float));
  (void)hipMalloc(&b, n * sizeof(float));
  (void)hipMalloc(&c, n * sizeof(float));
  (void)hipMalloc(&index, n * sizeof(int));
  (void)hipMalloc(&bins, kBins * sizeof(int));
  (void)hipMemset(a, 0, n * sizeof(float));
  (void)hipMemset(b, 0, n * sizeof(float));
  (void)hipMemset(bins, 0, kBins * sizeof(int));
  (void)hipMemcpy(index, random.data(), n * sizeof(int), hipMemcpyHostToDevice);
  time_launches("vector_add", rounds, [&] { vector_add<<<n / 256, 256>>>(a, b, c, n); });
  time_launches("matmul", rounds, [&] { matmul<<<dim3(size / kTile, size / kTile), dim3(kTile, kTile)>>>(a, b, c, size); });
  time_launches("softmax", rounds, [&] { softmax<<<rows, 256>>>(a, c, 1024); });
  time_launches("strided_copy", rounds, [&] { strided_copy<<<n / 256, 256>>>(a, c, n, 32); });
  time_launches("gather", rounds, [&] { gather<<<n / 256, 256>>>(index, a, c, n); });
  time_launches("histogram", rounds, [&] { histogram<<<64, 256>>>(index, bins, n); });
}
