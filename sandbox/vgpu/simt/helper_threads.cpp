#include "simt/helper_threads.h"

#include <algorithm>
#include <system_error>
#include <thread>

namespace w2w::simt {

class HelperTeam {
 public:
  // Never destroyed: its threads run until the process ends.
  static HelperTeam& instance() {
    static HelperTeam* team = new HelperTeam;
    return *team;
  }

  void call(SharedWork& work, unsigned threads) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (unsigned i = 0; i < threads; ++i) wanted_.push_back(&work);
    while (size_ < threads && add_thread()) ++size_;
    if (threads == 1) {
      called_.notify_one();
    } else {
      called_.notify_all();
    }
  }

  void finish(SharedWork& work) {
    std::unique_lock<std::mutex> lock(mutex_);
    wanted_.erase(std::remove(wanted_.begin(), wanted_.end(), &work), wanted_.end());
    left_.wait(lock, [&] { return work.inside_ == 0; });
  }

 private:
  bool add_thread() {
    try {
      std::thread([this] { help(); }).detach();
      return true;
    } catch (const std::system_error&) {  // a limit on threads: fewer helpers do it too
      return false;
    }
  }

  [[noreturn]] void help() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      called_.wait(lock, [&] { return !wanted_.empty(); });
      SharedWork* work = wanted_.front();
      wanted_.pop_front();
      ++work->inside_;
      lock.unlock();
      work->work_();
      lock.lock();
      if (--work->inside_ == 0) left_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable called_, left_;
  std::deque<SharedWork*> wanted_;
  unsigned size_ = 0;
};

void SharedWork::call_helpers(unsigned threads) {
  if (threads) HelperTeam::instance().call(*this, threads);
}

void SharedWork::finish() { HelperTeam::instance().finish(*this); }

}  // namespace w2w::simt
