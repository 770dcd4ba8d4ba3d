#include "cudart/errors.h"

namespace w2w::cudart {
int unsupported_function_by_name(const char* name);

int unsupported_function_by_name(const char* name) { return unsupported_function(name); }
}  // namespace w2w::cudart
