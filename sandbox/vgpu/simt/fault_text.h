// Words for reports.
#pragma once
#include <cstdint>
#include <string>

#include "simt/wave_state.h"

namespace w2w::simt {

std::string hexadecimal(uint64_t value);           // "0x1a4"
std::string workgroup_name(const w2w_wave& wave);  // "work-group (3, 0, 0)"
// What lies at an address that a kernel could not access, as a clause.
std::string describe_address(const w2w_wave& wave, const void* address);

}  // namespace w2w::simt
