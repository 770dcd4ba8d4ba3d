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

// With checks, lanes that wait for another lane of their wave are found sooner: nobody else can release them.
constexpr double kOwnLaneSeconds = 1;

// EXEC at the last yield, and the lane waited for; null if no wave waits for itself.
Wave* find_self_waiting(const LivelockDetector::Resident& resident, int* holder) {
  for (const auto& group : resident) {
    for (const auto& wave : group->waves) {
      if (wave->status != WaveStatus::kYielded) continue;
      *holder = wave->lane_locks.find_holder(wave->state.exec);
      if (*holder >= 0) return wave.get();
    }
  }
  return nullptr;
}

void end_self_waiting(const DispatchRun& run, const LivelockDetector::Resident& resident) {
  int holder;
  const Wave* wave = find_self_waiting(resident, &holder);
  if (!wave) return;
  Fault fault;
  fault.kind = "livelock";
  fault.kernel = run.kernel.name;
  fault.pc = hexadecimal(wave->state.pc);
  place_in_source(run.kernel, wave->state.pc, &fault);
  fault.message = "lanes of a wave spin (EXEC " + hexadecimal(wave->state.exec) + ") until " +
                  work_item_name(wave->state, static_cast<unsigned>(holder)) +
                  " of the same wave releases a word, but that lane waits for them to leave the loop; in " +
                  workgroup_name(wave->state);
  report_and_die(fault);
}

}  // namespace

void LivelockDetector::observe(DispatchRun& run, const Resident& resident) {
  const double warning_after = settings().livelock_after;
  const double period = settings().checks ? std::min(kOwnLaneSeconds, warning_after) : warning_after;
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
    if (++looks_in_place_ < kLooksBeforeReport) return;
    if (settings().checks) end_self_waiting(run, resident);
    if (seconds >= warning_after && !run.livelock_reported.exchange(true)) report_livelock(run, resident, seconds);
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
