#include "simt/wave.h"

#include <cstddef>

namespace w2w::simt {
namespace {

// Kernels hold 512 vector registers of 256 bytes and temporaries in their frames, and called functions more. Only
// touched pages cost memory.
constexpr size_t kStackBytes = 8 << 20;

}  // namespace

static_assert(offsetof(Wave, state) == 0, "Wave::of relies on it");

Wave::Wave() : state(), stack(kStackBytes) {}

void switch_to_runner(Wave& wave) { w2w_fibre_switch(&wave.stack_pointer, wave.runner->stack_pointer); }

void switch_waves(Wave& from, Wave& to) {
  from.runner->running = &to;
  w2w_fibre_switch(&from.stack_pointer, to.stack_pointer);
}

Wave& switch_to_wave(Runner& runner, Wave& wave) {
  runner.running = &wave;
  runner.ended = 0;
  w2w_fibre_switch(&runner.stack_pointer, wave.stack_pointer);
  Wave& last = *runner.running;
  runner.running = nullptr;
  return last;
}

}  // namespace w2w::simt
