// ROCclr's built-in kernels (__amd_rocclr_*): small copies, fills, rectangles and stream operations, done natively.
//
// Trap: hipMemcpy of at most 16 KiB, device-to-device copies, hipMemset and hipStreamWriteValue are gfx9 kernels in a
// queue, not HSA copies. Running them here saves translating and emulating them; the engine can run them too
// ($W2W_EMULATE_BLIT=1), and always runs those that are not listed here (initHeap, batchMemOp, gwsInit).
// Trap: ROCclr compiles them with kernarg preload (-amdgpu-kernarg-preload-count=8): their entry begins with a 256-byte
// prologue for firmware without preload. Starting at the entry is right as well.
#pragma once
#include <string>

#include "simt/dispatch.h"

namespace w2w::hsa {

// Whether a kernel of that name is built into ROCclr.
bool is_blit_kernel(const std::string& name);

// Do it. False if it is none of ours.
bool run_blit(const Dispatch& dispatch);

}  // namespace w2w::hsa
