#include "simt/grid.h"

#include <algorithm>

namespace w2w::simt {

Grid::Grid(const uint32_t grid[3], const uint32_t group[3]) {
  for (int i = 0; i < 3; ++i) {
    grid_[i] = std::max(grid[i], 1u);
    group_[i] = std::max(group[i], 1u);
    count_[i] = static_cast<uint32_t>((uint64_t{grid_[i]} + group_[i] - 1) / group_[i]);
  }
}

GroupShape Grid::group(uint64_t n) const {
  GroupShape shape;
  shape.id[0] = static_cast<uint32_t>(n % count_[0]);
  shape.id[1] = static_cast<uint32_t>(n / count_[0] % count_[1]);
  shape.id[2] = static_cast<uint32_t>(n / count_[0] / count_[1]);
  for (int i = 0; i < 3; ++i) shape.size[i] = std::min(group_[i], grid_[i] - shape.id[i] * group_[i]);
  return shape;
}

uint64_t initial_exec(const GroupShape& group, uint32_t wave) {
  uint32_t left = group.work_items() - wave * kLanes;
  return left >= kLanes ? ~uint64_t{0} : (uint64_t{1} << left) - 1;
}

void set_work_item_ids(const GroupShape& group, uint32_t wave, uint32_t v0[kLanes]) {
  uint32_t first = wave * kLanes;
  uint32_t x = first % group.size[0];
  uint32_t y = first / group.size[0] % group.size[1];
  uint32_t z = first / group.size[0] / group.size[1];
  if (x + kLanes <= group.size[0]) {  // a whole wave in one row, as in most one-dimensional groups
    for (uint32_t lane = 0; lane < kLanes; ++lane) v0[lane] = (x + lane) | y << 10 | z << 20;
    return;
  }
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    v0[lane] = x | y << 10 | z << 20;
    if (++x < group.size[0]) continue;
    x = 0;
    if (++y < group.size[1]) continue;
    y = 0;
    ++z;
  }
}

}  // namespace w2w::simt
