#include "simt/barrier_check.h"

#include "common/fault_report.h"
#include "simt/dispatch_run.h"
#include "simt/fault_text.h"
#include "simt/findings.h"

namespace w2w::simt {
namespace {

Fault place_of(const Wave& wave) {
  Fault place;
  place_in_source(wave.runner->run->kernel, wave.state.pc, &place);
  return place;
}

// One barrier of the source may stand twice in the code.
bool at_one_line(const Wave& a, const Wave& b) {
  Fault first = place_of(a), second = place_of(b);
  return !first.source.empty() && first.source == second.source;
}

void report_divergence(const Wave& wave, const Wave& other) {
  Fault place = place_of(other);
  std::string at = " waits at the barrier at pc " + hexadecimal(other.state.pc) +
                   (place.source.empty() ? "" : " (" + place.source + ")");
  note_finding(wave.state, "barrier-divergence", kWholeWave,
               "wave " + std::to_string(wave.number) + " waits at this barrier, but wave " +
                   std::to_string(other.number) + at);
}

}  // namespace

void check_barrier(Workgroup& group) {
  group.lds_shadow.barrier();
  const Wave* first = nullptr;
  for (auto& wave : group.waves) {
    if (wave->status != WaveStatus::kBarrier) continue;
    if (!first) first = wave.get();
    if (wave->state.pc == first->state.pc || at_one_line(*first, *wave)) continue;
    report_divergence(*first, *wave);
    return;
  }
}

}  // namespace w2w::simt
