#include "hsa/device_table.h"

#include <cstring>

namespace w2w::hsa {
namespace {

constexpr uint32_t kKiB = 1u << 10, kMiB = 1u << 20;
constexpr uint64_t kGiB = 1ull << 30;

// Compute units, XCCs, LDS, caches and memory: https://rocm.docs.amd.com/en/latest/reference/gpu-specs.html
// (rows MI300X and MI350X). SIMDs and wave slots: the same page and llvm/lib/Target/AMDGPU/Utils/AMDGPUBaseInfo.cpp.
// ELF machines and generic versions: https://llvm.org/docs/AMDGPUUsage.html (ELF Code Object).
// MI300X clocks: CDNA 3 white paper, and 1300 MHz x 8192 bit from ROCm/rocm-libraries origami gfx942_cdna3.json.
// MI350X clocks: AMD Instinct MI350X data sheet (2200 MHz; 8 Gbit/s HBM3E on 8192 bit = 2000 MHz).
// Four shader engines an XCC: CDNA 3 white paper. The timestamp counter runs at 100 MHz on both.
// clang-format off: a row a part
constexpr DeviceTraits kDevices[] = {
    {"gfx942", "AMD Instinct MI300X (virtual)", 0x74a1, 0x4c, "gfx9-4-generic", 0x5f, 1,
     304, 8, 32, 4, 32, 64, 1024, 64 * kKiB,
     192 * kGiB, 8192, 1300, 2100, 128, {32 * kKiB, 4 * kMiB, 256 * kMiB, 0},
     100'000'000},
    {"gfx950", "AMD Instinct MI350X (virtual)", 0x75a0, 0x4f, "gfx9-4-generic", 0x5f, 1,
     256, 8, 32, 4, 32, 64, 1024, 160 * kKiB,
     288 * kGiB, 8192, 2000, 2200, 128, {32 * kKiB, 4 * kMiB, 256 * kMiB, 0},
     100'000'000},
};
// clang-format on

}  // namespace

const DeviceTraits* find_device(const char* target) {
  for (const DeviceTraits& device : kDevices)
    if (!std::strcmp(device.target, target)) return &device;
  return nullptr;
}

const char* known_targets() { return "gfx942, gfx950"; }

}  // namespace w2w::hsa
