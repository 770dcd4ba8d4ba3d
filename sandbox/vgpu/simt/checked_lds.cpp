// Checks of LDS: bounds, words that nobody has written, and races between the waves of a work-group.
#include <algorithm>
#include <cstring>

#include "common/fault_report.h"
#include "simt/checks.h"
#include "simt/dispatch_run.h"
#include "simt/fault_text.h"
#include "simt/findings.h"
#include "simt/lds_shadow.h"
#include "simt/wave.h"
#include "simt/written_bits.h"

namespace w2w::simt {
namespace {

struct LdsAccess {
  w2w_wave* wave;
  LdsShadow& shadow;
  unsigned number;  // of the wave in its group
  uint32_t bytes;
  AccessKind kind;

  unsigned words() const { return (bytes + 3) / 4; }
  unsigned bytes_of_word() const { return bytes < 4 ? bytes : 4; }
};

std::string describe(const LdsAccess& access, uint32_t offset) {
  return std::string(name_of(access.kind)) + " of " + bytes_text(access.bytes) + " at LDS offset " +
         std::to_string(offset);
}

void report_outside(const LdsAccess& access, int lane, uint32_t offset) {
  if (!is_new_finding(*access.wave, "lds-out-of-bounds")) return;
  note_finding(*access.wave, "lds-out-of-bounds", lane,
               describe(access, offset) + ": the work-group has " + bytes_text(access.wave->lds_size));
}

std::string place_text(const Kernel& kernel, uint64_t pc) {
  Fault place;
  place_in_source(kernel, pc, &place);
  return " at pc " + hexadecimal(pc) + (place.source.empty() ? "" : " (" + place.source + ")");
}

// `place`: where the other wave did it, if that is known.
void report_race(const LdsAccess& access, unsigned lane, uint32_t offset, int other, const char* did,
                 const std::string& place) {
  note_finding(*access.wave, "lds-race", static_cast<int>(lane),
               describe(access, offset) + " by wave " + std::to_string(access.number) + ": wave " +
                   std::to_string(other) + " " + did + " it" + place +
                   ", and neither a barrier nor an atomic operation lies in between");
}

// An atomic operation computes from what is there.
void report_counted(const LdsAccess& access, unsigned lane, uint32_t offset) {
  if (!is_new_finding(*access.wave, "uninitialised-lds")) return;
  note_finding(*access.wave, "uninitialised-lds", static_cast<int>(lane),
               describe(access, offset) + ": nobody wrote there before");
}

// A store of what is there already changes nothing that another wave could see.
bool changes(const LdsAccess& access, uint32_t offset, const uint32_t* data) {
  if (!data || read_bits(access.shadow.written_bits(), offset, 4) != 15) return true;
  return memcmp(access.wave->lds + offset, data, 4) != 0;
}

void check_race(const LdsAccess& access, unsigned lane, uint32_t offset, const uint32_t* data) {
  LdsShadow& shadow = access.shadow;
  const uint32_t word = offset / 4;
  const bool reads = access.kind == AccessKind::kLoad;
  if (!reads && !is_atomic(access.kind) && !changes(access, offset, data)) return;
  const bool is_new = is_new_finding(*access.wave, "lds-race");
  int writer = is_new ? shadow.racing_writer(access.number, word, word + 1, is_atomic(access.kind)) : -1;
  if (writer >= 0) {
    const Kernel& kernel = Wave::of(access.wave)->runner->run->kernel;
    report_race(access, lane, offset, writer, "wrote", place_text(kernel, shadow.last_write(word).pc));
  }
  if (reads) return shadow.note_read(access.number, word, word + 1);
  int reader = is_new && writer < 0 ? shadow.racing_reader(access.number, word, word + 1) : -1;
  if (reader >= 0) report_race(access, lane, offset, reader, "read", "");
  shadow.note_write(access.number, word, word + 1, access.wave->pc, is_atomic(access.kind));
}

void track_written(const LdsAccess& access, unsigned lane, uint32_t offset, uint64_t* undefined) {
  uint64_t* bits = access.shadow.written_bits();
  const unsigned step = access.bytes_of_word();
  if (access.kind == AccessKind::kLoad) {
    if (!undefined) return;
    const uint64_t written = read_bits(bits, offset, access.bytes);
    for (unsigned word = 0; word < access.words(); ++word)
      if (!(written >> (4 * word) & low_bits(step))) {
        undefined[word] |= uint64_t{1} << lane;
        note_origin(access.wave, Origin::kLds);
      }
    return;
  }
  if (access.kind == AccessKind::kAtomic && !read_bits(bits, offset, access.bytes)) report_counted(access, lane, offset);
  set_bits(bits, offset, offset + access.bytes);
  if (!undefined) return;
  for (unsigned word = 0; word < access.words(); ++word)
    if (undefined[word] >> lane & 1) clear_bits(bits, offset + 4 * word, offset + 4 * word + step);
}

void check_lane(const LdsAccess& access, unsigned lane, uint32_t offset, uint64_t* undefined, const uint32_t* data) {
  // Bytes and halves of one word belong to different waves as often as not: only whole words are looked at.
  if (access.shadow.several_waves() && access.bytes >= 4 && offset % 4 == 0)
    for (unsigned word = 0; word < access.words(); ++word)
      check_race(access, lane, offset + 4 * word, data ? data + kLanes * word + lane : nullptr);
  track_written(access, lane, offset, undefined);
}

// ---- all lanes at once ------------------------------------------------------------------------------------------------

constexpr uint64_t kAllLanes = ~uint64_t{0};
constexpr unsigned kGroup = 16;

bool follow_each_other(const uint32_t* offsets, unsigned count, uint32_t bytes) {
  uint32_t different = 0;
  for (unsigned lane = 0; lane < count; ++lane) different |= offsets[lane] ^ (offsets[0] + lane * bytes);
  return different == 0;
}

bool are_equal(const uint32_t* offsets, unsigned count) {
  uint32_t different = 0;
  for (unsigned lane = 0; lane < count; ++lane) different |= offsets[lane] ^ offsets[0];
  return different == 0;
}

// Loads while nobody writes race with nothing; what they read is noted, in groups of lanes that follow or share.
void note_reads(const LdsAccess& access, uint64_t exec, const uint32_t* offsets) {
  const uint32_t words = access.bytes / 4;
  for (unsigned first = 0; first < kLanes; first += kGroup) {
    const uint32_t* group = offsets + first;
    const uint32_t start = group[0] / 4;
    const uint64_t on = exec >> first & 0xffff;
    if (on == 0xffff && are_equal(group, kGroup))
      access.shadow.note_read(access.number, start, start + words);
    else if (on == 0xffff && follow_each_other(group, kGroup, access.bytes))
      access.shadow.note_read(access.number, start, start + kGroup * words);
    else
      for (unsigned lane : ActiveLanes(on)) access.shadow.note_read(access.number, group[lane] / 4, group[lane] / 4 + words);
  }
}

// Whether the access is checked already: all lanes within bounds, words that were written, and no race possible.
bool check_together(const LdsAccess& access, uint64_t exec, const uint32_t* offsets, const uint64_t* undefined) {
  if (exec != kAllLanes || access.bytes < 4 || is_atomic(access.kind)) return false;
  uint32_t low = ~uint32_t{0}, high = 0, any = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    low = std::min(low, offsets[lane]);
    high = std::max(high, offsets[lane]);
    any |= offsets[lane];
  }
  if (any % 4 || uint64_t{high} + access.bytes > access.wave->lds_size) return false;
  const uint32_t end = high + access.bytes;
  LdsShadow& shadow = access.shadow;
  if (access.kind == AccessKind::kLoad) {
    if (shadow.several_waves() && !shadow.is_quiet()) return false;
    if (undefined && !all_set(shadow.written_bits(), low, end)) return false;
    if (shadow.several_waves()) note_reads(access, exec, offsets);
    return true;
  }
  if (undefined || !follow_each_other(offsets, kLanes, access.bytes)) return false;
  if (shadow.several_waves()) {
    if (shadow.racing_writer(access.number, low / 4, end / 4, false) >= 0) return false;
    if (shadow.racing_reader(access.number, low / 4, end / 4) >= 0) return false;
    shadow.note_write(access.number, low / 4, end / 4, access.wave->pc, false);
  }
  set_bits(shadow.written_bits(), low, end);
  return true;
}

}  // namespace

