// Callbacks that run when a signal meets a condition. One thread runs them all, in turn, as in ROCr.
#pragma once
#include "hsa/signals.h"

namespace w2w::hsa {

struct SignalHandler {
  Signal* signal;
  hsa_signal_condition_t condition;
  int64_t compare;
  hsa_amd_signal_handler function;  // returns false when it is done
  void* argument;
};

void add_signal_handler(const SignalHandler& handler);

}  // namespace w2w::hsa
