#include "simt/touched_pages.h"

#include <sys/mman.h>

#include <mutex>
#include <unordered_set>

namespace w2w::simt {
namespace {

constexpr uint64_t kPage = 4096;

struct UntouchedPages {
  std::mutex mutex;
  std::unordered_set<uintptr_t> known;
};

UntouchedPages& untouched() {
  static UntouchedPages* pages = new UntouchedPages;  // never destroyed: threads outlive exit()
  return *pages;
}

}  // namespace

bool has_written_bytes(const AllocationRange& range, uint64_t offset) {
  uint64_t any = 0;
  for (uint64_t word = offset / 64; word < (offset + kPage) / 64; ++word) any |= range.initialised[word];
  return any != 0;
}

bool is_touched_by_host(const AllocationRange& range, uint64_t offset) {
  const uintptr_t page = range.begin + offset;
  std::lock_guard<std::mutex> lock(untouched().mutex);
  if (untouched().known.count(page)) return false;
  unsigned char is_there = 0;
  const bool answered = mincore(reinterpret_cast<void*>(page), kPage, &is_there) == 0;
  const bool is_ours = has_written_bytes(range, offset);
  if (answered && is_there && !is_ours) return true;
  untouched().known.insert(page);
  return false;
}

void note_own_page(const AllocationRange& range, uint64_t offset) {
  std::lock_guard<std::mutex> lock(untouched().mutex);
  untouched().known.insert(range.begin + offset);
}

}  // namespace w2w::simt
