// Kernels beside plain C loops, alternately in one process; prints the least milliseconds of each.
//   speed <rounds>   (loops.so in the working directory)
#include <dlfcn.h>
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <vector>

#define CHECK(call)                                         \
  do {                                                      \
    hipError_t error_ = (call);                             \
    if (error_ != hipSuccess) {                             \
      printf("%s: %s\n", #call, hipGetErrorString(error_)); \
      exit(2);                                              \
    }                                                       \
  } while (0)

__global__ void vector_add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

constexpr int kTile = 16;

__global__ void lds_matmul(const float* a, const float* b, float* c, int n) {
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

constexpr int kRowThreads = 256;

__global__ void row_softmax(const float* in, float* out, int columns) {
  __shared__ float partial[kRowThreads];
  in += static_cast<size_t>(blockIdx.x) * columns;
  out += static_cast<size_t>(blockIdx.x) * columns;
  int t = threadIdx.x;
  float largest = -INFINITY, sum = 0;
  for (int i = t; i < columns; i += kRowThreads) largest = fmaxf(largest, in[i]);
  partial[t] = largest;
  __syncthreads();
  for (int step = kRowThreads / 2; step > 0; step /= 2) {
    if (t < step) partial[t] = fmaxf(partial[t], partial[t + step]);
    __syncthreads();
  }
  largest = partial[0];
  __syncthreads();
  for (int i = t; i < columns; i += kRowThreads) sum += out[i] = expf(in[i] - largest);
  partial[t] = sum;
  __syncthreads();
  for (int step = kRowThreads / 2; step > 0; step /= 2) {
    if (t < step) partial[t] += partial[t + step];
    __syncthreads();
  }
  float scale = 1 / partial[0];
  for (int i = t; i < columns; i += kRowThreads) out[i] *= scale;
}

// On a busy machine the CPU time of the process tells more than the wall's.
struct Duration {
  double wall = INFINITY, cpu = INFINITY;  // milliseconds

  void keep_least(const Duration& other) {
    wall = std::min(wall, other.wall);
    cpu = std::min(cpu, other.cpu);
  }
};

double now(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return 1e3 * time.tv_sec + 1e-6 * time.tv_nsec;
}

Duration measure(const std::function<void()>& work) {
  double wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
  work();
  return {now(CLOCK_MONOTONIC) - wall, now(CLOCK_PROCESS_CPUTIME_ID) - cpu};
}

std::vector<float> numbers(size_t count, float scale) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = scale * (static_cast<int>(i * 2654435761u >> 16 & 1023) - 511);
  return values;
}

struct Buffers {
  Buffers(std::vector<float> first, std::vector<float> second, size_t results)
      : a(std::move(first)), b(std::move(second)), c(results) {
    CHECK(hipMalloc(&da, a.size() * sizeof(float)));
    CHECK(hipMalloc(&db, b.size() * sizeof(float)));
    CHECK(hipMalloc(&dc, results * sizeof(float)));
    CHECK(hipMemcpy(da, a.data(), a.size() * sizeof(float), hipMemcpyHostToDevice));
    CHECK(hipMemcpy(db, b.data(), b.size() * sizeof(float), hipMemcpyHostToDevice));
  }
  std::vector<float> a, b, c;
  float *da, *db, *dc;
};

void compare(const char* name, int rounds, Buffers& data, double tolerance, const std::function<void()>& loop,
             const std::function<void()>& launch) {
  auto run = [&] {
    launch();
    CHECK(hipDeviceSynchronize());
  };
  Duration of_loop, of_kernel;
  for (int i = 0; i < rounds; ++i) {
    of_loop.keep_least(measure(loop));
    of_kernel.keep_least(measure(run));
  }
  std::vector<float> got(data.c.size());
  CHECK(hipMemcpy(got.data(), data.dc, got.size() * sizeof(float), hipMemcpyDeviceToHost));
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::fabs(got[i] - data.c[i]) <= tolerance * std::max(1.0f, std::fabs(data.c[i]))) continue;
    printf("%s[%zu]: got %g, expected %g\n", name, i, got[i], data.c[i]);
    exit(1);
  }
  printf("{\"name\": \"%s\", \"loop_ms\": %.4f, \"kernel_ms\": %.4f, \"loop_cpu_ms\": %.4f, \"kernel_cpu_ms\": %.4f}\n",
         name, of_loop.wall, of_kernel.wall, of_loop.cpu, of_kernel.cpu);
  fflush(stdout);
}

int main(int, char** argv) {
  int rounds = atoi(argv[1]);
  void* library = dlopen("./loops.so", RTLD_NOW);
  if (!library) {
    printf("%s\n", dlerror());
    return 2;
  }
  using Binary = void (*)(const float*, const float*, float*, int);
  auto add = reinterpret_cast<Binary>(dlsym(library, "add"));
  auto multiply = reinterpret_cast<Binary>(dlsym(library, "multiply"));
  auto softmax = reinterpret_cast<void (*)(const float*, float*, int, int)>(dlsym(library, "softmax"));
  {
    int n = 1 << 20;
    Buffers d(numbers(n, 0.5f), numbers(n, 0.25f), n);
    compare("vector add, 1 M floats", 3 * rounds, d, 0, [&] { add(d.a.data(), d.b.data(), d.c.data(), n); },
            [&] { vector_add<<<n / 256, 256>>>(d.da, d.db, d.dc, n); });
  }
  {
    int n = 512;
    Buffers d(numbers(n * n, 1), numbers(n * n, 0.125f), n * n);
    compare("matrix product through LDS, 512^3", rounds, d, 1e-4,
            [&] { multiply(d.a.data(), d.b.data(), d.c.data(), n); },
            [&] { lds_matmul<<<dim3(n / kTile, n / kTile), dim3(kTile, kTile)>>>(d.da, d.db, d.dc, n); });
  }
  {
    int rows = 1024, columns = 1024;
    Buffers d(numbers(rows * columns, 0.01f), {0}, rows * columns);
    compare("softmax of rows, 1024 x 1024", rounds, d, 1e-5, [&] { softmax(d.a.data(), d.c.data(), rows, columns); },
            [&] { row_softmax<<<rows, kRowThreads>>>(d.da, d.dc, columns); });
  }
}
