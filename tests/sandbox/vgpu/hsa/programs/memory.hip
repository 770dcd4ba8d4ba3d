// Copies of many sizes (blit kernels, copy engine, staged and pinned), fills, pitched and 3D memory, limits.
#include "check.h"

static void round_trip(size_t n) {
  std::vector<unsigned char> sent(n), back(n);
  for (size_t i = 0; i < n; i++) sent[i] = static_cast<unsigned char>(i * 7 + 3);
  char *first, *second;
  HIP(hipMalloc(&first, n));
  HIP(hipMalloc(&second, n));
  HIP(hipMemcpy(first, sent.data(), n, hipMemcpyHostToDevice));
  HIP(hipMemcpy(second, first, n, hipMemcpyDeviceToDevice));
  HIP(hipMemcpy(back.data(), second, n, hipMemcpyDeviceToHost));
  EXPECT(back == sent);
  HIP(hipMemset(first, 0x5a, n));
  HIP(hipMemcpy(back.data(), first, n, hipMemcpyDeviceToHost));
  for (unsigned char byte : back) EXPECT(byte == 0x5a);
  HIP(hipFree(first));
  HIP(hipFree(second));
}

static void pitched(size_t width) {
  constexpr size_t height = 50;
  std::vector<char> sent(width * height), back(width * height);
  for (size_t i = 0; i < sent.size(); i++) sent[i] = static_cast<char>(i);
  char *first, *second;
  size_t pitch, second_pitch;
  HIP(hipMallocPitch(reinterpret_cast<void**>(&first), &pitch, width, height));
  HIP(hipMallocPitch(reinterpret_cast<void**>(&second), &second_pitch, width, height));
  EXPECT(pitch >= width && pitch % 128 == 0);
  HIP(hipMemcpy2D(first, pitch, sent.data(), width, width, height, hipMemcpyHostToDevice));
  HIP(hipMemcpy2D(second, second_pitch, first, pitch, width, height, hipMemcpyDeviceToDevice));
  HIP(hipMemcpy2D(back.data(), width, second, second_pitch, width, height, hipMemcpyDeviceToHost));
  EXPECT(back == sent);
  HIP(hipMemset2D(first, pitch, 7, width, height));
  HIP(hipMemcpy2D(back.data(), width, first, pitch, width, height, hipMemcpyDeviceToHost));
  for (char byte : back) EXPECT(byte == 7);
}

static void three_dimensional() {
  hipExtent extent = make_hipExtent(64, 32, 16);
  hipPitchedPtr device;
  HIP(hipMalloc3D(&device, extent));
  std::vector<char> sent(64 * 32 * 16), back(sent.size());
  for (size_t i = 0; i < sent.size(); i++) sent[i] = static_cast<char>(i * 13);
  hipMemcpy3DParms copy = {};
  copy.srcPtr = make_hipPitchedPtr(sent.data(), 64, 64, 32);
  copy.dstPtr = device;
  copy.extent = extent;
  copy.kind = hipMemcpyHostToDevice;
  HIP(hipMemcpy3D(&copy));
  copy = {};
  copy.srcPtr = device;
  copy.dstPtr = make_hipPitchedPtr(back.data(), 64, 64, 32);
  copy.extent = extent;
  copy.kind = hipMemcpyDeviceToHost;
  HIP(hipMemcpy3D(&copy));
  EXPECT(back == sent);
}

static void pinned() {
  constexpr size_t bytes = 32 << 20;
  hipStream_t stream;
  HIP(hipStreamCreate(&stream));
  int *host, *device;
  HIP(hipHostMalloc(reinterpret_cast<void**>(&host), bytes));
  HIP(hipMalloc(&device, bytes));
  std::memset(host, 1, bytes);
  HIP(hipMemcpyAsync(device, host, bytes, hipMemcpyHostToDevice, stream));
  HIP(hipMemsetAsync(device, 2, 4, stream));
  HIP(hipMemcpyAsync(host, device, bytes, hipMemcpyDeviceToHost, stream));
  HIP(hipStreamSynchronize(stream));
  EXPECT(host[0] == 0x02020202 && host[1] == 0x01010101 && host[bytes / 4 - 1] == 0x01010101);
}

static size_t resident_mib() {
  size_t pages = 0, ignored;
  FILE* file = std::fopen("/proc/self/statm", "r");
  EXPECT(file && std::fscanf(file, "%zu %zu", &ignored, &pages) == 2);
  std::fclose(file);
  return pages >> 8;
}

static void freed_memory_returns() {
  const size_t before = resident_mib();
  for (int i = 0; i < 10; i++) {
    char* data;
    HIP(hipMalloc(&data, 32 << 20));
    HIP(hipMemset(data, 1, 32 << 20));
    HIP(hipFree(data));
  }
  EXPECT(resident_mib() < before + 70);
}

static void limits() {
  size_t free_bytes, total;
  void* pointer;
  HIP(hipMemGetInfo(&free_bytes, &total));
  EXPECT(free_bytes <= total && total >= size_t{190} << 30);
  EXPECT(hipMalloc(&pointer, size_t{1} << 45) == hipErrorOutOfMemory);
  EXPECT(hipMalloc(&pointer, total + 4096) == hipErrorOutOfMemory);
  HIP(hipMalloc(&pointer, size_t{100} << 30));  // reserves addresses, not the host's memory
  HIP(hipMemset(static_cast<char*>(pointer) + (size_t{99} << 30), 1, 1 << 20));
  size_t less;
  HIP(hipMemGetInfo(&less, &total));
  EXPECT(free_bytes - less >= size_t{100} << 30);
  EXPECT(hipMalloc(&pointer, size_t{200} << 30) == hipErrorOutOfMemory);
}

int main() {
  for (size_t n : {1ul, 3ul, 4096ul, 16384ul, 16385ul, 100000ul, 1ul << 20, (1ul << 20) + 7, (33ul << 20) + 13})
    round_trip(n);
  for (size_t width : {size_t{100}, size_t{99}}) pitched(width);  // rectangles of words and of bytes
  freed_memory_returns();
  three_dimensional();
  pinned();
  int* words;
  int back[100];
  HIP(hipMalloc(&words, sizeof back));
  HIP(hipMemsetD32(reinterpret_cast<hipDeviceptr_t>(words), 0x12345678, 100));
  HIP(hipMemcpy(back, words, sizeof back, hipMemcpyDeviceToHost));
  for (int word : back) EXPECT(word == 0x12345678);
  hipPointerAttribute_t attributes;
  HIP(hipPointerGetAttributes(&attributes, words));
  EXPECT(attributes.type == hipMemoryTypeDevice && attributes.device == 0);
  limits();
  std::puts("PASS");
}
