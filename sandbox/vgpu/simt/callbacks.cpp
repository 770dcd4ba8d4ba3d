// What generated code calls.
#include <ctime>

#include "common/fault_report.h"
#include "simt/dispatch.h"
#include "simt/dispatch_run.h"
#include "simt/fault_text.h"
#include "simt/turns.h"
#include "simt/wave.h"
#include "simt/wave_state.h"

namespace w2w::simt {
namespace {

constexpr int64_t kBarrierFuel = 15;
constexpr uint32_t kDebuggerTrap = 3;

[[noreturn]] void end_with(const char* kind, const w2w_wave& state, uint64_t pc, const std::string& instruction,
                           const std::string& message) {
  Fault fault;
  fault.kind = kind;
  fault.kernel = Wave::of(const_cast<w2w_wave*>(&state))->runner->run->kernel.name;
  fault.pc = hexadecimal(pc);
  fault.instruction = instruction;
  fault.message = message + " in " + workgroup_name(state);
  report_and_die(fault);
}

}  // namespace
}  // namespace w2w::simt

using namespace w2w::simt;

// A loop may wait for another work-group with a barrier in each round: barriers use up fuel too, by what they cost.
void w2w_barrier(w2w_wave* wave) {
  wave->fuel -= kBarrierFuel;
  arrive_at_barrier(*Wave::of(wave));
}

void w2w_yield(w2w_wave* state) {
  Wave* wave = Wave::of(state);
  wave->status = WaveStatus::kYielded;
  switch_to_runner(*wave);
}

// On a real part this interrupts the host, which then looks at signals that device code has stored to.
void w2w_sendmsg(w2w_wave*, uint32_t) { w2w::signal_changed(); }

void w2w_trap(w2w_wave* wave, uint32_t id) {
  if (id == kDebuggerTrap) return;  // llvm.debugtrap: without a debugger the wave goes on
  std::string instruction = "s_trap " + std::to_string(id);
  end_with("trap", *wave, wave->pc, instruction, "the kernel trapped (abort, assert or unreachable code)");
}

void w2w_unsupported(w2w_wave* wave, const char* instruction, uint64_t pc) {
  end_with("unsupported-instruction", *wave, pc, instruction, "an instruction that cannot be executed was reached");
}

uint64_t w2w_realtime() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 100000000 + static_cast<uint64_t>(time.tv_nsec) / 10;
}
