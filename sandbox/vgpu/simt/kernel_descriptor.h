// The 64-byte kernel descriptor of a code object (LLVM, "User Guide for AMDGPU Backend", Kernel Descriptor), and the
// registers that a wave starts with according to it.
#pragma once
#include <cstdint>

namespace w2w::simt {

struct KernelDescriptor {
  // Parse the bytes of a loaded descriptor.
  explicit KernelDescriptor(const void* bytes);

  // Kernel code properties: which user SGPRs are there, in this order.
  bool private_segment_buffer, dispatch_pointer, queue_pointer, kernarg_pointer;
  bool dispatch_id, flat_scratch_init, private_segment_size;
  bool dynamic_stack;
  uint32_t preload_dwords, preload_offset;  // of the kernel arguments, into further user SGPRs
  uint32_t user_sgprs;
  bool workgroup_id[3];
  uint32_t mode;  // initial MODE register: rounding, denormals, DX10_CLAMP, IEEE
};

// What the SGPRs of a dispatch hold; all addresses as the kernel sees them.
struct DispatchPointers {
  uint64_t packet, queue, kernarg, dispatch_id;
  uint32_t private_bytes;  // of a work-item
};

// Put the id of a work-group where its waves find it.
void put_workgroup_id(const KernelDescriptor& descriptor, const uint32_t workgroup[3], uint32_t sgpr[128]);

// Fill the initial SGPRs of a wave of work-group `workgroup`.
void set_initial_sgprs(const KernelDescriptor& descriptor, const DispatchPointers& pointers,
                       const uint32_t workgroup[3], uint32_t sgpr[128]);

}  // namespace w2w::simt
