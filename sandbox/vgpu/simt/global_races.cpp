#include "simt/global_races.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <unordered_map>

#include "common/fault_report.h"
#include "simt/dispatch_run.h"
#include "simt/fault_text.h"
#include "simt/findings.h"
#include "simt/wave.h"

namespace w2w::simt {
namespace {

constexpr size_t kShards = 256;

struct Party {
  uint64_t dispatch = 0;  // 0: nobody
  uint64_t group = 0, time = 0, pc = 0;
  uint32_t wave = 0, barriers = 0;
  bool is_atomic = false;
};

struct Word {
  Party written, read;
};

struct Shard {
  std::mutex mutex;
  uint64_t dispatch = 0;  // that the words are of
  std::unordered_map<uint64_t, Word> words;
};

struct Races {
  Shard shards[kShards];
  std::atomic<uint64_t> clock{1};
  std::mutex mutex;
  uint64_t dispatch = 0;
  std::unordered_map<uint64_t, uint64_t> synchronised;  // group -> when one of its waves did an atomic operation last
};

Races& races() {
  static Races* instance = new Races;  // never destroyed: threads outlive exit()
  return *instance;
}

uint64_t last_synchronised(const Party& party) {
  std::lock_guard<std::mutex> lock(races().mutex);
  auto place = races().synchronised.find(party.group);
  return races().dispatch == party.dispatch && place != races().synchronised.end() ? place->second : 0;
}

void synchronise(const Party& party) {
  std::lock_guard<std::mutex> lock(races().mutex);
  if (races().dispatch != party.dispatch) races().synchronised.clear();
  races().dispatch = party.dispatch;
  races().synchronised[party.group] = ++races().clock;
}

// Whether `earlier` happened before what `now` does.
bool is_ordered(const Party& earlier, const Party& now) {
  if (earlier.dispatch != now.dispatch) return true;
  if (earlier.group == now.group) {
    if (earlier.wave == now.wave || earlier.barriers != now.barriers) return true;
    return last_synchronised(now) > earlier.time;
  }
  return last_synchronised(earlier) > earlier.time && last_synchronised(now) > earlier.time;
}

bool may_race(const Party& earlier, const Party& now) {
  return !(earlier.is_atomic && now.is_atomic) && !is_ordered(earlier, now);
}

void report(const w2w_wave& wave, unsigned lane, uint64_t address, AccessKind kind, const Party& other,
            const char* did) {
  const Kernel& kernel = Wave::of(const_cast<w2w_wave*>(&wave))->runner->run->kernel;
  Fault place;
  place_in_source(kernel, other.pc, &place);
  note_finding(wave, "global-race", static_cast<int>(lane),
               std::string(name_of(kind)) + " at " + hexadecimal(address) + ": wave " + std::to_string(other.wave) +
                   " of work-group number " + std::to_string(other.group) + " " + did + " it at pc " +
                   hexadecimal(other.pc) + (place.source.empty() ? "" : " (" + place.source + ")") +
                   ", and neither a barrier nor atomic operations lie in between");
}

void check_word(const w2w_wave& wave, unsigned lane, uint64_t address, AccessKind kind, const Party& now,
                const uint32_t* data) {
  Shard& shard = races().shards[address / 4 % kShards];
  std::lock_guard<std::mutex> lock(shard.mutex);
  if (shard.dispatch != now.dispatch) shard.words.clear();
  shard.dispatch = now.dispatch;
  Word& word = shard.words[address / 4];
  if (kind == AccessKind::kStore && data && !memcmp(reinterpret_cast<const void*>(address), data, 4)) return;
  const bool is_new = is_new_finding(wave, "global-race");
  if (is_new && may_race(word.written, now)) report(wave, lane, address, kind, word.written, "wrote");
  if (kind == AccessKind::kLoad) {
    word.read = now;
    return;
  }
  if (is_new && may_race(word.read, now)) report(wave, lane, address, kind, word.read, "read");
  word.written = now;
}

}  // namespace

void check_global_races(w2w_wave* state, uint64_t lanes, const uint64_t* addresses, uint32_t bytes, AccessKind kind,
                        bool is_scoped, const uint32_t* data) {
  const Wave& wave = *Wave::of(state);
  Party now;
  now.dispatch = wave.runner->run->number;
  now.group = wave.workgroup->number;
  now.wave = wave.number;
  now.barriers = wave.workgroup->barriers;
  now.pc = state->pc;
  now.is_atomic = is_scoped || is_atomic(kind);
  if (now.is_atomic) synchronise(now);
  now.time = races().clock.load();
  if (bytes < 4) return;  // bytes and halves of one word belong to different waves as often as not
  for (unsigned lane : ActiveLanes(lanes)) {
    if (addresses[lane] % 4) continue;
    for (uint32_t word = 0; word < bytes / 4; ++word)
      check_word(*state, lane, addresses[lane] + 4 * word, kind, now, data ? data + kLanes * word + lane : nullptr);
  }
}

}  // namespace w2w::simt

using namespace w2w::simt;

extern "C" {

void w2w_race_global(w2w_wave* wave, uint64_t lanes, const uint64_t* addresses, uint64_t offset, uint32_t bytes,
                     uint32_t kind, const uint32_t* data) {
  uint64_t places[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane) places[lane] = addresses[lane] + offset;
  check_global_races(wave, lanes, places, bytes, static_cast<AccessKind>(kind % kReturns), kind & kScoped, data);
}

void w2w_race_base(w2w_wave* wave, uint64_t lanes, const uint32_t* offsets, uint64_t base, uint32_t bytes,
                   uint32_t kind, const uint32_t* data) {
  uint64_t places[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane) places[lane] = base + offsets[lane];
  check_global_races(wave, lanes, places, bytes, static_cast<AccessKind>(kind % kReturns), kind & kScoped, data);
}

void w2w_race_flat(w2w_wave* wave, uint64_t lanes, const uint64_t* addresses, uint64_t offset, uint32_t bytes,
                   uint32_t kind, const uint32_t* data) {
  for (unsigned lane : ActiveLanes(lanes)) {
    const uint64_t aperture = (addresses[lane] + offset) >> 32;
    if (aperture == kLdsAperture || aperture == kScratchAperture) lanes &= ~(uint64_t{1} << lane);
  }
  w2w_race_global(wave, lanes, addresses, offset, bytes, kind, data);
}

}  // extern "C"
