// Ends kernels that did something wrong, and says what.
#pragma once
#include <string>

#include "cudart/engine/block.h"

namespace w2w::cudart {

std::string describe_block(const Block& block);     // "(1,0,0)"
std::string describe_thread(const Thread& thread);  // "thread (3,0,0) of block (1,0,0)"

Fault make_fault(const char* kind, const Launch& launch, const w2w_site* site, const std::string& message);

// Record the failure and leave the fibre for good; the launch stops.
[[noreturn]] void stop(Thread& thread, Outcome outcome, const char* kind, const w2w_site* site,
                       const std::string& message);

// Faults of the host processor in generated code end the kernel and not the process. Once a host thread.
void catch_faults_on_this_thread();
// The block that the calling host thread runs, null outside kernels.
void set_running_block(Block* block);

}  // namespace w2w::cudart
