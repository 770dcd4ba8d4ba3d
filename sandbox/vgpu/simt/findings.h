// What checks find: reported once for each kernel, instruction and kind; the program goes on, and ends with a status of
// its own where it would have ended with success.
#pragma once
#include <string>

#include "simt/wave_state.h"

namespace w2w::simt {

constexpr int kWholeWave = -1;  // in place of a lane

// Whether a finding of this kind at the wave's instruction would be reported, so that its text is worth writing.
bool is_new_finding(const w2w_wave& wave, const char* kind);

// Report `message`, a clause such as "store of 4 bytes to ...", if it is new. Names the kernel, work-group, lane,
// instruction and source line itself.
void note_finding(const w2w_wave& wave, const char* kind, int lane, const std::string& message);

}  // namespace w2w::simt
