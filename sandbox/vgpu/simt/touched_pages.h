// Pages of device memory that the host wrote to through a pointer, without the runtime's knowledge.
#pragma once
#include "simt/allocation_ranges.h"

namespace w2w::simt {

// Whether any byte of the page at `offset` in the allocation is known to be written.
bool has_written_bytes(const AllocationRange& range, uint64_t offset);

// Whether the page at `offset` in the allocation was there before any kernel or copy used it. To be asked before the
// access that may make it be there; what was said once of a page stays. Thread-safe.
bool is_touched_by_host(const AllocationRange& range, uint64_t offset);

// The page's bytes come from kernels, even where they are no longer known to be written.
void note_own_page(const AllocationRange& range, uint64_t offset);

}  // namespace w2w::simt
