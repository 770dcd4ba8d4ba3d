// What the environment asks of this runtime, read once.
//
// W2W_TARGET            gfx942 (default) or gfx950
// W2W_DEVICES           number of agents, 1 (default) to 16
// W2W_MEMORY_GB         largest single allocation in GiB, so that a program meets hipErrorOutOfMemory before it meets
//                       the sandbox's memory limit; the agents still report the real part's memory
// W2W_EMULATE_BLIT      1: the engine also runs ROCclr's own copy and fill kernels (see blit.h)
// ROCR_VISIBLE_DEVICES  as AMD's ROCr reads it: list of numbers or GPU-<uuid>, ends at the first that is not there
// HSA_XNACK             1: agents are xnack+ and reach pageable memory
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "hsa/device_table.h"

namespace w2w::hsa {

struct Settings {
  const DeviceTraits* device;
  std::vector<uint32_t> visible;  // numbers of the devices that become agents, in order
  uint64_t allocation_limit;      // bytes
  bool emulate_blit;
  bool xnack;
};

// Ends the process with a report if a variable has a value that it cannot have.
const Settings& settings();

// "GPU-5732570000000000": stable, one a device number.
std::string device_uuid(uint32_t number);

}  // namespace w2w::hsa
