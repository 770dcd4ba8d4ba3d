// Hardware faults (SIGSEGV, SIGBUS, SIGFPE, SIGILL) inside kernels become typed reports. Faults elsewhere go to the
// handlers that the program had before.
#pragma once
#include "simt/wave.h"

namespace w2w::simt {

// Once a process; further calls do nothing.
void install_fault_handlers();

// The calling thread runs waves from now on: gives it a stack for signal handlers, since the fault may be that a
// wave's own stack is full. Undone when the thread ends.
class FaultScope {
 public:
  explicit FaultScope(Runner* runner);
  ~FaultScope();
  FaultScope(const FaultScope&) = delete;
  FaultScope& operator=(const FaultScope&) = delete;

 private:
  char* stack_;
};

}  // namespace w2w::simt