uint64_t check_lds(w2w_wave* wave, uint64_t exec, const uint32_t* offsets, uint32_t bytes, AccessKind kind,
                   uint64_t* undefined, const uint32_t* data, bool returns) {
  LdsAccess access{wave, *Wave::of(wave)->lds_shadow, Wave::of(wave)->number, bytes, kind};
  if (check_together(access, exec, offsets, undefined)) return exec;
  uint64_t allowed = 0, places[kLanes];
  for (unsigned lane : ActiveLanes(exec)) {
    const uint32_t offset = offsets[lane];
    if (uint64_t{offset} + bytes > wave->lds_size) {
      report_outside(access, static_cast<int>(lane), offset);
      continue;
    }
    allowed |= uint64_t{1} << lane;
    if (is_atomic(kind)) {
      access.shadow.synchronise(access.number, offset);
      places[lane] = reinterpret_cast<uint64_t>(wave->lds + offset);
    }
    check_lane(access, lane, offset, undefined, data);
  }
  if (is_atomic(kind) && returns) Wave::of(wave)->lane_locks.note_atomic(allowed, places, bytes);
  return allowed;
}

void report_lds_outside(w2w_wave& wave) {
  if (!wave.outside_bytes) return;
  wave.pc = wave.outside_pc;
  if (!is_new_finding(wave, "lds-out-of-bounds")) return;
  note_finding(wave, "lds-out-of-bounds", kWholeWave,
               "access of " + bytes_text(wave.outside_bytes) + " at LDS offset " + std::to_string(wave.outside_offset) +
                   ": the work-group has " + bytes_text(wave.lds_size));
}

void note_atomic(w2w_wave* wave, uint64_t exec, const uint64_t* addresses, uint32_t bytes, bool returns) {
  if (returns) Wave::of(wave)->lane_locks.note_atomic(exec, addresses, bytes);
  LdsShadow& shadow = *Wave::of(wave)->lds_shadow;
  if (!shadow.several_waves() || !wave->lds_size) return;
  for (unsigned lane : ActiveLanes(exec)) shadow.synchronise(Wave::of(wave)->number, addresses[lane]);
}

}  // namespace w2w::simt

using namespace w2w::simt;

extern "C" {

// `data`: what a store brings, 64 words a register; else null.
uint64_t w2w_check_lds(w2w_wave* wave, uint64_t exec, const uint32_t* addresses, uint64_t offset, uint32_t bytes,
                       uint32_t kind, uint64_t* undefined, uint64_t bad_address, uint64_t bad_data,
                       const uint32_t* data) {
  check_undefined(*wave, exec, {bad_address, bad_data});
  uint32_t places[kLanes];
  const auto access = static_cast<AccessKind>(kind % kReturns);
  for (unsigned lane = 0; lane < kLanes; ++lane) places[lane] = addresses[lane] + static_cast<uint32_t>(offset);
  if (undefined && access == AccessKind::kLoad) memset(undefined, 0, (bytes + 3) / 4 * sizeof *undefined);
  return check_lds(wave, exec, places, bytes, access, undefined, data, kind >= kReturns);
}

}  // extern "C"
