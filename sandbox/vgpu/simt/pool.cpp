#include "simt/pool.h"

namespace w2w::simt {
namespace {

// A resident set of this size is common; larger ones come from spinning kernels only.
constexpr size_t kKeptGroups = 64;
constexpr size_t kKeptWaves = 256;

template <typename T>
std::unique_ptr<T> take(std::vector<std::unique_ptr<T>>& kept) {
  if (kept.empty()) return std::make_unique<T>();
  std::unique_ptr<T> last = std::move(kept.back());
  kept.pop_back();
  return last;
}

}  // namespace

std::unique_ptr<Workgroup> Pool::take_group() { return take(groups_); }

std::unique_ptr<Wave> Pool::take_wave() { return take(waves_); }

void Pool::give_back(std::unique_ptr<Workgroup> group) {
  for (auto& wave : group->waves)
    if (waves_.size() < kKeptWaves) waves_.push_back(std::move(wave));
  group->waves.clear();
  if (groups_.size() < kKeptGroups) groups_.push_back(std::move(group));
}

}  // namespace w2w::simt
