// Counts a dispatch, when $W2W_COUNTERS asks for it: each thread for itself, then together, one line of JSON each.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "simt/counts.h"
#include "simt/grid.h"
#include "simt/target.h"

namespace w2w::simt {

struct DispatchRun;

// What one thread counts. Throws std::bad_alloc.
class ThreadCounts {
 public:
  ThreadCounts(const w2w_counter_plan& plan, const Target& target);
  w2w_counts* get() { return counts_.get(); }
  void note_start(const GroupShape& group);

 private:
  struct Free {
    void operator()(void* memory) const;
  };
  std::unique_ptr<w2w_counts, Free> counts_;
  std::unique_ptr<w2w_site, Free> sites_;
};

class DispatchCounts {
 public:
  // Thread-safe.
  void add(const w2w_counter_plan& plan, ThreadCounts& counts);
  // Append the record of a finished dispatch to the file. After 10,000 records of a process one says that more follow.
  void write(const DispatchRun& run) const;

 private:
  std::mutex mutex_;
  uint64_t totals_[W2W_COUNTERS] = {};
  std::vector<w2w_segment> segments_;
};

}  // namespace w2w::simt
