// Kernels beside plain C loops, alternately in one process; prints the least milliseconds of each.
//   speed <rounds>   (loops.so in the working directory)
#include <cub/cub.cuh>
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <vector>

#define CHECK(call)                                           \
  do {                                                        \
    cudaError_t error_ = (call);                              \
    if (error_ != cudaSuccess) {                              \
      printf("%s: %s\n", #call, cudaGetErrorString(error_));  \
      exit(2);                                                \
    }                                                         \
  } while (0)

__global__ void vector_add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

template <int kTile>
__global__ void shared_matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * kTile + y, column = blockIdx.x * kTile + x;
  float sum = 0;
  for (int k = 0; k < n; k += kTile) {
    tile_a[y][x] = a[row * n + k + x];
    tile_b[y][x] = b[(k + y) * n + column];
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += tile_a[y][i] * tile_b[i][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

static double milliseconds(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

struct Least {
  double wall = INFINITY, cpu = INFINITY;
  void take(const std::function<void()>& work) {
    const double wall_before = milliseconds(CLOCK_MONOTONIC), cpu_before = milliseconds(CLOCK_PROCESS_CPUTIME_ID);
    work();
    cpu = std::min(cpu, milliseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_before);
    wall = std::min(wall, milliseconds(CLOCK_MONOTONIC) - wall_before);
  }
};

static void compare(const char* name, int rounds, const std::function<void()>& loop, const std::function<void()>& kernel) {
  Least of_loop, of_kernel;
  for (int round = 0; round < rounds; ++round) {
    of_loop.take(loop);
    of_kernel.take([&] {
      kernel();
      CHECK(cudaDeviceSynchronize());
    });
  }
  printf("{\"name\": \"%s\", \"loop_ms\": %f, \"kernel_ms\": %f, \"loop_cpu_ms\": %f, \"kernel_cpu_ms\": %f}\n", name,
         of_loop.wall, of_kernel.wall, of_loop.cpu, of_kernel.cpu);
}

template <class T>
struct Device {
  explicit Device(const std::vector<T>& host) : bytes(host.size() * sizeof(T)) {
    CHECK(cudaMalloc(&data, bytes));
    CHECK(cudaMemcpy(data, host.data(), bytes, cudaMemcpyHostToDevice));
  }
  void expect(const std::vector<T>& wanted, const char* what) const {
    std::vector<T> host(wanted.size());
    CHECK(cudaMemcpy(host.data(), data, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < host.size(); ++i)
      if (std::abs(static_cast<double>(host[i]) - static_cast<double>(wanted[i])) > 1e-4 * std::abs(static_cast<double>(wanted[i]))) {
        printf("%s is wrong at %zu\n", what, i);
        exit(1);
      }
  }
  size_t bytes;
  T* data;
};

int main(int, char** arguments) {
  const int rounds = atoi(arguments[1]), count = 1 << 20, n = 512;
  void* library = dlopen("./loops.so", RTLD_NOW);
  auto add = reinterpret_cast<void (*)(const float*, const float*, float*, int)>(dlsym(library, "add"));
  auto multiply = reinterpret_cast<void (*)(const float*, const float*, float*, int)>(dlsym(library, "multiply"));
  std::vector<float> a(count), b(count), c(count), p(n * n);
  std::vector<unsigned> keys(count);
  unsigned state = 1;
  for (int i = 0; i < count; ++i) {
    keys[i] = state = state * 1664525u + 1013904223u;
    a[i] = static_cast<float>(state >> 16) / 65536;
    b[i] = static_cast<float>(i % 100);
  }
  Device<float> device_a(a), device_b(b), device_c(c), product(p);
  compare("vector add of 1 M", rounds, [&] { add(a.data(), b.data(), c.data(), count); },
          [&] { vector_add<<<(count + 255) / 256, 256>>>(device_a.data, device_b.data, device_c.data, count); });
  device_c.expect(c, "the sum");
  const std::function<void()> plain = [&] { multiply(a.data(), b.data(), p.data(), n); };
  compare("matrix product of 512, tiles of 16", rounds, plain, [&] {
    shared_matmul<16><<<dim3(n / 16, n / 16), dim3(16, 16)>>>(device_a.data, device_b.data, product.data, n);
  });
  product.expect(p, "the product");
  compare("matrix product of 512, tiles of 32", rounds, plain, [&] {
    shared_matmul<32><<<dim3(n / 32, n / 32), dim3(32, 32)>>>(device_a.data, device_b.data, product.data, n);
  });
  product.expect(p, "the product");
  Device<unsigned> unsorted(keys), sorted(keys);
  size_t bytes = 0;
  CHECK(cub::DeviceRadixSort::SortKeys(nullptr, bytes, unsorted.data, sorted.data, count));
  void* space;
  CHECK(cudaMalloc(&space, bytes));
  std::vector<unsigned> copy;
  const std::function<void()> sort = [&] { copy = keys, std::sort(copy.begin(), copy.end()); };
  compare("radix sort of 1 M keys", rounds / 4 + 1, sort,
          [&] { CHECK(cub::DeviceRadixSort::SortKeys(space, bytes, unsorted.data, sorted.data, count)); });
  sorted.expect(copy, "the order");
}
