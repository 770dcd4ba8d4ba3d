// More live allocations than the system has mappings for two each; half are freed, and others take their place.
#include "check.h"

int main() {
  constexpr int kCount = 50000;
  constexpr size_t kBytes = 512;
  std::vector<unsigned char*> data(kCount);
  for (int i = 0; i < kCount; ++i) {
    HIP(hipMalloc(&data[i], kBytes));
    if (i % 50 == 0) HIP(hipMemset(data[i], i / 50 % 256, kBytes));
  }
  for (int i = 1; i < kCount; i += 2) HIP(hipFree(data[i]));
  for (int i = 1; i < kCount; i += 4) HIP(hipMalloc(&data[i], kBytes));
  HIP(hipMemset(data[1], 77, kBytes));
  unsigned char host[kBytes];
  for (int i = 0; i < kCount; i += 50) {
    HIP(hipMemcpy(host, data[i], kBytes, hipMemcpyDeviceToHost));
    for (unsigned char byte : host) EXPECT(byte == i / 50 % 256);
  }
  for (int i = 0; i < kCount; ++i) {
    if (i % 4 != 3) HIP(hipFree(data[i]));
  }
  puts("PASS");
}
