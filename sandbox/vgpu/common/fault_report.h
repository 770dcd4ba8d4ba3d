// Typed reports of a virtual device. They go to the file named by $W2W_REPORT as one JSON object a line, and to
// stderr as one sentence. The program that we run inside can forge them: they diagnose and never prove.
#pragma once
#include <cstdint>
#include <string>

namespace w2w {

struct Fault {
  std::string kind;         // unsupported-instruction, translation-failed, memory-fault, trap, assert,
                            // barrier-deadlock, livelock, unsupported-function, out-of-resources
  std::string kernel;       // mangled name, "" outside kernels
  std::string pc;           // byte offset in the code object (AMD), line of the PTX (CUDA)
  std::string instruction;  // as disassembled
  std::string message;      // what happened, in a sentence, with work-group and lane where known
  std::string source{};     // file:line of the program's source, where its code object says so
  bool is_finding = false;  // of a check: the program goes on
};

// Append to the report file and print to stderr. Async-signal-safe if `fault` was built beforehand.
void report(const Fault& fault);

// {"launch": {...}} lines, only when $W2W_TRACE=1. Sizes in work-groups, work-items, bytes, milliseconds.
struct LaunchRecord {
  std::string kernel;
  uint32_t grid[3], block[3], lds_bytes;
  double milliseconds;
};
void record(const LaunchRecord& launch);

// Exit status of a process that ended because of us (not because of the program).
constexpr int kOwnFailure = 125;

// And of one that would have ended with success, but checks found something.
constexpr int kChecksFailed = 123;

// Report, flush stdio and end the process: with kOwnFailure if the fault is ours to mend (kind unsupported-* or
// translation-failed), with SIGABRT otherwise, as AMD's runtime does after a queue error.
[[noreturn]] void report_and_die(const Fault& fault);

}  // namespace w2w
