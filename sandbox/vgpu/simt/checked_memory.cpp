// Checks of global, flat, scalar and private memory. Code translated with checks calls them before an access; they
// return the lanes whose access may happen, so that the program goes on after a report.
//
// Loads are told which of their 32-bit words nobody has written yet: not an error by itself (compilers copy padding),
// but one where the word's value matters; see cdna/undefined_values.py. Stores make bytes known, except those of words
// that hold such a value.
#include <algorithm>
#include <cstring>

#include "simt/allocation_ranges.h"
#include "simt/checks.h"
#include "simt/dispatch.h"
#include "simt/fault_text.h"
#include "simt/findings.h"
#include "simt/touched_pages.h"
#include "simt/wave.h"
#include "simt/written_bits.h"

namespace w2w::simt {
namespace {

constexpr uint64_t kAllLanes = ~uint64_t{0};
constexpr uint64_t kLongestSpan = 8192;   // bytes that are looked at together
constexpr unsigned kScalarSlack = 16;     // scalar loads of less than a word, or of three, are made wider
constexpr uintptr_t kWord = 4;
constexpr uintptr_t kPage = 4096;
constexpr uintptr_t kNullPage = 1 << 20;  // a null pointer with an index

AllocationRanges& ranges(w2w_wave* wave) { return Wave::of(wave)->runner->ranges; }

struct Access {
  w2w_wave* wave;
  uint32_t bytes;
  AccessKind kind;
  uint64_t* undefined;  // one mask of lanes for each 32-bit word; null where nobody asks
  bool returns;         // an atomic operation that tells what was there

