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

std::unique_ptr<Workgroup> Pool::take_group() {
  std::unique_ptr<Workgroup> group = take(groups_);
  kept_waves_ -= group->waves.size();
  return group;
}

std::unique_ptr<Wave> Pool::take_wave() {
  if (!waves_.empty()) --kept_waves_;
  return take(waves_);
}

void Pool::give_back(std::unique_ptr<Workgroup> group) {
  if (groups_.size() >= kKeptGroups || kept_waves_ + group->waves.size() > kKeptWaves) return;
  kept_waves_ += group->waves.size();
  groups_.push_back(std::move(group));
}

void Pool::give_back(std::unique_ptr<Wave> wave) {
  if (kept_waves_ >= kKeptWaves) return;
  ++kept_waves_;
  waves_.push_back(std::move(wave));
}

}  // namespace w2w::simt
