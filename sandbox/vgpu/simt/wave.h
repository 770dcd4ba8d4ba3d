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
  const DispatchRun* run = nullptr;
};

enum class WaveStatus : uint8_t {
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
  const Workgroup* workgroup = nullptr;
  WaveStatus status = WaveStatus::kEnded;

  static Wave* of(w2w_wave* state) { return reinterpret_cast<Wave*>(state); }
};

struct Workgroup {
  GroupShape shape;
  LdsBuffer lds;
  std::vector<std::unique_ptr<Wave>> waves;
  uint32_t live = 0;     // waves that have not ended
  uint32_t waiting = 0;  // of these, at the barrier
};

// Leave the running wave; its runner continues.
void switch_to_runner(Wave& wave);
// Run a wave until it leaves. The first time from its entry.
void switch_to_wave(Runner& runner, Wave& wave);

}  // namespace w2w::simt
