// A kernel with 3 KiB of arguments, repeated events, queries in a loop, 256 MiB copies timed by events.
#include "check.h"

struct Large {
  char bytes[3000];
  int n;
};
__global__ void last(Large large, int* out) { *out = large.n; }

int main() {
  int *data, back = 0;
  HIP(hipMalloc(&data, 4));
  Large large = {};
  large.n = 77;
  last<<<1, 1>>>(large, data);
  HIP(hipMemcpy(&back, data, 4, hipMemcpyDeviceToHost));
  EXPECT(back == 77);

  hipStream_t stream;
  hipEvent_t event, start;
  HIP(hipStreamCreate(&stream));
  HIP(hipEventCreate(&event));
  HIP(hipEventCreate(&start));
  HIP(hipMemset(data, 0, 4));
  for (int i = 0; i < 300; i++) {
    increment<<<1, 1, 0, stream>>>(data, 1);
    HIP(hipEventRecord(event, stream));
    while (hipEventQuery(event) == hipErrorNotReady) {
    }
    HIP(hipStreamWaitEvent(0, event, 0));
    increment<<<1, 1>>>(data, 1);
  }
  HIP(hipDeviceSynchronize());
  HIP(hipMemcpy(&back, data, 4, hipMemcpyDeviceToHost));
  EXPECT(back == 600);

  constexpr size_t bytes = 256 << 20;
  char* big;
  float milliseconds;
  std::vector<char> host(bytes, 1);
  HIP(hipMalloc(&big, bytes));
  HIP(hipEventRecord(start, 0));
  HIP(hipMemcpy(big, host.data(), bytes, hipMemcpyHostToDevice));
  HIP(hipEventRecord(event, 0));
  HIP(hipEventSynchronize(event));
  HIP(hipEventElapsedTime(&milliseconds, start, event));
  EXPECT(milliseconds > 0);
  hipArray_t array;
  hipChannelFormatDesc format = hipCreateChannelDesc<float>();
  EXPECT(hipMallocArray(&array, &format, 64, 64) != hipSuccess);  // no images on CDNA
  std::puts("PASS");
}
