// Finds waves that only spin. Nothing tells a wave that waits from one that computes but its registers: at a yield all
// of them lie on its stack, so a wave whose stack looks as it did at an earlier yield has computed nothing meanwhile.
#pragma once
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "simt/dispatch_run.h"
#include "simt/wave.h"

namespace w2w::simt {

// One a scheduler. Others may work on the same dispatch: if their waves compute, they note progress.
class LivelockDetector {
 public:
  using Resident = std::vector<std::unique_ptr<Workgroup>>;

  // To be called now and then while no wave ends. When for some seconds no wave of the dispatch has ended or computed,
  // reports it once, since the host or another queue may still release them; $W2W_LIVELOCK=abort ends the process.
  void observe(DispatchRun& run, const Resident& resident);

 private:
  struct History {
    uint64_t hashes[4] = {};  // loops with several backward branches yield at several places
    unsigned count = 0;
  };

  bool all_in_place(const Resident& resident);
  bool is_in_place(const Wave& wave);

  std::unordered_map<const Wave*, History> histories_;
  double seconds_without_progress(const DispatchRun& run, Clock::time_point now);

  uint64_t progress_ = 0;
  Clock::time_point progress_seen_{};  // when `progress_` was seen first
  Clock::time_point last_look_{};
  unsigned looks_in_place_ = 0;
};

}  // namespace w2w::simt
