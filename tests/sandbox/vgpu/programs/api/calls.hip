// Launches by every interface, limits, errors, pitched and strided copies, streams of threads and of parts of the device.
#include <hip/hip_ext.h>

#include <thread>

#include "check.h"

__global__ void fill(int* data, size_t pitch, int width, int height, int x) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column < width && row < height) {
    reinterpret_cast<int*>(reinterpret_cast<char*>(data) + row * pitch)[column] = x + row * width + column;
  }
}

__global__ void add(int* data, int n, int x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += x;
}

constexpr int kWidth = 37, kHeight = 19, kCount = 1000;

std::vector<int> image(int x) {
  std::vector<int> out(kWidth * kHeight);
  for (size_t i = 0; i < out.size(); ++i) out[i] = x + static_cast<int>(i);
  return out;
}

void pitched() {
  int *data, *second;
  size_t pitch, other;
  CHECK(hipMallocPitch(reinterpret_cast<void**>(&data), &pitch, kWidth * sizeof(int), kHeight));
  CHECK(hipMallocPitch(reinterpret_cast<void**>(&second), &other, kWidth * sizeof(int), kHeight));
  fill<<<dim3(3, 3), dim3(16, 8)>>>(data, pitch, kWidth, kHeight, 5);
  CHECK(hipMemcpy2DAsync(second, other, data, pitch, kWidth * sizeof(int), kHeight, hipMemcpyDeviceToDevice, nullptr));
  std::vector<int> host(kWidth * kHeight);
  CHECK(hipMemcpy2D(host.data(), kWidth * sizeof(int), second, other, kWidth * sizeof(int), kHeight,
                    hipMemcpyDeviceToHost));
  expect_equal("pitched", host, image(5));
  hipMemcpy3DParms copy{};
  copy.srcPtr = make_hipPitchedPtr(data, pitch, kWidth * sizeof(int), kHeight);
  copy.dstPtr = make_hipPitchedPtr(host.data(), kWidth * sizeof(int), kWidth * sizeof(int), kHeight);
  copy.extent = make_hipExtent(kWidth * sizeof(int), kHeight, 1);
  copy.kind = hipMemcpyDeviceToHost;
  std::fill(host.begin(), host.end(), 0);
  CHECK(hipMemcpy3D(&copy));
  expect_equal("box", host, image(5));
  hipDeviceptr_t base;
  size_t size;
  CHECK(hipMemGetAddressRange(&base, &size, reinterpret_cast<char*>(data) + 3 * pitch));
  expect_equal("address range", std::vector<int>{base == data, size >= pitch * kHeight}, {1, 1});
  CHECK(hipFree(data));
  CHECK(hipFree(second));
}

void launches() {
  DeviceVector<int> data(std::vector<int>(kCount, 0));
  int n = kCount, x = 1;
  void* arguments[] = {&data.data, &n, &x};
  const void* kernel = reinterpret_cast<const void*>(add);
  CHECK(hipLaunchKernel(kernel, dim3(4), dim3(256), arguments, 0, nullptr));
  hipLaunchConfig_t configuration{};
  configuration.gridDim = dim3(4);
  configuration.blockDim = dim3(256);
  CHECK(hipLaunchKernelExC(&configuration, kernel, arguments));
  hipEvent_t start, stop;
  CHECK(hipEventCreate(&start));
  CHECK(hipEventCreate(&stop));
  CHECK(hipExtLaunchKernel(kernel, dim3(4), dim3(256), arguments, 0, nullptr, start, stop, 0));
  CHECK(hipEventSynchronize(stop));
  float milliseconds = -1;
  CHECK(hipEventElapsedTime(&milliseconds, start, stop));
  hipFunction_t function;
  CHECK(hipGetFuncBySymbol(&function, kernel));
  CHECK(hipModuleLaunchKernel(function, 4, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr));
  hipLaunchKernelGGL(add, dim3(4), dim3(256), 0, nullptr, data.data, kCount, 1);
  expect_equal("five launches", data.host(), std::vector<int>(kCount, 5));
  expect_equal("time of a launch", std::vector<int>{milliseconds >= 0}, {1});
}

