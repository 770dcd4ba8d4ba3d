// In the engine's place, to measure what lies around it: kernels end at once.
#include "simt/dispatch.h"

namespace w2w {

bool checks_enabled() { return false; }
void prepare(const Dispatch&) {}
int execute(const Dispatch&) { return 0; }
void code_object_loaded(const char*, const void*, size_t) {}

}  // namespace w2w
