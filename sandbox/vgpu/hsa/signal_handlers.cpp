#include "hsa/signal_handlers.h"

#include <list>
#include <thread>

namespace w2w::hsa {
namespace {

// Runs for as long as the process: ROCclr registers handlers until the very end.
class HandlerThread {
 public:
  HandlerThread() : thread_([this] { run(); }) { thread_.detach(); }

  void add(const SignalHandler& handler) {
    handler.signal->acquire();
    Sleeper* sleeper;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (sleeper_) handler.signal->watch(sleeper_);
      handlers_.push_back(handler);
      sleeper = sleeper_;
    }
    if (sleeper) sleeper->wake();
  }

 private:
  void run() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      sleeper_ = &Sleeper::mine();
      for (SignalHandler& handler : handlers_) handler.signal->watch(sleeper_);
    }
    for (;;) {
      std::list<SignalHandler> ready;
      bool idle = false;
      auto any_ready = [&] {
        std::lock_guard<std::mutex> lock(mutex_);
        take_ready(&ready);
        idle = handlers_.empty();
        return !ready.empty();
      };
      any_ready();
      if (ready.empty())
        Sleeper::mine().wait(any_ready, kForever, idle ? Clock::duration(kLookAgainSeldom) : kLookAgain);
      for (SignalHandler& handler : ready) call(handler);
    }
  }

  void take_ready(std::list<SignalHandler>* ready) {
    for (auto next = handlers_.begin(); next != handlers_.end();) {
      auto handler = next++;
      if (satisfies(handler->signal->load(), handler->condition, handler->compare))
        ready->splice(ready->end(), handlers_, handler);
    }
  }

  void call(const SignalHandler& handler) {
    if (handler.function(handler.signal->load(), handler.argument)) {
      std::lock_guard<std::mutex> lock(mutex_);
      handlers_.push_back(handler);
      return;
    }
    handler.signal->unwatch(&Sleeper::mine());
    handler.signal->release();
  }

  std::mutex mutex_;
  std::list<SignalHandler> handlers_;
  Sleeper* sleeper_ = nullptr;  // of the thread, once it runs
  std::thread thread_;          // last: starts when the rest is there
};

}  // namespace

void add_signal_handler(const SignalHandler& handler) {
  static HandlerThread* thread = new HandlerThread;  // never destroyed: it outlives exit()
  thread->add(handler);
}

}  // namespace w2w::hsa