  unsigned words() const { return (bytes + 3) / 4; }
  unsigned bytes_of_word() const { return std::min<unsigned>(bytes, 4); }
};

std::string describe(const Access& access, uintptr_t address) {
  return std::string(name_of(access.kind)) + " of " + bytes_text(access.bytes) + " at " +
         hexadecimal(address) + ": ";
}

const char* kind_outside(uintptr_t address) {
  void* base;
  size_t size;
  auto* at = reinterpret_cast<void*>(address);
  if (address < kNullPage) return "null-pointer";
  if (!find_allocation(at, &base, &size) && find_freed_allocation(at, &base, &size)) return "use-after-free";
  return "out-of-bounds";
}

void report_outside(const Access& access, unsigned lane, uintptr_t address) {
  const char* kind = kind_outside(address);
  if (!is_new_finding(*access.wave, kind)) return;
  note_finding(*access.wave, kind, static_cast<int>(lane),
               describe(access, address) + describe_address(*access.wave, reinterpret_cast<void*>(address)));
}

// ---- what has been written ----------------------------------------------------------------------------------------

bool holds_data(uintptr_t address, unsigned bytes) {
  auto* at = reinterpret_cast<const char*>(address);
  return std::any_of(at, at + bytes, [](char byte) { return byte != 0; });
}

// Memory comes as zeros, in pages that are not there before somebody uses them. The host may write without us: bytes
// that are not zero, and pages that are there although no store of a kernel and no copy came by, are its work.
// To be asked before anything looks at the bytes, which makes their page be there.
bool judge_page(const AllocationRange& range, uintptr_t address) {
  const uint64_t page = address / kPage * kPage - range.begin;
  if (!is_touched_by_host(range, page)) return false;
  set_bits(range.initialised, page, page + kPage);
  return true;
}

bool is_work_of_host(const AllocationRange& range, uintptr_t address, unsigned bytes) {
  if (judge_page(range, address)) return true;
  if (!holds_data(address, bytes)) return false;
  set_bits(range.initialised, address - range.begin, address - range.begin + bytes);
  return true;
}

// Before the first store to a page, which makes it be there.
void judge_pages(const AllocationRange& range, uintptr_t low, uintptr_t high) {
  for (uintptr_t page = low / kPage * kPage; page < high; page += kPage)
    if (!has_written_bytes(range, page - range.begin)) judge_page(range, page);
}

void find_undefined(const Access& access, const AllocationRange& range, unsigned lane, uintptr_t address) {
  const unsigned step = access.bytes_of_word();
  const uint64_t offset = address - range.begin;
  const uint64_t written = read_bits(range.initialised, offset, access.bytes);
  if (written == low_bits(access.bytes)) return;
  for (unsigned word = 0; word < access.words(); ++word) {
    if (written >> (4 * word) & low_bits(step)) continue;
    if (is_work_of_host(range, address + 4 * word, step)) continue;
    access.undefined[word] |= uint64_t{1} << lane;
    note_origin(access.wave, Origin::kMemory);
  }
}

// An atomic operation computes from what is there.
void check_counted(const Access& access, const AllocationRange& range, unsigned lane, uintptr_t address) {
  if (read_bits(range.initialised, address - range.begin, access.bytes)) return;
  if (is_work_of_host(range, address, access.bytes)) return;
  if (!is_new_finding(*access.wave, "uninitialised-memory")) return;
  note_finding(*access.wave, "uninitialised-memory", static_cast<int>(lane),
               describe(access, address) + "nobody wrote there before");
}

void note_written(const Access& access, const AllocationRange& range, unsigned lane, uintptr_t address) {
  const uint64_t offset = address - range.begin;
  judge_pages(range, address, address + access.bytes);
  set_bits(range.initialised, offset, offset + access.bytes);
  if (!access.undefined) return;
  note_own_page(range, offset / kPage * kPage);
  for (unsigned word = 0; word < access.words(); ++word)
    if (access.undefined[word] >> lane & 1)
      clear_bits(range.initialised, offset + 4 * word, offset + 4 * word + access.bytes_of_word());
}

bool any_undefined(const Access& access) {
  if (!access.undefined) return false;
  uint64_t any = 0;
  for (unsigned word = 0; word < access.words(); ++word) any |= access.undefined[word];
  return any != 0;
}

void track_lane(const Access& access, const AllocationRange& range, unsigned lane, uintptr_t address) {
  if (!range.initialised) return;
  if (access.kind == AccessKind::kLoad) {
    if (access.undefined) find_undefined(access, range, lane, address);
    return;
  }
  if (access.kind == AccessKind::kAtomic) check_counted(access, range, lane, address);
  note_written(access, range, lane, address);
}

bool follow_each_other(const uint64_t* addresses, uint64_t bytes) {
  uint64_t different = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) different |= addresses[lane] ^ (addresses[0] + lane * bytes);
  return different == 0;
}

void track(const Access& access, uint64_t exec, const uint64_t* addresses, const AllocationRange& range, uint64_t low,
           uint64_t high) {
  if (!range.initialised || (access.kind == AccessKind::kLoad && !access.undefined)) return;
  const bool marks = access.kind != AccessKind::kLoad;
  const bool forgets = marks && any_undefined(access);
  if (!forgets) {
    if (high - low <= kLongestSpan && all_set(range.initialised, low - range.begin, high - range.begin)) return;
    if (marks && exec == kAllLanes && follow_each_other(addresses, access.bytes)) {
      judge_pages(range, low, high);
      return set_bits(range.initialised, low - range.begin, high - range.begin);
    }
  }
  for (unsigned lane : ActiveLanes(exec)) track_lane(access, range, lane, addresses[lane]);
}

// ---- bounds -----------------------------------------------------------------------------------------------------------

void find_span(uint64_t exec, const uint64_t* addresses, uint64_t* low, uint64_t* high) {
  uint64_t least = ~uint64_t{0}, greatest = 0;
  if (exec == kAllLanes) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      least = std::min(least, addresses[lane]);
      greatest = std::max(greatest, addresses[lane]);
    }
  } else {
    for (unsigned lane : ActiveLanes(exec)) {
      least = std::min(least, addresses[lane]);
      greatest = std::max(greatest, addresses[lane]);
    }
  }
  *low = least;
  *high = greatest;
}

