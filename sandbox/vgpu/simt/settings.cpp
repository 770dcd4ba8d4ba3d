#include "simt/settings.h"

#include <sched.h>

#include <cstdlib>
#include <cstring>

namespace w2w::simt {
namespace {

bool is_set_to(const char* name, const char* wanted) {
  const char* value = getenv(name);
  return value && !strcmp(value, wanted);
}

// A positive number from the environment, else the default.
double number(const char* name, double otherwise) {
  const char* value = getenv(name);
  if (!value) return otherwise;
  char* end;
  double parsed = strtod(value, &end);
  return end != value && *end == '\0' && parsed > 0 ? parsed : otherwise;
}

unsigned available_cpus() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  int count = CPU_COUNT(&set);
  return count > 0 ? static_cast<unsigned>(count) : 1;
}

}  // namespace

const Settings& settings() {
  static const Settings instance{
      static_cast<unsigned>(number("W2W_THREADS", available_cpus())),
      static_cast<int64_t>(number("W2W_FUEL", 20000)),
      is_set_to("W2W_WAVE_ORDER", "reverse"),
      is_set_to("W2W_LDS", "zero"),
      is_set_to("W2W_LIVELOCK", "abort"),
      number("W2W_LIVELOCK_SECONDS", 10),
  };
  return instance;
}

}  // namespace w2w::simt
