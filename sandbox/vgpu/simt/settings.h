// What the environment asks of the engine. Read once, when the first kernel runs.
#pragma once
#include <cstdint>
#include <string>

namespace w2w::simt {

struct Settings {
  unsigned threads;       // $W2W_THREADS: threads that run one dispatch; default: the CPUs of this process
  int64_t fuel;           // $W2W_FUEL: backward branches of a wave before others get their turn; default 20000
  bool reverse_waves;     // $W2W_WAVE_ORDER=reverse: the last wave of a work-group first, to expose races
  bool zero_lds;          // $W2W_LDS=zero: LDS starts as zeros; otherwise as a pattern of NaNs that differs from them
  bool abort_livelock;    // $W2W_LIVELOCK=abort: end a program whose waves only spin; otherwise say so once
  double livelock_after;  // $W2W_LIVELOCK_SECONDS; default 10
  bool checks;            // $W2W_CHECK=on or race: accesses are looked at before they happen; default off
  bool races;             // $W2W_CHECK=race: unordered accesses of global memory are found, too
  std::string counters;   // $W2W_COUNTERS: the file that counters are written to; empty: nothing is counted
  std::string flavour;    // what the three ask of the translator; see cdna/flavour.py
  // What most work-groups of a large dispatch run instead; empty: the same. Counts of two objects do not add up.
  std::string light_flavour;
};

const Settings& settings();

}  // namespace w2w::simt
