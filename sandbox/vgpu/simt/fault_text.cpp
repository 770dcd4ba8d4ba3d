#include "simt/fault_text.h"

#include <cstdio>

#include "simt/dispatch.h"
#include "simt/wave.h"

namespace w2w::simt {
namespace {

constexpr uintptr_t kNullPage = 1 << 20;  // a null pointer with an index
constexpr uintptr_t kPage = 4096;
constexpr uintptr_t kSearched = 1 << 20;  // how far from an allocation a fault is still put down to it

std::string bytes(uint64_t n) { return std::to_string(n) + (n == 1 ? " byte" : " bytes"); }

// Allocations are whole pages or end at one, so looking at page boundaries finds them.
std::string nearest_allocation(uintptr_t address) {
  void* base;
  size_t size;
  auto found = [&](uintptr_t place) { return find_allocation(reinterpret_cast<void*>(place), &base, &size); };
  auto allocation = [&] {
    return "the allocation of " + bytes(size) + " at " + hexadecimal(reinterpret_cast<uintptr_t>(base));
  };
  if (found(address)) return "inside " + allocation() + ", which the device may not access";
  if (find_freed_allocation(reinterpret_cast<void*>(address), &base, &size))
    return "inside " + allocation() + ", which was freed";
  uintptr_t page = address / kPage * kPage;
  for (uintptr_t distance = 0; distance <= kSearched && distance < page; distance += kPage)
    if (found(page - distance - 1))
      return bytes(address - reinterpret_cast<uintptr_t>(base) - size) + " past the end of " + allocation();
  for (uintptr_t distance = kPage; distance <= kSearched; distance += kPage)
    if (found(page + distance)) return bytes(reinterpret_cast<uintptr_t>(base) - address) + " before " + allocation();
  return "in no allocation";
}

}  // namespace

std::string hexadecimal(uint64_t value) {
  char text[24];
  snprintf(text, sizeof text, "0x%lx", value);
  return text;
}

std::string workgroup_name(const w2w_wave& wave) {
  return "work-group (" + std::to_string(wave.workgroup[0]) + ", " + std::to_string(wave.workgroup[1]) + ", " +
         std::to_string(wave.workgroup[2]) + ")";
}

std::string describe_address(const w2w_wave& state, const void* address) {
  const Wave& wave = *Wave::of(const_cast<w2w_wave*>(&state));
  auto value = reinterpret_cast<uintptr_t>(address);
  auto lds = reinterpret_cast<uintptr_t>(state.lds);
  if (wave.workgroup->lds.guards(address))
    return "LDS offset " + std::to_string(value - lds) + ", but the work-group has " + bytes(state.lds_size);
  if (wave.scratch.guards(address))
    return "behind the private memory of the wave's last work-item (" + bytes(state.scratch_stride) + " each)";
  if (value < kNullPage) return "a null pointer plus " + bytes(value);
  return nearest_allocation(value);
}

}  // namespace w2w::simt
