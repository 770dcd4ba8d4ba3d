#include "simt/settings.h"

#include <sched.h>

#include <cstdlib>
#include <cstring>

#include "common/fault_report.h"

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

enum class Checks { kOff, kOn, kRace };

Checks checks_of_environment() {
  const char* value = getenv("W2W_CHECK");
  if (!value || !*value || !strcmp(value, "off")) return Checks::kOff;
  if (!strcmp(value, "on")) return Checks::kOn;
  if (!strcmp(value, "race")) return Checks::kRace;
  Fault fault;
  fault.kind = "unsupported-configuration";
  fault.message = std::string("W2W_CHECK=") + value + " is not off, on or race";
  report_and_die(fault);
}

// The words in the order of cdna/flavour.py.
std::string flavour_of(const Settings& settings) {
  std::string flavour;
  auto add = [&](bool is_on, const char* word) {
    if (is_on) flavour += (flavour.empty() ? "" : "+") + std::string(word);
  };
  add(settings.checks, "checks");
  add(!settings.counters.empty(), "counters");
  add(settings.races, "races");
  return flavour;
}

unsigned available_cpus() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  int count = CPU_COUNT(&set);
  return count > 0 ? static_cast<unsigned>(count) : 1;
}

Settings read_settings() {
  Settings read;
  read.threads = static_cast<unsigned>(number("W2W_THREADS", available_cpus()));
  read.fuel = static_cast<int64_t>(number("W2W_FUEL", 20000));
  read.reverse_waves = is_set_to("W2W_WAVE_ORDER", "reverse");
  read.zero_lds = is_set_to("W2W_LDS", "zero");
  read.abort_livelock = is_set_to("W2W_LIVELOCK", "abort");
  read.livelock_after = number("W2W_LIVELOCK_SECONDS", 10);
  Checks checks = checks_of_environment();
  read.checks = checks != Checks::kOff;
  read.races = checks == Checks::kRace;
  const char* counters = getenv("W2W_COUNTERS");
  read.counters = counters ? counters : "";
  read.flavour = flavour_of(read);
  if (read.checks && !read.races && read.counters.empty()) read.light_flavour = "bounds";
  return read;
}

}  // namespace

const Settings& settings() {
  static const Settings* instance = new Settings(read_settings());  // never destroyed: threads outlive exit()
  return *instance;
}

}  // namespace w2w::simt
