// Several devices: peer copies, work on each. Prints the PCI bus of each device, in order.
#include "check.h"

int main() {
  int count, reachable, values[2];
  HIP(hipGetDeviceCount(&count));
  std::printf("count %d buses", count);
  for (int i = 0; i < count; i++) {
    hipDeviceProp_t properties;
    HIP(hipGetDeviceProperties(&properties, i));
    std::printf(" %d", properties.pciBusID);
  }
  std::puts("");
  if (count >= 2) {
    int *first, *second;
    HIP(hipSetDevice(0));
    HIP(hipMalloc(&first, 1 << 20));
    HIP(hipMemset(first, 0, 1 << 20));
    increment<<<4, 256>>>(first, 1000);
    HIP(hipDeviceSynchronize());
    HIP(hipSetDevice(1));
    HIP(hipMalloc(&second, 1 << 20));
    HIP(hipDeviceCanAccessPeer(&reachable, 1, 0));
    EXPECT(reachable);
    HIP(hipDeviceEnablePeerAccess(0, 0));
    HIP(hipMemcpyPeer(second, 1, first, 0, 1 << 20));
    increment<<<4, 256>>>(second, 1000);
    increment<<<4, 256>>>(first, 1000);
    HIP(hipMemcpy(&values[0], second, 4, hipMemcpyDeviceToHost));
    HIP(hipMemcpy(&values[1], first, 4, hipMemcpyDeviceToHost));
    EXPECT(values[0] == 2 && values[1] == 2);
  }
  std::puts("PASS");
}
