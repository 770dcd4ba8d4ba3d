// One kernel launch while it executes. The runtime fills it in and calls execute().
#pragma once
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "common/fault_report.h"
#include "cudart/thread_state.h"

namespace w2w::cudart {

// How a kernel ended, in the engine's words; the runtime maps it to an error code.
enum class Outcome {
  kCompleted,
  kIllegalAddress,
  kMisalignedAddress,
  kTrap,
  kBreakpoint,
  kAssert,
  kDeadlock,
  kStackOverflow,
  kIllegalInstruction,
  kInvalidCall,
  kUnsupported,  // by us: the process must not go on with wrong results
};

struct Launch {
  const w2w_kernel* kernel = nullptr;
  const w2w_module* module = nullptr;
  uint32_t grid[3] = {1, 1, 1};
  uint32_t block[3] = {1, 1, 1};
  uint32_t dynamic_shared = 0;
  bool cooperative = false;
  std::vector<char> params;
  uint64_t grid_workspace = 0;
  uint64_t grid_id = 0;
  size_t stack_bytes = 0;  // of a thread, for recursion; 0: a default

  uint64_t blocks() const { return uint64_t{grid[0]} * grid[1] * grid[2]; }
  uint32_t threads() const { return block[0] * block[1] * block[2]; }
  uint32_t shared_bytes() const;           // static and dynamic
  uint32_t dynamic_shared_offset() const;  // of the dynamic part

  // ---- filled in by the engine
  std::atomic<uint64_t> next_block{0};
  std::atomic<bool> stopped{false};
  Outcome outcome = Outcome::kCompleted;

  // The first failure counts, later ones are dropped. The caller of execute() reports it: a fibre's stack is small.
  void fail(Outcome failure, Fault fault);
  const Fault& fault() const { return fault_; }
  void print(uint64_t block_index, std::string text);
  std::string take_output();  // what the kernel printed, in the order of its blocks

 private:
  struct Printed {
    uint64_t block;
    std::string text;
  };
  std::mutex mutex_;
  Fault fault_;
  std::vector<Printed> printed_;
};

// Runs all blocks to completion, on the calling thread and the worker threads. One launch at a time: callers queue.
void execute(Launch& launch);

}  // namespace w2w::cudart
