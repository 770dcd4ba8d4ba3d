#include "simt/dispatch_run.h"

#include <hsa/amd_hsa_queue.h>

#include <algorithm>

namespace w2w::simt {
namespace {

// What a work-item gets for functions whose stack use the compiler does not know, where the packet asks for less.
constexpr uint64_t kDynamicStackBytes = 16 << 10;
constexpr uint64_t kScratchAlignment = 16;

Grid make_grid(const hsa_kernel_dispatch_packet_t& packet) {
  const uint32_t grid[3] = {packet.grid_size_x, packet.grid_size_y, packet.grid_size_z};
  const uint32_t group[3] = {packet.workgroup_size_x, packet.workgroup_size_y, packet.workgroup_size_z};
  return Grid(grid, group);
}

uint64_t scratch_bytes(const hsa_kernel_dispatch_packet_t& packet, const KernelDescriptor& descriptor) {
  uint64_t wanted = packet.private_segment_size;
  if (descriptor.dynamic_stack) wanted = std::max(wanted, kDynamicStackBytes);
  return (wanted + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
}

uint64_t max_resident(const Target& target, const Grid& grid) {
  const uint32_t* size = grid.group_size();
  uint64_t waves = (uint64_t{size[0]} * size[1] * size[2] + kLanes - 1) / kLanes;
  return std::max<uint64_t>(1, target.resident_waves() / waves);
}

}  // namespace

DispatchRun::DispatchRun(const Dispatch& d, const Target& t, Kernel& k)
    : dispatch(d),
      target(t),
      kernel(k),
      function(k.function),
      descriptor(d.descriptor),
      grid(make_grid(*d.packet)),
      lds_bytes(d.packet->group_segment_size),
      scratch_stride(scratch_bytes(*d.packet, descriptor)),
      max_resident_groups_(max_resident(t, grid)) {
  auto* queue = reinterpret_cast<const amd_queue_v2_t*>(d.queue);
  pointers.packet = reinterpret_cast<uint64_t>(d.packet);
  pointers.queue = reinterpret_cast<uint64_t>(d.queue);
  pointers.kernarg = reinterpret_cast<uint64_t>(d.packet->kernarg_address);
  pointers.dispatch_id = queue ? queue->read_dispatch_id : 0;
  pointers.private_bytes = static_cast<uint32_t>(scratch_stride);
}

uint64_t DispatchRun::next_number() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

bool DispatchRun::admit(uint64_t* group) {
  if (all_admitted()) return false;
  if (resident_groups.fetch_add(1) >= max_resident_groups_) {
    resident_groups.fetch_sub(1);
    return false;
  }
  *group = next_group.fetch_add(1);
  if (*group < grid.groups()) return true;
  resident_groups.fetch_sub(1);
  return false;
}

void DispatchRun::retire_group() { resident_groups.fetch_sub(1); }

}  // namespace w2w::simt
