// Translated kernels, by code object and name.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

#include "simt/counts.h"
#include "simt/dispatch.h"
#include "simt/wave_state.h"

namespace w2w::simt {

using Clock = std::chrono::steady_clock;
using KernelFunction = int32_t (*)(w2w_wave*);

// What the translator tells of an instruction that may be reported; see cdna/sites.py.
struct Site {
  uint64_t pc;              // offset in the code object
  const char* instruction;  // as disassembled
  const char* file;         // empty where the code object has no line table
  uint32_t line;
};

struct Kernel {
  std::string name;
  const Site* sites = nullptr;  // sorted by pc; only in translations with checks
  uint64_t site_count = 0;
  std::atomic<KernelFunction> function{nullptr};
  // The optimised code's path, while `function` is the quick one; and when to look for it next. Guarded by the table.
  std::string better;
  Clock::time_point next_look;
  const w2w_counter_plan* counter_plan = nullptr;  // where dispatches are counted
  // How long a work-group of it took when it last ran; 0 before that. Decides whether helper threads are worth waking.
  std::atomic<uint32_t> group_nanoseconds{0};
};

// The kernel of a dispatch in a flavour, translated at its first use. Ends the process with a report if it cannot be had.
// Thread-safe.
Kernel& find_kernel(const Dispatch& dispatch, const std::string& flavour);

// Forget what was known about the memory at `elf`: another code object lies there now.
void register_code_object(const void* elf);

}  // namespace w2w::simt
