#include "simt/scheduler.h"

#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <thread>

#include "simt/settings.h"
#include "simt/turns.h"

namespace w2w::simt {
namespace {

// A wave that used up its first fuel gets a fraction of it at each later turn: if it spins, its turns cost little; if
// it computes, a turn is still far longer than a switch.
constexpr int64_t kLaterFuelFraction = 16;
// Loops without s_sleep may compute or spin. Only after so long without an ended wave are they taken to spin.
constexpr uint32_t kRoundsBeforeGrowth = 4;
constexpr std::chrono::milliseconds kTimeBeforeGrowth{1};
// Waves that sleep in so many rounds wait for the host or another queue: leave the CPU to them.
constexpr uint32_t kRoundsBeforeSleep = 2000;
constexpr std::chrono::microseconds kSleep{50};
constexpr uint32_t kRoundsBetweenLivelockChecks = 256;
constexpr size_t kInitialSgprs = 48;  // at most 31 user SGPRs and 3 ids of the work-group

}  // namespace

Scheduler::Scheduler(DispatchRun& run, Runner& runner, Pool& pool)
    : run_(run), runner_(runner), pool_(pool), last_growth_(run.started) {
  runner_.run = &run;
  if (run.kernel.counter_plan) counts_ = std::make_unique<ThreadCounts>(*run.kernel.counter_plan, run.target);
  const uint32_t no_group[3] = {};
  set_initial_sgprs(run.descriptor, run.pointers, no_group, initial_.sgpr);
  initial_.lds_size = run.lds_bytes;
  initial_.scratch_stride = run.scratch_stride;
  initial_.counters = counts_ ? counts_->get() : nullptr;
  initial_.code_base = reinterpret_cast<uint64_t>(run.dispatch.image);
  initial_.fuel = settings().fuel;
  initial_.mode = run.descriptor.mode;
}

Scheduler::~Scheduler() { runner_.run = nullptr; }

void Scheduler::run_to_completion() {
  for (;;) {
    admit_groups();
    if (resident_.empty()) break;
    Round round = run_round();
    adapt_residency(round);
    if (!round.wave_ended) wait_for_others(round);
  }
  if (counts_) run_.counts.add(*run_.kernel.counter_plan, *counts_);
}

void Scheduler::admit_groups() {
  uint64_t number;
  while (resident_.size() < wanted_ && run_.admit(&number)) start(number);
}

void Scheduler::start(uint64_t number) {
  std::unique_ptr<Workgroup> group = pool_.take_group();
  group->shape = run_.grid.group(number);
  group->live = group->shape.waves();
  group->waiting = 0;
  group->begun = 0;
  group->number = number;
  group->barriers = 0;
  if (counts_) counts_->note_start(group->shape);
  char* lds = group->lds.prepare(run_.lds_bytes, settings().zero_lds);
  const bool is_light = run_.is_light(number);
  if (settings().checks) group->lds_shadow.prepare(is_light ? 0 : run_.lds_bytes, is_light ? 0 : group->live);
  fill(*group);
  for (uint32_t n = 0; n < group->live; ++n) {
    prepare(*group, *group->waves[n], n);
    group->waves[n]->state.lds = lds;
    group->waves[n]->entry = is_light ? run_.light_function : run_.function;
  }
  if (settings().reverse_waves) std::reverse(group->waves.begin(), group->waves.end());
  for (uint32_t n = 0; n < group->live; ++n) group->waves[n]->position = n;
  resident_.push_back(std::move(group));
}

// A group from the pool has the waves of the group that it was before.
void Scheduler::fill(Workgroup& group) {
  while (group.waves.size() < group.live) group.waves.push_back(pool_.take_wave());
  while (group.waves.size() > group.live) {
    pool_.give_back(std::move(group.waves.back()));
    group.waves.pop_back();
  }
}

void Scheduler::prepare(Workgroup& group, Wave& wave, uint32_t number) {
  w2w_wave& state = wave.state;
  const uint32_t* id = group.shape.id;
  // Constant sizes become vector moves. SGPRs behind the initial ones are zero and stay so.
  memcpy(state.sgpr, initial_.sgpr, kInitialSgprs * sizeof *state.sgpr);
  memcpy(&state.vcc, &initial_.vcc, offsetof(w2w_wave, workgroup) - offsetof(w2w_wave, vcc));
  put_workgroup_id(run_.descriptor, id, state.sgpr);
  state.exec = state.lanes = initial_exec(group.shape, number);
  state.outside_bytes = 0;
  if (settings().checks) wave.lane_locks.forget();
  state.scratch = wave.scratch.prepare(run_.scratch_stride * kLanes);
  std::copy_n(id, 3, state.workgroup);
  if (wave.ids_of != number || !std::equal(wave.ids_size, wave.ids_size + 3, group.shape.size)) {
    set_work_item_ids(group.shape, number, state.v0);
    std::copy_n(group.shape.size, 3, wave.ids_size);
    wave.ids_of = number;
  }
  wave.runner = &runner_;
  wave.workgroup = &group;
  wave.lds_shadow = &group.lds_shadow;
  wave.number = number;
  wave.status = WaveStatus::kFresh;
}

Scheduler::Round Scheduler::run_round() {
  Round round;
  for (auto& group : resident_) run_group(*group, round);
  auto ended = std::partition(resident_.begin(), resident_.end(), [](auto& group) { return group->live > 0; });
  for (auto place = ended; place != resident_.end(); ++place) {
    pool_.give_back(std::move(*place));
    run_.retire_group();
  }
  resident_.erase(ended, resident_.end());
  return round;
}

// Until each of its waves has ended or given up its turn. Ended waves count as arrived at a barrier.
void Scheduler::run_group(Workgroup& group, Round& round) {
  for (auto& wave : group.waves)
    if (wave->status == WaveStatus::kYielded) wave->status = WaveStatus::kReady;
  while (give_turns(group, round)) {
  }
}

// A turn for each wave that can have one. True if some can have another: a barrier was completed.
bool Scheduler::give_turns(Workgroup& group, Round& round) {
  for (auto& wave : group.waves)
    if (wave->can_run()) give_turn(*wave, round);
  if (group.live && group.waiting == group.live) release_barrier(group);
  return std::any_of(group.waves.begin(), group.waves.end(), [](auto& wave) { return wave->can_run(); });
}

void Scheduler::give_turn(Wave& first, Round& round) {
  if (first.status == WaveStatus::kFresh) begin(first);
  Wave& wave = switch_to_wave(runner_, first);
  round.wave_ended |= runner_.ended > 0;
  switch (wave.status) {
    case WaveStatus::kEnded:
    case WaveStatus::kBarrier:
      break;
    default:
      if (wave.state.fuel > 0) {
        round.wave_slept = true;
      } else {
        round.fuel_ended = true;
        wave.state.fuel = std::max<int64_t>(1, settings().fuel / kLaterFuelFraction);
      }
  }
}

void Scheduler::adapt_residency(const Round& round) {
  size_t now = std::max<size_t>(1, resident_.size());
  if (round.wave_ended) {
    stalled_rounds_ = 0;
    wanted_ = now;
    run_.note_progress();
    return;
  }
  ++stalled_rounds_;
  if (run_.all_admitted()) return;
  if (!round.wave_slept) {
    if (stalled_rounds_ < kRoundsBeforeGrowth) return;
    Clock::time_point time = Clock::now();
    if (time - last_growth_ < kTimeBeforeGrowth) return;
    last_growth_ = time;
  }
  wanted_ = 2 * now;
}

void Scheduler::wait_for_others(const Round& round) {
  if (stalled_rounds_ % kRoundsBetweenLivelockChecks == 0) livelock_.observe(run_, resident_);
  if (!round.fuel_ended && stalled_rounds_ > kRoundsBeforeSleep) {
    std::this_thread::sleep_for(kSleep);
  } else {
    sched_yield();
  }
}

}  // namespace w2w::simt
