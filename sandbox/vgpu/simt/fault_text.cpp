#include "simt/fault_text.h"

#include <algorithm>
#include <cstdio>

#include "common/fault_report.h"
#include "simt/dispatch.h"
#include "simt/kernel_table.h"
#include "simt/wave.h"

namespace w2w::simt {
namespace {

constexpr uintptr_t kNullPage = 1 << 20;  // a null pointer with an index
constexpr uintptr_t kPage = 4096;
constexpr uintptr_t kSearched = 1 << 20;  // how far from an allocation a fault is still put down to it

// Allocations are whole pages or end at one, so looking at page boundaries finds them.
std::string nearest_allocation(uintptr_t address) {
  void* base;
  size_t size;
  auto found = [&](uintptr_t place) { return find_allocation(reinterpret_cast<void*>(place), &base, &size); };
  auto allocation = [&] {
    return "the allocation of " + bytes_text(size) + " at " + hexadecimal(reinterpret_cast<uintptr_t>(base));
  };
  if (found(address)) {
    uintptr_t end = reinterpret_cast<uintptr_t>(base) + size;
    if (address >= end) return bytes_text(address - end) + " past the end of " + allocation();
    return bytes_text(end - address) + " before the end of " + allocation();
  }
  if (find_freed_allocation(reinterpret_cast<void*>(address), &base, &size))
    return "inside " + allocation() + ", which was freed";
  // Two looks a page: down to the end of one before, up to the beginning of one behind.
  uintptr_t page = address / kPage * kPage;
  for (uintptr_t distance = 0; distance <= kSearched; distance += kPage) {
    if (distance < page && found(page - distance - 1))
      return bytes_text(address - reinterpret_cast<uintptr_t>(base) - size) + " past the end of " + allocation();
    if (found(page + distance + kPage))
      return bytes_text(reinterpret_cast<uintptr_t>(base) - address) + " before " + allocation();
  }
  return "in no allocation";
}

}  // namespace

std::string bytes_text(uint64_t n) { return std::to_string(n) + (n == 1 ? " byte" : " bytes"); }

std::string hexadecimal(uint64_t value) {
  char text[24];
  snprintf(text, sizeof text, "0x%lx", value);
  return text;
}

std::string workgroup_name(const w2w_wave& wave) {
  return "work-group (" + std::to_string(wave.workgroup[0]) + ", " + std::to_string(wave.workgroup[1]) + ", " +
         std::to_string(wave.workgroup[2]) + ")";
}

std::string work_item_name(const w2w_wave& wave, unsigned lane) {
  constexpr uint32_t mask = 1023;
  uint32_t id = wave.v0[lane];
  return "work-item (" + std::to_string(id & mask) + ", " + std::to_string(id >> 10 & mask) + ", " +
         std::to_string(id >> 20 & mask) + ") in lane " + std::to_string(lane);
}

void place_in_source(const Kernel& kernel, uint64_t pc, Fault* fault) {
  const Site* end = kernel.sites + kernel.site_count;
  const Site* site = std::lower_bound(kernel.sites, end, pc, [](const Site& at, uint64_t wanted) { return at.pc < wanted; });
  if (site == end || site->pc != pc) return;
  fault->instruction = site->instruction;
  if (*site->file) fault->source = std::string(site->file) + ":" + std::to_string(site->line);
}

std::string describe_address(const w2w_wave& state, const void* address) {
  const Wave& wave = *Wave::of(const_cast<w2w_wave*>(&state));
  auto value = reinterpret_cast<uintptr_t>(address);
  auto lds = reinterpret_cast<uintptr_t>(state.lds);
  if (wave.workgroup->lds.guards(address))
    return "LDS offset " + std::to_string(value - lds) + ", but the work-group has " + bytes_text(state.lds_size);
  if (wave.scratch.guards(address))
    return "behind the private memory of the wave's last work-item (" + bytes_text(state.scratch_stride) + " each)";
  if (value < kNullPage) return "a null pointer plus " + bytes_text(value);
  return nearest_allocation(value);
}

}  // namespace w2w::simt
