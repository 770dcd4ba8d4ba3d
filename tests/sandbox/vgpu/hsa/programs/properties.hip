// What HIP says about the device, one "name value" a line.
#include "check.h"

int main() {
  int count;
  HIP(hipGetDeviceCount(&count));
  hipDeviceProp_t p;
  HIP(hipGetDeviceProperties(&p, 0));
  std::printf("count %d\nname %s\narch %s\ncus %d\nwarp %d\nlds %zu\nmemory %zu\nl2 %d\nthreads %d\nclock %d\n", count,
              p.name, p.gcnArchName, p.multiProcessorCount, p.warpSize, p.sharedMemPerBlock, p.totalGlobalMem,
              p.l2CacheSize, p.maxThreadsPerBlock, p.clockRate);
  std::printf("bus %d\ncooperative %d\nmanaged %d\npci %x\nuuid %.16s\n", p.memoryBusWidth, p.cooperativeLaunch,
              p.managedMemory, p.pciBusID, p.uuid.bytes);
}
