// Host threads that execute the blocks of a launch.
#include <sched.h>

#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <memory>
#include <thread>

#include "cudart/engine/block.h"
#include "cudart/engine/faults.h"

namespace w2w::cudart {
namespace {

// Below this much work the calling thread does it alone: waking others would take longer.
constexpr uint64_t kSmallLaunch = 4096;
constexpr size_t kSpareBlocks = 4;
// A worker whose blocks only poll takes on another one after this many rounds: what they wait for may be in it. The
// device that we stand for holds 132 * 32 blocks at once.
constexpr unsigned kPatience = 64;
constexpr size_t kMaxResident = 132 * 32;

unsigned configured_threads() {
  const char* text = getenv("W2W_THREADS");
  long count = text ? strtol(text, nullptr, 10) : 0;
  if (count >= 1 && count <= 1024) return static_cast<unsigned>(count);
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return static_cast<unsigned>(CPU_COUNT(&set));
  return 1;
}

// Executes blocks of one launch at a time. Keeps block states, with their stacks, for the next launch.
class Worker {
 public:
  void run(Launch& launch) {
    catch_faults_on_this_thread();
    std::vector<std::unique_ptr<Block>> resident;
    unsigned rounds = 0;
    while (!launch.stopped.load(std::memory_order_relaxed)) {
      if (run_resident(resident)) {
        rounds = 0;
        continue;
      }
      const bool want_more = resident.empty() || launch.cooperative || ++rounds > kPatience;
      if (want_more && resident.size() < kMaxResident && start_next(launch, resident)) continue;
      if (resident.empty()) break;
      sched_yield();
    }
    for (auto& block : resident) keep(std::move(block));
  }

 private:
  // A slice of each resident block. True if one of them finished, so that the others may go on.
  bool run_resident(std::vector<std::unique_ptr<Block>>& resident) {
    bool finished = false;
    for (size_t i = 0; i < resident.size();) {
      set_running_block(resident[i].get());
      Progress progress = resident[i]->run();
      set_running_block(nullptr);
      if (progress == Progress::kStopped) return true;
      if (progress == Progress::kFinished) {
        keep(std::move(resident[i]));
        resident.erase(resident.begin() + static_cast<std::ptrdiff_t>(i));
        finished = true;
      } else {
        ++i;
      }
    }
    return finished && !resident.empty();
  }

  bool start_next(Launch& launch, std::vector<std::unique_ptr<Block>>& resident) {
    if (launch.next_block.load(std::memory_order_relaxed) >= launch.blocks()) return false;
    const uint64_t index = launch.next_block.fetch_add(1);
    if (index >= launch.blocks()) return false;
    std::unique_ptr<Block> block = spare();
    block->start(launch, index);
    resident.push_back(std::move(block));
    return true;
  }

  std::unique_ptr<Block> spare() {
    if (spare_.empty()) return std::make_unique<Block>();
    std::unique_ptr<Block> block = std::move(spare_.back());
    spare_.pop_back();
    return block;
  }

  void keep(std::unique_ptr<Block> block) {
    if (spare_.size() < kSpareBlocks) spare_.push_back(std::move(block));
  }

  std::vector<std::unique_ptr<Block>> spare_;
};

class Pool {
 public:
  static Pool& instance() {
    static Pool* pool = new Pool;  // never destroyed: its threads run until the process ends
    return *pool;
  }

  void run(Launch& launch) {
    std::lock_guard<std::mutex> one_at_a_time(launch_mutex_);
    const uint64_t work = launch.blocks() * launch.threads();
    const bool alone = threads_ == 1 || launch.blocks() == 1 || (work < kSmallLaunch && !launch.cooperative);
    if (!alone) {
      start_threads();
      std::lock_guard<std::mutex> lock(mutex_);
      launch_ = &launch;
      ++generation_;
      busy_ = threads_ - 1;
      wake_.notify_all();
    }
    caller_.run(launch);
    if (alone) return;
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait(lock, [&] { return busy_ == 0; });
    launch_ = nullptr;
  }

 private:
  void start_threads() {
    if (started_) return;
    started_ = true;
    for (unsigned i = 1; i < threads_; ++i) std::thread([this] { serve(); }).detach();
  }

  [[noreturn]] void serve() {
    Worker worker;
    uint64_t seen = 0;
    for (;;) {
      Launch* launch;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        wake_.wait(lock, [&] { return launch_ && generation_ != seen; });
        seen = generation_;
        launch = launch_;
      }
      worker.run(*launch);
      std::lock_guard<std::mutex> lock(mutex_);
      if (--busy_ == 0) done_.notify_one();
    }
  }

  const unsigned threads_ = configured_threads();
  std::mutex launch_mutex_;
  Worker caller_;
  bool started_ = false;

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  Launch* launch_ = nullptr;
  uint64_t generation_ = 0;
  unsigned busy_ = 0;
};

}  // namespace

void execute(Launch& launch) { Pool::instance().run(launch); }

}  // namespace w2w::cudart
