// One wavefront that runs, one work-group of them, and the thread that runs both.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "common/fibre.h"
#include "simt/allocation_ranges.h"
#include "simt/grid.h"
#include "simt/lane_locks.h"
#include "simt/lds_shadow.h"
#include "simt/memory.h"
#include "simt/wave_state.h"

namespace w2w::simt {

struct DispatchRun;
struct Wave;
struct Workgroup;

// A thread while it runs waves: where they switch back to, and which one is on the CPU.
struct Runner {
  void* stack_pointer = nullptr;
  Wave* running = nullptr;
  uint32_t ended = 0;  // waves since the thread last switched to one
  const DispatchRun* run = nullptr;
  AllocationRanges ranges;  // that its waves used lately; only with checks
};

enum class WaveStatus : uint8_t {
  kFresh,  // has not begun
  kReady,
  kYielded,  // gave up its turn; ready in the next round
  kBarrier,
  kEnded,
};

// w2w_wave comes first: generated code hands its address back to the engine.
struct alignas(64) Wave {
  Wave();  // throws std::bad_alloc

  w2w_wave state;
  FibreStack stack;
  ScratchBuffer scratch;
  void* stack_pointer = nullptr;
  Runner* runner = nullptr;
  // What `state.v0` holds: work-item ids of the wave `ids_of` of a group of this size.
  uint32_t ids_size[3] = {};
  uint32_t ids_of = 0;
  Workgroup* workgroup = nullptr;
  uint32_t position = 0;  // in the group
  int32_t (*entry)(w2w_wave*) = nullptr;
  LdsShadow* lds_shadow = nullptr;  // of its work-group; only with checks
  unsigned number = 0;              // in its work-group
  uint8_t undefined_origin = 0;     // an Origin, see checks.h
  LaneLocks lane_locks;             // only with checks
  uint64_t undefined_pc = 0;        // of the instruction there
  WaveStatus status = WaveStatus::kEnded;

  bool can_run() const { return status == WaveStatus::kFresh || status == WaveStatus::kReady; }
  static Wave* of(w2w_wave* state) { return reinterpret_cast<Wave*>(state); }
};

struct Workgroup {
  GroupShape shape;
  LdsBuffer lds;
  LdsShadow lds_shadow;  // only with checks
  uint64_t number = 0;   // in its dispatch, x fastest
  uint32_t barriers = 0;  // that its waves passed
  std::vector<std::unique_ptr<Wave>> waves;
  uint32_t begun = 0;    // waves that are not fresh; they begin in order
  uint32_t live = 0;     // waves that have not ended
  uint32_t waiting = 0;  // of these, at the barrier
};

// Leave the running wave; its runner continues.
void switch_to_runner(Wave& wave);
// Leave the running wave for another one of its runner's.
void switch_waves(Wave& from, Wave& to);
// Run a wave, and those that it leaves the thread to, until one leaves it to the runner: that one.
Wave& switch_to_wave(Runner& runner, Wave& wave);

}  // namespace w2w::simt
