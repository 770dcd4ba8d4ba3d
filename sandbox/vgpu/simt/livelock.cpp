#include "simt/livelock.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "common/fault_report.h"
#include "simt/fault_text.h"
#include "simt/settings.h"

namespace w2w::simt {
namespace {

constexpr size_t kExaminedWaves = 64;
constexpr size_t kNamedWaves = 4;
constexpr unsigned kLooksBeforeReport = 3;
constexpr double kLooksPerPeriod = 10;  // of W2W_LIVELOCK_SECONDS

uint64_t hash_stack(const Wave& wave) {
  uint64_t hash = 0xcbf29ce484222325;
  for (auto* place = static_cast<const char*>(wave.stack_pointer); place + 8 <= wave.stack.end(); place += 8) {
    uint64_t word;
    memcpy(&word, place, sizeof word);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  }
  return hash;
}

std::string describe(const LivelockDetector::Resident& resident, std::string* pc) {
  std::string text;
  size_t named = 0;
  for (const auto& group : resident) {
    for (const auto& wave : group->waves) {
      if (wave->status != WaveStatus::kYielded || named >= kNamedWaves) continue;
      if (named++ == 0) *pc = hexadecimal(wave->state.pc);
      text += (named == 1 ? ": " : ", ") + ("a wave of " + workgroup_name(wave->state)) + " near pc " +
              hexadecimal(wave->state.pc);
    }
  }
  return text;
}

void report_livelock(const DispatchRun& run, const LivelockDetector::Resident& resident, double seconds) {
  Fault fault;
  fault.kind = "livelock";
  fault.kernel = run.kernel.name;
  fault.message = "for " + std::to_string(static_cast<int>(seconds)) + " s no wave has ended, and those of " +
                  std::to_string(resident.size()) + " resident work-groups loop without changing a register" +
                  describe(resident, &fault.pc);
  if (settings().abort_livelock) report_and_die(fault);
  report(fault);
}

}  // namespace

void LivelockDetector::observe(DispatchRun& run, const Resident& resident) {
  double period = settings().livelock_after;
  Clock::time_point now = Clock::now();
  double seconds = seconds_without_progress(run, now);
  if (seconds < period || run.livelock_reported.load(std::memory_order_relaxed)) {
    histories_.clear();
    looks_in_place_ = 0;
    return;
  }
  if (std::chrono::duration<double>(now - last_look_).count() < period / kLooksPerPeriod) return;
  last_look_ = now;
  bool first_look = histories_.empty();
  if (all_in_place(resident)) {
    if (++looks_in_place_ >= kLooksBeforeReport && !run.livelock_reported.exchange(true))
      report_livelock(run, resident, seconds);
  } else if (!first_look) {
    run.note_progress();
  }
}

double LivelockDetector::seconds_without_progress(const DispatchRun& run, Clock::time_point now) {
  uint64_t progress = run.progress.load(std::memory_order_relaxed);
  if (progress != progress_ || progress_seen_ == Clock::time_point{}) {
    progress_ = progress;
    progress_seen_ = now;
  }
  return std::chrono::duration<double>(now - progress_seen_).count();
}

bool LivelockDetector::all_in_place(const Resident& resident) {
  bool all = true;
  size_t examined = 0;
  for (const auto& group : resident)
    for (const auto& wave : group->waves)
      if (wave->status == WaveStatus::kYielded && examined++ < kExaminedWaves) all &= is_in_place(*wave);
  return all;
}

bool LivelockDetector::is_in_place(const Wave& wave) {
  constexpr unsigned kept = sizeof History().hashes / sizeof *History().hashes;
  History& history = histories_[&wave];
  uint64_t hash = hash_stack(wave);
  auto* end = history.hashes + std::min(history.count, kept);
  bool seen = std::find(history.hashes, end, hash) != end;
  history.hashes[history.count++ % kept] = hash;
  return seen;
}

}  // namespace w2w::simt
