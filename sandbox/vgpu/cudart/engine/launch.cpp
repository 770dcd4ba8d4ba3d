#include "cudart/engine/launch.h"

#include <algorithm>

namespace w2w::cudart {

uint32_t Launch::dynamic_shared_offset() const { return (kernel->static_shared + 15) / 16 * 16; }

uint32_t Launch::shared_bytes() const { return dynamic_shared_offset() + dynamic_shared; }

void Launch::fail(Outcome failure, Fault fault) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (stopped) return;
  outcome = failure;
  fault_ = std::move(fault);
  stopped = true;
}

void Launch::print(uint64_t block_index, std::string text) {
  std::lock_guard<std::mutex> lock(mutex_);
  printed_.push_back({block_index, std::move(text)});
}

std::string Launch::take_output() {
  std::stable_sort(printed_.begin(), printed_.end(),
                   [](const Printed& a, const Printed& b) { return a.block < b.block; });
  std::string all;
  for (const Printed& printed : printed_) all += printed.text;
  printed_.clear();
  return all;
}

}  // namespace w2w::cudart
