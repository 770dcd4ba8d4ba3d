// The limits of the parts that the engine stands for.
#pragma once
#include <cstdint>

namespace w2w::simt {

constexpr uint32_t kLanes = 64;
constexpr uint32_t kMaxWorkItems = 1024;  // of a work-group

struct Target {
  const char* name;
  uint32_t compute_units;
  uint32_t waves_per_unit;
  uint32_t lds_bytes;  // most that one work-group can have

  uint32_t resident_waves() const { return compute_units * waves_per_unit; }
};

// MI300X and MI355X. Null for an unknown name.
const Target* find_target(const char* name);

// Of any part: what LDS buffers are made for.
constexpr uint32_t kMaxLdsBytes = 160 << 10;

}  // namespace w2w::simt