void check_alignment(const Access& access, uint64_t exec, const uint64_t* addresses) {
  for (unsigned lane : ActiveLanes(exec)) {
    if (addresses[lane] % access.bytes == 0) continue;
    if (is_new_finding(*access.wave, "misaligned-atomic"))
      note_finding(*access.wave, "misaligned-atomic", static_cast<int>(lane),
                   describe(access, addresses[lane]) + "the address is no multiple of " + bytes_text(access.bytes));
    return;
  }
}

bool check_lane(const Access& access, unsigned lane, uintptr_t address) {
  if (const AllocationRange* range = ranges(access.wave).find(address, address + access.bytes)) {
    track_lane(access, *range, lane, address);
    return true;
  }
  // Atomics on halves are made of words. No allocation ends within one: a word that begins inside belongs to it.
  if (access.bytes == kWord && address % kWord == 0 && ranges(access.wave).find(address, address + 1)) return true;
  if (is_shared_with_host(reinterpret_cast<void*>(address))) return true;
  report_outside(access, lane, address);
  return false;
}

uint64_t check_global(const Access& access, uint64_t exec, const uint64_t* addresses) {
  if (access.undefined && access.kind != AccessKind::kStore)
    std::fill_n(access.undefined, access.words(), uint64_t{0});
  if (!exec) return 0;
  if (is_atomic(access.kind)) {
    check_alignment(access, exec, addresses);
  } else if (access.kind == AccessKind::kLoad) {
    Wave::of(access.wave)->lane_locks.note_load(addresses[__builtin_ctzll(exec)]);
  }
  uint64_t low, high;
  find_span(exec, addresses, &low, &high);
  high += access.bytes;
  if (high > low) {
    if (const AllocationRange* range = ranges(access.wave).find(low, high)) {
      track(access, exec, addresses, *range, low, high);
      if (is_atomic(access.kind)) note_atomic(access.wave, exec, addresses, access.bytes, access.returns);
      return exec;
    }
  }
  uint64_t allowed = 0;
  for (unsigned lane : ActiveLanes(exec))
  if (check_lane(access, lane, addresses[lane])) allowed |= uint64_t{1} << lane;
  if (is_atomic(access.kind)) note_atomic(access.wave, allowed, addresses, access.bytes, access.returns);
  return allowed;
}

uint64_t check_private(const Access& access, uint64_t exec, const uint64_t* offsets) {
  uint64_t allowed = 0, stride = access.wave->scratch_stride;
  for (unsigned lane : ActiveLanes(exec)) {
    if (offsets[lane] < stride && access.bytes <= stride - offsets[lane]) {
      allowed |= uint64_t{1} << lane;
    } else if (is_new_finding(*access.wave, "out-of-bounds")) {
      note_finding(*access.wave, "out-of-bounds", static_cast<int>(lane),
                   describe(access, offsets[lane]) + "private memory of a work-item has " + bytes_text(stride));
    }
  }
  return allowed;
}

uint64_t lanes_with_aperture(uint64_t exec, const uint64_t* addresses, uint32_t aperture) {
  uint64_t found = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) found |= uint64_t{addresses[lane] >> 32 == aperture} << lane;
  return found & exec;
}

uint64_t check_flat(const Access& access, uint64_t exec, const uint64_t* addresses) {
  const uint64_t shared = lanes_with_aperture(exec, addresses, kLdsAperture);
  const uint64_t mine = lanes_with_aperture(exec, addresses, kScratchAperture);
  uint64_t allowed = check_global(access, exec & ~shared & ~mine, addresses);
  if (mine) {
    uint64_t offsets[kLanes];
    for (unsigned lane = 0; lane < kLanes; ++lane) offsets[lane] = static_cast<uint32_t>(addresses[lane]);
    allowed |= check_private(access, mine, offsets);
  }
  if (shared) {
    uint32_t offsets[kLanes];
    uint64_t undefined[4] = {};
    for (unsigned lane = 0; lane < kLanes; ++lane) offsets[lane] = static_cast<uint32_t>(addresses[lane]);
    const bool loads = access.kind == AccessKind::kLoad && access.undefined;
    if (access.kind == AccessKind::kStore && access.undefined)
      std::copy_n(access.undefined, access.words(), undefined);
    allowed |= check_lds(access.wave, shared, offsets, access.bytes, access.kind, undefined, nullptr, access.returns);
    if (loads)
      for (unsigned word = 0; word < access.words(); ++word) access.undefined[word] |= undefined[word];
  }
  return allowed;
}

}  // namespace
}  // namespace w2w::simt

