// Milliseconds of the first calls of a process, one "name value" a line.
#include "check.h"

static std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
static void lap(const char* name) {
  std::printf("%s %.1f\n", name, milliseconds_since(start));
  start = std::chrono::steady_clock::now();
}

int main() {
  int count, value = 0, *data;
  start = std::chrono::steady_clock::now();
  HIP(hipGetDeviceCount(&count));
  lap("hipGetDeviceCount");
  HIP(hipMalloc(&data, 4));
  lap("hipMalloc");
  HIP(hipMemcpy(data, &value, 4, hipMemcpyHostToDevice));
  lap("hipMemcpy");
  increment<<<1, 64>>>(data, 1);
  lap("launch");
  HIP(hipDeviceSynchronize());
  lap("synchronize");
  HIP(hipMemset(data, 0, 4));
  lap("hipMemset");
  HIP(hipMemcpy(&value, data, 4, hipMemcpyDeviceToHost));
  lap("hipMemcpy back");
}
