#include "simt/target.h"

#include <cstring>

namespace w2w::simt {
namespace {

constexpr Target kTargets[] = {
    {"gfx942", 304, 32, 64 << 10},
    {"gfx950", 256, 32, 160 << 10},
};

}  // namespace

const Target* find_target(const char* name) {
  for (const Target& target : kTargets)
    if (!strcmp(target.name, name)) return &target;
  return nullptr;
}

}  // namespace w2w::simt
