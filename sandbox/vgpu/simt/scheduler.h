// Runs work-groups of one dispatch on one thread, until none is left to start and all that it started have ended.
//
// Work-groups are admitted one at a time; more of them (twice as many each time) only while the resident ones do
// nothing but spin, up to what the real part holds. So a plain kernel needs the memory of one group, while grid-wide
// synchronisation, look-back scans and flags between groups get the companions that they wait for.
#pragma once
#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include "simt/dispatch_run.h"
#include "simt/livelock.h"
#include "simt/pool.h"
#include "simt/wave.h"

namespace w2w::simt {

class Scheduler {
 public:
  Scheduler(DispatchRun& run, Runner& runner, Pool& pool);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  void run_to_completion();

 private:
  struct Round {
    bool wave_ended = false;
    bool wave_slept = false;
    bool fuel_ended = false;
  };

  void admit_groups();
  void start(uint64_t number);
  void fill(Workgroup& group);
  void prepare(Workgroup& group, Wave& wave, uint32_t number);
  Round run_round();
  void run_group(Workgroup& group, Round& round);
  bool give_turns(Workgroup& group, Round& round);
  void give_turn(Wave& first, Round& round);
  void adapt_residency(const Round& round);
  void wait_for_others(const Round& round);

  DispatchRun& run_;
  Runner& runner_;
  Pool& pool_;
  w2w_wave initial_{};  // what all waves of the dispatch start with
  std::vector<std::unique_ptr<Workgroup>> resident_;
  size_t wanted_ = 1;            // resident groups
  uint32_t stalled_rounds_ = 0;  // since a wave ended
  Clock::time_point last_growth_;
  LivelockDetector livelock_;
  std::unique_ptr<ThreadCounts> counts_;  // where dispatches are counted
};

}  // namespace w2w::simt
