#include "simt/livelock.h"

#include "common/fault_report.h"
#include "simt/fault_text.h"
#include "simt/settings.h"

namespace w2w::simt {
namespace {

constexpr size_t kNamedWaves = 4;

}  // namespace

void report_livelock(const DispatchRun& run, const std::vector<std::unique_ptr<Workgroup>>& resident, double seconds) {
  Fault fault;
  fault.kind = "livelock";
  fault.kernel = run.kernel.name;
  fault.message = "no wave has ended for " + std::to_string(static_cast<int>(seconds)) + " s, " +
                  std::to_string(resident.size()) + " resident work-groups only loop";
  size_t named = 0;
  for (const auto& group : resident) {
    for (const auto& wave : group->waves) {
      if (wave->status != WaveStatus::kYielded || named++ >= kNamedWaves) continue;
      if (fault.pc.empty()) fault.pc = hexadecimal(wave->state.pc);
      fault.message += named == 1 ? ": " : ", ";
      fault.message += "a wave of " + workgroup_name(wave->state) + " last near " + hexadecimal(wave->state.pc);
    }
  }
  if (settings().abort_livelock) report_and_die(fault);
  report(fault);
}

}  // namespace w2w::simt