using namespace w2w::simt;
using w2w::is_shared_with_host;

extern "C" {

uint64_t w2w_check_global(w2w_wave* wave, uint64_t exec, const uint64_t* addresses, uint64_t offset, uint32_t bytes,
                          uint32_t kind, uint64_t* undefined, uint64_t bad_address, uint64_t bad_data) {
  check_undefined(*wave, exec, {bad_address, bad_data});
  const Access access{wave, bytes, static_cast<AccessKind>(kind % kReturns), undefined, kind >= kReturns};
  if (!offset) return check_global(access, exec, addresses);
  uint64_t places[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane) places[lane] = addresses[lane] + offset;
  return check_global(access, exec, places);
}

uint64_t w2w_check_base(w2w_wave* wave, uint64_t exec, const uint32_t* offsets, uint64_t base, uint32_t bytes,
                        uint32_t kind, uint64_t* undefined, uint64_t bad_address, uint64_t bad_data) {
  check_undefined(*wave, exec, {bad_address, bad_data});
  uint64_t places[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane) places[lane] = base + offsets[lane];
  return check_global({wave, bytes, static_cast<AccessKind>(kind % kReturns), undefined, kind >= kReturns}, exec, places);
}

uint64_t w2w_check_flat(w2w_wave* wave, uint64_t exec, const uint64_t* addresses, uint64_t offset, uint32_t bytes,
                        uint32_t kind, uint64_t* undefined, uint64_t bad_address, uint64_t bad_data) {
  check_undefined(*wave, exec, {bad_address, bad_data});
  uint64_t places[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane) places[lane] = addresses[lane] + offset;
  return check_flat({wave, bytes, static_cast<AccessKind>(kind % kReturns), undefined, kind >= kReturns}, exec, places);
}

// `offsets` may be null: all lanes at `offset`.
uint64_t w2w_check_scratch(w2w_wave* wave, uint64_t exec, const uint32_t* offsets, uint64_t offset, uint32_t bytes,
                           uint32_t kind, uint64_t* undefined, uint64_t bad_address, uint64_t) {
  check_undefined(*wave, exec, {bad_address, 0});  // what is spilled is not used
  const Access access{wave, bytes, static_cast<AccessKind>(kind % kReturns), undefined, kind >= kReturns};
  if (undefined && access.kind != AccessKind::kStore) std::fill_n(undefined, access.words(), uint64_t{0});
  uint64_t places[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane) places[lane] = offset + (offsets ? offsets[lane] : 0);
  return check_private(access, exec, places);
}

// A scalar access; 1 if it may happen, else 0.
uint32_t w2w_check_scalar(w2w_wave* wave, uint64_t address, uint32_t bytes, uint32_t kind) {
  const Access access{wave, bytes, static_cast<AccessKind>(kind), nullptr, false};
  const AllocationRange* range = ranges(wave).find(address, address + 1);
  if (range && address + bytes <= (range->end + kScalarSlack - 1) / kScalarSlack * kScalarSlack) {
    if (access.kind != AccessKind::kLoad && range->initialised)
      set_bits(range->initialised, address - range->begin, address - range->begin + bytes);
    return true;
  }
  if (!range && is_shared_with_host(reinterpret_cast<void*>(address))) return true;
  report_outside(access, 0, address);
  return false;
}

}  // extern "C"
