#include "simt/kernel_descriptor.h"

#include <cstring>

namespace w2w::simt {
namespace {

constexpr int kRsrc1Offset = 48, kRsrc2Offset = 52, kPropertiesOffset = 56, kPreloadOffset = 58;
constexpr uint32_t kSgprs = 128;

template <typename T>
T load(const void* bytes, int offset) {
  T value;
  memcpy(&value, static_cast<const char*>(bytes) + offset, sizeof value);
  return value;
}

uint32_t field(uint32_t word, int low, int width) { return word >> low & ((1u << width) - 1); }

}  // namespace

KernelDescriptor::KernelDescriptor(const void* bytes) {
  auto rsrc1 = load<uint32_t>(bytes, kRsrc1Offset);
  auto rsrc2 = load<uint32_t>(bytes, kRsrc2Offset);
  uint32_t properties = load<uint16_t>(bytes, kPropertiesOffset);
  uint32_t preload = load<uint16_t>(bytes, kPreloadOffset);

  private_segment_buffer = field(properties, 0, 1);
  dispatch_pointer = field(properties, 1, 1);
  queue_pointer = field(properties, 2, 1);
  kernarg_pointer = field(properties, 3, 1);
  dispatch_id = field(properties, 4, 1);
  flat_scratch_init = field(properties, 5, 1);
  private_segment_size = field(properties, 6, 1);
  dynamic_stack = field(properties, 11, 1);
  preload_dwords = field(preload, 0, 7);
  preload_offset = field(preload, 7, 9);
  user_sgprs = field(rsrc2, 1, 5);
  for (int i = 0; i < 3; ++i) workgroup_id[i] = field(rsrc2, 7 + i, 1);
  // FLOAT_MODE is MODE[7:0] as it stands; DX10_CLAMP and IEEE are MODE[8] and MODE[9].
  mode = field(rsrc1, 12, 8) | field(rsrc1, 21, 1) << 8 | field(rsrc1, 23, 1) << 9;
}

void set_initial_sgprs(const KernelDescriptor& descriptor, const DispatchPointers& pointers,
                       const uint32_t workgroup[3], uint32_t sgpr[128]) {
  memset(sgpr, 0, kSgprs * sizeof *sgpr);
  uint32_t n = 0;
  auto put = [&](uint64_t value) {
    sgpr[n++] = static_cast<uint32_t>(value);
    sgpr[n++] = static_cast<uint32_t>(value >> 32);
  };
  if (descriptor.private_segment_buffer) n += 4;  // unused where flat scratch is architected, as on gfx942
  if (descriptor.dispatch_pointer) put(pointers.packet);
  if (descriptor.queue_pointer) put(pointers.queue);
  if (descriptor.kernarg_pointer) put(pointers.kernarg);
  if (descriptor.dispatch_id) put(pointers.dispatch_id);
  if (descriptor.flat_scratch_init) n += 2;
  if (descriptor.private_segment_size) sgpr[n++] = pointers.private_bytes;
  uint32_t room = descriptor.user_sgprs > n ? descriptor.user_sgprs - n : 0;
  uint32_t preload = descriptor.preload_dwords < room ? descriptor.preload_dwords : room;
  if (preload) {
    auto* arguments = reinterpret_cast<const char*>(pointers.kernarg) + 4 * descriptor.preload_offset;
    memcpy(sgpr + n, arguments, 4 * preload);
  }
  put_workgroup_id(descriptor, workgroup, sgpr);
}

void put_workgroup_id(const KernelDescriptor& descriptor, const uint32_t workgroup[3], uint32_t sgpr[128]) {
  uint32_t n = descriptor.user_sgprs;
  for (int i = 0; i < 3; ++i)
    if (descriptor.workgroup_id[i]) sgpr[n++] = workgroup[i];
}

}  // namespace w2w::simt
