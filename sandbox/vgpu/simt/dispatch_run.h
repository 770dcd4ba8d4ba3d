// One dispatch in progress: what all threads that work on it share.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>

#include "simt/counting.h"
#include "simt/dispatch.h"
#include "simt/grid.h"
#include "simt/kernel_descriptor.h"
#include "simt/kernel_table.h"
#include "simt/target.h"

namespace w2w::simt {

struct DispatchRun {
  DispatchRun(const Dispatch& dispatch, const Target& target, Kernel& kernel);

  const Dispatch& dispatch;
  const Target& target;
  Kernel& kernel;
  const KernelFunction function;  // the same for all waves, also where better code comes meanwhile
  KernelFunction light_function = nullptr;  // with fewer checks, for most work-groups of a large dispatch
  const KernelDescriptor descriptor;
  const Grid grid;
  const uint32_t lds_bytes;
  const uint64_t scratch_stride;  // bytes a work-item
  DispatchPointers pointers;
  DispatchCounts counts;
  const Clock::time_point started = Clock::now();
  const uint64_t number = next_number();  // of the dispatch in this process, from 1 on

  // Number of the next group to start, if one is left and the part has room for its waves (or runs none).
  bool admit(uint64_t* group);
  void retire_group();
  // Work-groups of one kernel mostly do the same: of many, the first and the last are looked at closely.
  bool is_large() const { return grid.groups() > kFirstGroups + kLastGroups; }
  bool is_light(uint64_t group) const {
    return light_function && group >= kFirstGroups && group < grid.groups() - kLastGroups;
  }
  bool all_admitted() const { return next_group.load(std::memory_order_relaxed) >= grid.groups(); }
  // Some wave ended, passed a barrier or started: the dispatch is not stuck. Cheap, and lossy: only that it changes
  // counts.
  void note_progress() { progress.store(progress.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }

  std::atomic<uint64_t> next_group{0};
  std::atomic<uint64_t> resident_groups{0};
  std::atomic<uint64_t> progress{0};
  std::atomic<bool> livelock_reported{false};

 private:
  static uint64_t next_number();
  static constexpr uint64_t kFirstGroups = 12, kLastGroups = 4;
  const uint64_t max_resident_groups_;
};

}  // namespace w2w::simt
