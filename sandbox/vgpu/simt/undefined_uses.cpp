// Reports of undefined values that decide something, and where they came from.
#include "common/fault_report.h"
#include "simt/checks.h"
#include "simt/dispatch_run.h"
#include "simt/fault_text.h"
#include "simt/findings.h"
#include "simt/wave.h"

namespace w2w::simt {
namespace {

struct OriginText {
  const char* kind;
  const char* text;
};

constexpr OriginText kOrigins[] = {
    {"inactive-lane-value", "a lane that was off"},
    {"uninitialised-memory", "memory that nobody wrote"},
    {"uninitialised-lds", "LDS that nobody wrote"},
    {"inactive-lane-value", "a lane that was off"},
};

std::string name_origin(const Wave& wave) {
  const OriginText& origin = kOrigins[wave.undefined_origin];
  if (!wave.undefined_origin) return origin.text;
  Fault place;
  place_in_source(wave.runner->run->kernel, wave.undefined_pc, &place);
  return std::string(origin.text) + ", read at pc " + hexadecimal(wave.undefined_pc) +
         (place.source.empty() ? "" : " (" + place.source + ")");
}

void report_use(const w2w_wave& state, uint64_t lanes, const char* use) {
  const Wave& wave = *Wave::of(const_cast<w2w_wave*>(&state));
  const char* kind = kOrigins[wave.undefined_origin].kind;
  if (!lanes || !is_new_finding(state, kind)) return;
  note_finding(state, kind, __builtin_ctzll(lanes), std::string(use) + " depends on " + name_origin(wave));
}

}  // namespace

const char* name_of(AccessKind kind) {
  return kind == AccessKind::kLoad ? "load" : kind == AccessKind::kStore ? "store" : "atomic operation";
}

void note_origin(w2w_wave* wave, Origin origin) {
  Wave::of(wave)->undefined_origin = static_cast<uint8_t>(origin);
  Wave::of(wave)->undefined_pc = wave->pc;
}

void check_undefined(const w2w_wave& wave, uint64_t exec, const UndefinedLanes& lanes) {
  if (lanes.address & exec) report_use(wave, lanes.address & exec, "an address");
  if (lanes.data & exec) report_use(wave, lanes.data & exec, "a stored value");
}

}  // namespace w2w::simt

using namespace w2w::simt;

extern "C" {

// A branch, or which lanes go on.
void w2w_undefined_use(w2w_wave* wave, uint64_t lanes) { report_use(*wave, lanes, "the flow of control"); }

// What ds_bpermute makes of undefined lanes: `masks` are those of the value, tainted and unwritten, and become the
// result's. Who reads a lane that is off gets a tainted value. Lanes without a work-item are not meant: they are off
// for good and give 0, which sums over a part of a wave rely on.
void w2w_bpermute_undefined(w2w_wave* wave, uint64_t exec, uint32_t offset, const uint32_t* addresses,
                            uint64_t* masks) {
  uint64_t tainted = 0, unwritten = 0, off = 0;
  if (exec == ~uint64_t{0} && !masks[0] && !masks[1]) return;
  for (unsigned lane : ActiveLanes(exec)) {
    const unsigned source = (addresses[lane] + offset) >> 2 & 63;
    off |= ((wave->lanes & ~exec) >> source & 1) << lane;
    tainted |= (masks[0] >> source & 1) << lane;
    unwritten |= (masks[1] >> source & 1) << lane;
  }
  if (off) note_origin(wave, Origin::kLane);
  masks[0] = tainted | off;
  masks[1] = unwritten & ~off;
}

}  // extern "C"
