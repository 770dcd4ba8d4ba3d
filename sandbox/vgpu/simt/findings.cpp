#include "simt/findings.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <tuple>

#include <unistd.h>

#include "common/fault_report.h"
#include "simt/dispatch_run.h"
#include "simt/fault_text.h"
#include "simt/settings.h"
#include "simt/wave.h"

namespace w2w::simt {
namespace {

constexpr size_t kMaxFindings = 50;

struct Findings {
  std::mutex mutex;
  std::set<std::tuple<const Kernel*, uint64_t, std::string>> known;
  bool more = false;
};

Findings& findings() {
  static Findings* instance = new Findings;  // never destroyed: threads outlive exit()
  return *instance;
}

const Kernel& kernel_of(const w2w_wave& wave) {
  return Wave::of(const_cast<w2w_wave*>(&wave))->runner->run->kernel;
}

void end_with_findings(int status, void*) {
  if (status != 0 || findings().known.empty()) return;
  fflush(nullptr);
  _exit(kChecksFailed);
}

// Handlers run last in, first out: one that is registered when this library is loaded comes after all of the program's.
__attribute__((constructor)) void watch_exit() { on_exit(end_with_findings, nullptr); }

void report_limit() {
  Fault fault;
  fault.kind = "check-limit";
  fault.message = "more than " + std::to_string(kMaxFindings) + " places have findings; the rest is not reported";
  fault.is_finding = true;
  report(fault);
}

}  // namespace

bool is_new_finding(const w2w_wave& wave, const char* kind) {
  Findings& all = findings();
  std::lock_guard<std::mutex> lock(all.mutex);
  return all.known.size() < kMaxFindings && !all.known.count({&kernel_of(wave), wave.pc, kind});
}

void note_finding(const w2w_wave& wave, const char* kind, int lane, const std::string& message) {
  const Kernel& kernel = kernel_of(wave);
  Findings& all = findings();
  {
    std::lock_guard<std::mutex> lock(all.mutex);
    if (all.known.size() >= kMaxFindings) {
      if (!all.more && !all.known.count({&kernel, wave.pc, kind})) report_limit();
      all.more = true;
      return;
    }
    if (!all.known.emplace(&kernel, wave.pc, kind).second) return;
  }
  Fault fault;
  fault.kind = kind;
  fault.kernel = kernel.name;
  fault.pc = hexadecimal(wave.pc);
  place_in_source(kernel, wave.pc, &fault);
  fault.message = message + " in " + workgroup_name(wave);
  if (lane != kWholeWave) fault.message += ", " + work_item_name(wave, static_cast<unsigned>(lane));
  fault.is_finding = true;
  report(fault);
}

}  // namespace w2w::simt
