#include "hsa/settings.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "common/fault_report.h"

namespace w2w::hsa {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  Fault fault;
  fault.kind = "unsupported-configuration";
  fault.message = message;
  report_and_die(fault);
}

const char* text(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value && *value ? value : otherwise;
}

uint64_t number(const char* name, uint64_t otherwise, uint64_t low, uint64_t high) {
  const char* value = text(name, nullptr);
  if (!value) return otherwise;
  char* end = nullptr;
  uint64_t parsed = std::strtoull(value, &end, 10);
  if (*end || *value == '-' || parsed < low || parsed > high)
    refuse(std::string(name) + "=" + value + " is not a number from " + std::to_string(low) + " to " +
           std::to_string(high));
  return parsed;
}

const DeviceTraits* device_of_environment() {
  const char* target = text("W2W_TARGET", "gfx942");
  const DeviceTraits* device = find_device(target);
  if (!device) refuse(std::string("W2W_TARGET=") + target + " is not one of " + known_targets());
  return device;
}

// The device that one token of ROCR_VISIBLE_DEVICES names, or -1.
int device_of_token(const std::string& token, uint32_t devices) {
  if (token.compare(0, 4, "GPU-") == 0) {
    int found = -1;
    for (uint32_t i = 0; i < devices; i++) {
      if (device_uuid(i).compare(0, token.size(), token) != 0) continue;
      if (found >= 0) return -1;  // ambiguous prefix
      found = static_cast<int>(i);
    }
    return found;
  }
  if (token.empty() || token.find_first_not_of("0123456789") != std::string::npos || token.size() > 9) return -1;
  unsigned long index = std::stoul(token);
  return index < devices ? static_cast<int>(index) : -1;
}

std::vector<uint32_t> visible_devices(uint32_t devices) {
  std::vector<uint32_t> visible;
  const char* list = std::getenv("ROCR_VISIBLE_DEVICES");
  if (!list) {
    for (uint32_t i = 0; i < devices; i++) visible.push_back(i);
    return visible;
  }
  std::string rest = list;
  rest.erase(std::remove(rest.begin(), rest.end(), ' '), rest.end());
  for (size_t at = 0; at <= rest.size();) {
    size_t comma = std::min(rest.find(',', at), rest.size());
    int device = device_of_token(rest.substr(at, comma - at), devices);
    if (device < 0 || std::count(visible.begin(), visible.end(), device)) break;
    visible.push_back(static_cast<uint32_t>(device));
    at = comma + 1;
  }
  return visible;
}

Settings read_settings() {
  constexpr uint64_t kUnlimited = ~0ull;
  uint64_t gigabytes = number("W2W_MEMORY_GB", 0, 1, 1 << 20);
  Settings s;
  s.device = device_of_environment();
  s.visible = visible_devices(static_cast<uint32_t>(number("W2W_DEVICES", 1, 1, 16)));
  s.allocation_limit = gigabytes ? gigabytes << 30 : kUnlimited;
  s.emulate_blit = number("W2W_EMULATE_BLIT", 0, 0, 1);
  s.xnack = !std::strcmp(text("HSA_XNACK", "0"), "1");
  return s;
}

}  // namespace

const Settings& settings() {
  static const Settings* read = new Settings(read_settings());  // never destroyed: threads outlive exit()
  return *read;
}

std::string device_uuid(uint32_t number) {
  char uuid[24];
  std::snprintf(uuid, sizeof uuid, "GPU-573257%010x", number);
  return uuid;
}

}  // namespace w2w::hsa
