// Words for reports.
#pragma once
#include <cstdint>
#include <string>

#include "simt/wave_state.h"

namespace w2w {
struct Fault;
}

namespace w2w::simt {

struct Kernel;

std::string hexadecimal(uint64_t value);           // "0x1a4"
std::string bytes_text(uint64_t n);                // "1 byte", "4 bytes"
std::string workgroup_name(const w2w_wave& wave);  // "work-group (3, 0, 0)"
std::string work_item_name(const w2w_wave& wave, unsigned lane);
// What lies at an address that a kernel could not access, as a clause.
std::string describe_address(const w2w_wave& wave, const void* address);
// Fill in the fault's instruction and source line, where the translation knows them.
void place_in_source(const Kernel& kernel, uint64_t pc, Fault* fault);

}  // namespace w2w::simt
