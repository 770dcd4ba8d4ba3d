// Figures of the device that the virtual one stands for: an NVIDIA H200 (GH100, compute capability 9.0). Sources: what
// an H200 answers, and the CUDA C++ Programming Guide's technical specifications per compute capability. More of them
// are in tables/device_attributes.inc.
#pragma once
#include <cstddef>

namespace w2w::cudart::device {

constexpr int kMajor = 9, kMinor = 0;
constexpr int kMultiprocessors = 132;
constexpr int kWarpSize = 32;
constexpr int kMaxThreadsPerBlock = 1024;
constexpr int kMaxBlockX = 1024, kMaxBlockY = 1024, kMaxBlockZ = 64;
constexpr int kMaxGridX = 2147483647, kMaxGridY = 65535, kMaxGridZ = 65535;
constexpr int kMaxThreadsPerMultiprocessor = 2048;
constexpr int kMaxBlocksPerMultiprocessor = 32;
constexpr int kRegistersPerMultiprocessor = 65536;
constexpr int kRegistersPerBlock = 65536;
constexpr int kRegisterAllocation = 256;  // registers of a warp are allocated in these units
constexpr size_t kSharedPerBlock = 48 << 10;
constexpr size_t kSharedPerBlockOptin = 227 << 10;
constexpr size_t kSharedPerMultiprocessor = 228 << 10;
constexpr size_t kReservedSharedPerBlock = 1 << 10;
constexpr size_t kConstantMemory = 64 << 10;
constexpr int kRuntimeVersion = 13050;
constexpr int kDriverVersion = 13000;
constexpr size_t kPitchAlignment = 512;

}  // namespace w2w::cudart::device
