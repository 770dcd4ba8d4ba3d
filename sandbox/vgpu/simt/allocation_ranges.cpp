#include "simt/allocation_ranges.h"

#include "simt/dispatch.h"

namespace w2w::simt {

bool AllocationRanges::is_current() const { return changes_ == allocation_changes(); }

void AllocationRanges::forget() {
  changes_ = allocation_changes();
  for (AllocationRange& range : kept_) range = {};
}

const AllocationRange* AllocationRanges::look_up(uintptr_t low, uintptr_t high) {
  AllocationView view;
  if (!view_allocation(reinterpret_cast<void*>(low), &view)) return nullptr;
  auto begin = reinterpret_cast<uintptr_t>(view.base);
  if (high > begin + view.size) return nullptr;
  AllocationRange& place = kept_[next_++ % kKept];
  place = {begin, begin + view.size, view.initialised};
  return &place;
}

}  // namespace w2w::simt
