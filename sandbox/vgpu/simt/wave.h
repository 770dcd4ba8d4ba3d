// One wavefront that runs, one work-group of them, and the thread that runs both.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "common/fibre.h"
#include "simt/grid.h"
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
  WaveStatus status = WaveStatus::kEnded;

  bool can_run() const { return status == WaveStatus::kFresh || status == WaveStatus::kReady; }
  static Wave* of(w2w_wave* state) { return reinterpret_cast<Wave*>(state); }
};

struct Workgroup {
  GroupShape shape;
  LdsBuffer lds;
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
