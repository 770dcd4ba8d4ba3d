// hiprtc, modules, symbols, occupancy and attributes of functions, cooperative launches and their limits.
#include <hip/hip_cooperative_groups.h>
#include <hip/hiprtc.h>

#include <string>

#include "check.h"

#define CHECK_RTC(call)                                        \
  do {                                                         \
    hiprtcResult error_ = (call);                              \
    if (error_ != HIPRTC_SUCCESS) {                            \
      printf("%s: %s\n", #call, hiprtcGetErrorString(error_)); \
      exit(2);                                                 \
    }                                                          \
  } while (0)

__device__ int table[100];
__constant__ float factor = 0.5f;

__global__ void use(float* out) { out[threadIdx.x] = table[threadIdx.x] * factor; }

__global__ void grid_sum(int* data, int* out) {
  auto grid = cooperative_groups::this_grid();
  atomicAdd(&data[0], static_cast<int>(grid.thread_rank()));
  grid.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = data[0];
}

__global__ __launch_bounds__(128) void bounded(int* out) {
  extern __shared__ int scratch[];
  scratch[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = scratch[blockDim.x - 1 - threadIdx.x];
}

const char* const kSource = R"(
#include "scale.h"
__device__ int offset = 7;
template <typename T, int kFactor>
__global__ void scale(T* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = scaled<T>(data[i]) * kFactor + offset + SHIFT;
}
)";

constexpr int kCount = 1000;

void compiled_at_run_time() {
  const char* header = "template <typename T> __device__ T scaled(T x) { return x * 2; }";
  const char* header_name = "scale.h";
  hiprtcProgram program;
  CHECK_RTC(hiprtcCreateProgram(&program, kSource, "scale.hip", 1, &header, &header_name));
  CHECK_RTC(hiprtcAddNameExpression(program, "scale<int, 3>"));
  CHECK_RTC(hiprtcAddNameExpression(program, "&offset"));
  hipDeviceProp_t properties;
  CHECK(hipGetDeviceProperties(&properties, 0));
  const std::string target = std::string("--offload-arch=") + properties.gcnArchName;
  const char* options[] = {target.c_str(), "-DSHIFT=100"};
  CHECK_RTC(hiprtcCompileProgram(program, 2, options));
  const char *kernel_name, *offset_name;
  CHECK_RTC(hiprtcGetLoweredName(program, "scale<int, 3>", &kernel_name));
  CHECK_RTC(hiprtcGetLoweredName(program, "&offset", &offset_name));
  size_t size;
  CHECK_RTC(hiprtcGetCodeSize(program, &size));
  std::string code(size, '\0');
  CHECK_RTC(hiprtcGetCode(program, code.data()));
  hipModule_t module;
  CHECK(hipModuleLoadData(&module, code.data()));
  hipFunction_t scale;
  CHECK(hipModuleGetFunction(&scale, module, kernel_name));
  hipDeviceptr_t offset;
  CHECK(hipModuleGetGlobal(&offset, &size, module, offset_name));
  int value = 1;
  CHECK(hipMemcpyHtoD(offset, &value, sizeof value));
  DeviceVector<int> data(std::vector<int>(kCount, 5));
  struct {
    int* data;
    int n;
  } arguments{data.data, kCount};
  size_t bytes = sizeof arguments;
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &arguments, HIP_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   HIP_LAUNCH_PARAM_END};
  CHECK(hipModuleLaunchKernel(scale, 4, 1, 1, 256, 1, 1, 0, nullptr, nullptr, extra));
  CHECK(hipDeviceSynchronize());
  expect_equal("hiprtc", data.host(), std::vector<int>(kCount, 131));
  CHECK(hipModuleUnload(module));
  CHECK_RTC(hiprtcDestroyProgram(&program));

  CHECK_RTC(hiprtcCreateProgram(&program, "__global__ void broken() { nonsense; }", "broken.hip", 0, nullptr, nullptr));
  expect_equal("does not compile", std::vector<int>{hiprtcCompileProgram(program, 1, options)},
               {HIPRTC_ERROR_COMPILATION});
  CHECK_RTC(hiprtcGetProgramLogSize(program, &size));
  std::string log(size, '\0');
  CHECK_RTC(hiprtcGetProgramLog(program, log.data()));
  expect_equal("log", std::vector<int>{log.find("nonsense") != std::string::npos}, {1});
}

