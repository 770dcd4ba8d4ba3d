// The shape of a dispatch: work-groups, partial ones at the far edges, and the work-items of their waves.
#pragma once
#include <cstdint>

#include "simt/target.h"

namespace w2w::simt {

struct GroupShape {
  uint32_t id[3];
  uint32_t size[3];  // work-items; smaller than the dispatch's at the edge of the grid

  uint32_t work_items() const { return size[0] * size[1] * size[2]; }
  uint32_t waves() const { return (work_items() + kLanes - 1) / kLanes; }
};

class Grid {
 public:
  // Sizes in work-items.
  Grid(const uint32_t grid[3], const uint32_t group[3]);

  uint64_t groups() const { return uint64_t{count_[0]} * count_[1] * count_[2]; }
  const uint32_t* groups_by_dimension() const { return count_; }
  const uint32_t* group_size() const { return group_; }
  // The n-th group, x fastest.
  GroupShape group(uint64_t n) const;

 private:
  uint32_t grid_[3], group_[3], count_[3];
};

// EXEC and packed work-item ids (x in bits 9:0, y in 19:10, z in 29:20) of the n-th wave of a group.
uint64_t initial_exec(const GroupShape& group, uint32_t wave);
void set_work_item_ids(const GroupShape& group, uint32_t wave, uint32_t v0[kLanes]);

}  // namespace w2w::simt
