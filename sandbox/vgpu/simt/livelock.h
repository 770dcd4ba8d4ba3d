// Waves that only spin: said once, since the host or another queue may still release them.
#pragma once
#include <memory>
#include <vector>

#include "simt/dispatch_run.h"
#include "simt/wave.h"

namespace w2w::simt {

// Report that no wave of `run` has ended for `seconds`, with what the resident ones do; end the process if
// $W2W_LIVELOCK asks for it.
void report_livelock(const DispatchRun& run, const std::vector<std::unique_ptr<Workgroup>>& resident, double seconds);

}  // namespace w2w::simt