void symbols() {
  std::vector<int> values(100);
  for (int i = 0; i < 100; ++i) values[i] = i;
  CHECK(hipMemcpyToSymbol(HIP_SYMBOL(table), values.data(), 60 * sizeof(int)));
  CHECK(hipMemcpyToSymbolAsync(HIP_SYMBOL(table), values.data() + 60, 40 * sizeof(int), 60 * sizeof(int),
                               hipMemcpyHostToDevice, nullptr));
  const float third = 3;
  CHECK(hipMemcpyToSymbol(HIP_SYMBOL(factor), &third, sizeof third));
  DeviceVector<float> out(100);
  use<<<1, 100>>>(out.data);
  std::vector<float> expected(100);
  for (int i = 0; i < 100; ++i) expected[i] = 3.0f * i;
  expect_equal("symbols", out.host(), expected);
  size_t size;
  CHECK(hipGetSymbolSize(&size, HIP_SYMBOL(table)));
  expect_equal("symbol size", std::vector<size_t>{size}, {400});
  int part[10];
  CHECK(hipMemcpyFromSymbol(part, HIP_SYMBOL(table), sizeof part, 50 * sizeof(int)));
  expect_equal("from symbol", std::vector<int>{part[0], part[9]}, {50, 59});
}

void cooperative() {
  hipDeviceProp_t properties;
  CHECK(hipGetDeviceProperties(&properties, 0));
  int per_unit = 0;
  CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&per_unit, grid_sum, 128, 0));
  DeviceVector<int> data(std::vector<int>{0}), out(33);
  void* arguments[] = {&data.data, &out.data};
  void* const kernel = reinterpret_cast<void*>(grid_sum);
  CHECK(hipLaunchCooperativeKernel(kernel, dim3(33), dim3(128), arguments, 0, nullptr));
  expect_equal("grid sum", out.host(), std::vector<int>(33, 33 * 128 * (33 * 128 - 1) / 2));
  const dim3 too_many(per_unit * properties.multiProcessorCount + 1);
  expect_equal("too large",
               std::vector<int>{hipLaunchCooperativeKernel(kernel, too_many, dim3(128), arguments, 0, nullptr)},
               {hipErrorCooperativeLaunchTooLarge});
  (void)hipGetLastError();
}

void attributes() {
  hipFuncAttributes attributes;
  CHECK(hipFuncGetAttributes(&attributes, reinterpret_cast<const void*>(bounded)));
  expect_equal("most threads", std::vector<int>{attributes.maxThreadsPerBlock}, {128});
  int blocks = 0, threads = 0;
  CHECK(hipOccupancyMaxPotentialBlockSize(&blocks, &threads, bounded, 0, 100));
  expect_equal("block size", std::vector<int>{threads % 64, threads > 0, blocks > 0}, {0, 1, 1});
  DeviceVector<int> out(128);
  bounded<<<1, 256, 1024>>>(out.data);
  expect_equal("too many threads", std::vector<int>{hipGetLastError() != hipSuccess}, {1});
  bounded<<<1, 128, 512>>>(out.data);
  CHECK(hipGetLastError());
  std::vector<int> reversed(128);
  for (int i = 0; i < 128; ++i) reversed[i] = 127 - i;
  expect_equal("dynamic LDS", out.host(), reversed);
}

int main() {
  compiled_at_run_time();
  symbols();
  cooperative();
  attributes();
}