void errors() {
  DeviceVector<int> data(kCount);
  add<<<dim3(4), dim3(2000)>>>(data.data, kCount, 1);
  expect_equal("block too large", std::vector<int>{hipPeekAtLastError() != hipSuccess, hipGetLastError() != hipSuccess,
                                                   hipGetLastError()}, {1, 1, 0});
  add<<<0, 256>>>(data.data, kCount, 1);
  expect_equal("empty grid", std::vector<int>{hipGetLastError() != hipSuccess}, {1});
  add<<<1, 64, 1 << 20>>>(data.data, kCount, 1);
  expect_equal("too much LDS", std::vector<int>{hipGetLastError() != hipSuccess}, {1});
  expect_equal("no such device", std::vector<int>{hipSetDevice(7)}, {hipErrorInvalidDevice});
  expect_equal("null copy", std::vector<int>{hipMemcpy(nullptr, data.data, 4, hipMemcpyDeviceToHost) != hipSuccess}, {1});
  int* block;
  CHECK(hipMalloc(&block, 4000));
  CHECK(hipFree(block));
  expect_equal("freed twice", std::vector<int>{hipFree(block)}, {hipErrorInvalidValue});
  (void)hipGetLastError();
}

void parts_of_the_device() {
  uint32_t mask[10] = {0xFF};
  hipStream_t stream;
  CHECK(hipExtStreamCreateWithCUMask(&stream, 10, mask));
  DeviceVector<int> data(std::vector<int>(kCount, 1));
  add<<<4, 256, 0, stream>>>(data.data, kCount, 2);
  CHECK(hipStreamSynchronize(stream));
  expect_equal("a stream of 8 compute units", data.host(), std::vector<int>(kCount, 3));
  CHECK(hipStreamDestroy(stream));
}

void streams_of_threads() {
  DeviceVector<int> data(std::vector<int>(4 * kCount, 0));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&data, t] {
      for (int i = 0; i < 25; ++i) add<<<4, 256, 0, hipStreamPerThread>>>(data.data + t * kCount, kCount, t);
      CHECK(hipStreamSynchronize(hipStreamPerThread));
    });
  }
  for (auto& thread : threads) thread.join();
  const auto host = data.host();
  expect_equal("a stream a thread", std::vector<int>{host[0], host[1999], host[2000], host[3999]}, {0, 25, 50, 75});
}

__global__ void take_a_lot(int* out) {
  int* bytes = static_cast<int*>(malloc(16 << 20));  // more than a small heap holds
  out[0] = bytes != nullptr;
  free(bytes);
}

void limits() {
  size_t size = 0;
  CHECK(hipDeviceGetLimit(&size, hipLimitMallocHeapSize));
  expect_equal("heap", std::vector<int>{size >= 4 << 20}, {1});
  CHECK(hipDeviceSetLimit(hipLimitStackSize, 8192));
  CHECK(hipDeviceGetLimit(&size, hipLimitStackSize));
  expect_equal("stack", std::vector<size_t>{size}, {8192});
  DeviceVector<int> out(1);
  take_a_lot<<<1, 1>>>(out.data);
  const int got = out.host()[0];
  expect_equal("a large block of device memory", std::vector<int>{got == 0 || got == 1}, {1});
}

void by_name() {
  void* function = nullptr;
  int version = 0;
  hipDriverProcAddressQueryResult status;
  CHECK(hipRuntimeGetVersion(&version));
  CHECK(hipGetProcAddress("hipGetDeviceCount", &function, version / 100000, 0, &status));
  int count = 0;
  CHECK(reinterpret_cast<hipError_t (*)(int*)>(function)(&count));
  expect_equal("by name", std::vector<int>{count, status}, {1, 0});
}

int main() {
  pitched();
  launches();
  errors();
  parts_of_the_device();
  streams_of_threads();
  limits();
  by_name();
}
