#include "hsa/kernel_dispatch.h"

#include <string>

#include "common/fault_report.h"
#include "hsa/blit.h"
#include "hsa/executables.h"
#include "hsa/signals.h"

namespace w2w::hsa {
namespace {

int refuse(const std::string& kernel, const std::string& message, hsa_status_t status) {
  Fault fault;
  fault.kind = "out-of-resources";
  fault.kernel = kernel;
  fault.message = message;
  report(fault);
  return status;
}

std::string shape(const hsa_kernel_dispatch_packet_t& packet) {
  return std::to_string(packet.workgroup_size_x) + "x" + std::to_string(packet.workgroup_size_y) + "x" +
         std::to_string(packet.workgroup_size_z);
}

// Trap: ROCclr does not compare static and dynamic LDS together with the part's limit; the command processor does.
int check(const LoadedKernel& kernel, const hsa_kernel_dispatch_packet_t& packet, const DeviceTraits& device) {
  const uint64_t items = uint64_t{packet.workgroup_size_x} * packet.workgroup_size_y * packet.workgroup_size_z;
  if (!items || items > device.workgroup_items)
    return refuse(kernel.name,
                  "a work-group of " + shape(packet) + " work-items was launched; " + device.target + " takes 1 to " +
                      std::to_string(device.workgroup_items),
                  HSA_STATUS_ERROR_INVALID_ARGUMENT);
  if (packet.group_segment_size > device.lds_bytes)
    return refuse(kernel.name,
                  "a work-group needs " + std::to_string(packet.group_segment_size) + " bytes of LDS; " +
                      device.target + " has " + std::to_string(device.lds_bytes),
                  HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  if (packet.group_segment_size < kernel.traits.lds_bytes)
    return refuse(kernel.name,
                  "the dispatch gives " + std::to_string(packet.group_segment_size) +
                      " bytes of LDS to a kernel that has " + std::to_string(kernel.traits.lds_bytes) +
                      " bytes of static LDS",
                  HSA_STATUS_ERROR_INVALID_ALLOCATION);
  return HSA_STATUS_SUCCESS;
}

}  // namespace

int run_kernel(Queue* queue, const hsa_kernel_dispatch_packet_t& packet, uint64_t* started) {
  std::shared_ptr<const LoadedKernel> kernel = find_kernel(packet.kernel_object);
  if (!kernel)
    return refuse("", "a dispatch names no loaded kernel (was its module unloaded?)",
                  HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  const DeviceTraits& device = *queue->agent()->device;
  if (int status = check(*kernel, packet, device)) return status;
  const auto* descriptor = reinterpret_cast<const char*>(kernel->descriptor);
  Dispatch dispatch{};
  dispatch.packet = &packet;
  dispatch.queue = queue->handle();
  dispatch.target = device.target;
  dispatch.kernel = kernel->name.c_str();
  dispatch.descriptor = descriptor;
  dispatch.entry = descriptor + kernel->traits.entry_offset;
  dispatch.kernarg_size = kernel->traits.kernarg_bytes;
  dispatch.image = kernel->code->image();
  dispatch.image_size = kernel->code->image_size();
  dispatch.elf = kernel->code->elf().data();
  dispatch.elf_size = kernel->code->elf().size();
  if (is_blit_kernel(kernel->name) && !settings().emulate_blit && run_blit(dispatch)) return HSA_STATUS_SUCCESS;
  prepare(dispatch);
  *started = timestamp();
  return execute(dispatch);
}

}  // namespace w2w::hsa
