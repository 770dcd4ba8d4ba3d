// Threads that help the ones that called execute(). Started when first wanted, never ended.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

namespace w2w::simt {

// Work that several threads may do at once, each until it finds nothing left.
class SharedWork {
 public:
  explicit SharedWork(std::function<void()> work) : work_(std::move(work)) {}
  SharedWork(const SharedWork&) = delete;
  SharedWork& operator=(const SharedWork&) = delete;

  // Ask up to `threads` helpers to call the work. Those busy elsewhere may come late or never.
  void call_helpers(unsigned threads);
  // No helper may come any more; wait for those who did. Must be called before destruction.
  void finish();

 private:
  friend class HelperTeam;
  std::function<void()> work_;
  unsigned inside_ = 0;  // guarded by the team's mutex
};

}  // namespace w2w::simt
