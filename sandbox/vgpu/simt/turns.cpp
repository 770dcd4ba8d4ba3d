#include "simt/turns.h"

#include "simt/barrier_check.h"
#include "simt/checks.h"
#include "simt/dispatch_run.h"
#include "simt/settings.h"

namespace w2w::simt {
namespace {

// Where a wave ends, the next one of the group that has not begun takes over its stack, which is warm.
void run_waves(void* argument) {
  auto* wave = static_cast<Wave*>(argument);
  Runner& runner = *wave->runner;
  for (;;) {
    wave->entry(&wave->state);
    if (settings().checks) report_lds_outside(wave->state);
    Workgroup& group = *wave->workgroup;
    wave->status = WaveStatus::kEnded;
    --group.live;
    ++runner.ended;
    if (group.begun == group.waves.size()) break;
    Wave* next = group.waves[group.begun++].get();
    next->status = WaveStatus::kReady;
    next->stack.swap(wave->stack);
    runner.running = wave = next;
  }
  switch_to_runner(*wave);
}

// The first wave from `position` on that can have a turn, or null.
Wave* find_turn(Workgroup& group, uint32_t position) {
  for (; position < group.waves.size(); ++position)
    if (group.waves[position]->can_run()) return group.waves[position].get();
  return nullptr;
}

}  // namespace

void begin(Wave& wave) {
  ++wave.workgroup->begun;
  wave.status = WaveStatus::kReady;
  wave.stack_pointer = wave.stack.prepare(run_waves, &wave);
}

void arrive_at_barrier(Wave& wave) {
  Workgroup& group = *wave.workgroup;
  wave.status = WaveStatus::kBarrier;
  ++group.waiting;
  Wave* next = find_turn(group, wave.position + 1);
  if (!next && group.waiting == group.live) {
    release_barrier(group);
    next = find_turn(group, 0);
  }
  if (!next) {
    switch_to_runner(wave);
  } else if (next != &wave) {
    if (next->status == WaveStatus::kFresh) begin(*next);
    switch_waves(wave, *next);
  }
}

void release_barrier(Workgroup& group) {
  group.waiting = 0;
  ++group.barriers;
  if (settings().checks) check_barrier(group);
  for (auto& wave : group.waves)
    if (wave->status == WaveStatus::kBarrier) wave->status = WaveStatus::kReady;
}

}  // namespace w2w::simt
