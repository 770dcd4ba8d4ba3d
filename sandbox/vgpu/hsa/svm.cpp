// Shared virtual memory attributes. Host and device memory are one, so they change nothing but what queries answer.
#include <hsa/hsa_ext_amd.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "hsa/agents.h"
#include "hsa/copies.h"

namespace w2w::hsa {
namespace {

// Attribute, or for access attributes the agent's handle (handles are addresses, so they do not collide) -> value.
using Attributes = std::map<uint64_t, uint64_t>;

bool is_access(uint64_t attribute) {
  return attribute == HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE ||
         attribute == HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE || attribute == HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS;
}

// Attributes by address, in disjoint ranges.
class SharedRanges {
 public:
  void set(uintptr_t begin, size_t size, uint64_t key, uint64_t value) {
    const uintptr_t end = begin + size;
    split(begin);
    split(end);
    for (uintptr_t at = begin; at < end;) {
      auto next = ranges_.lower_bound(at);
      if (next == ranges_.end() || next->first != at) {  // a hole
        const uintptr_t hole_end = next == ranges_.end() ? end : std::min(end, next->first);
        next = ranges_.emplace(at, Range{hole_end, {}}).first;
      }
      next->second.attributes[key] = value;
      at = next->second.end;
    }
  }

  // The value at `address`, or `otherwise`.
  uint64_t get(uintptr_t address, uint64_t key, uint64_t otherwise) const {
    auto range = ranges_.upper_bound(address);
    if (range == ranges_.begin() || address >= (--range)->second.end) return otherwise;
    auto found = range->second.attributes.find(key);
    return found == range->second.attributes.end() ? otherwise : found->second;
  }

 private:
  struct Range {
    uintptr_t end;
    Attributes attributes;
  };

  void split(uintptr_t at) {
    auto range = ranges_.upper_bound(at);
    if (range == ranges_.begin()) return;
    --range;
    if (at <= range->first || at >= range->second.end) return;
    ranges_.emplace(at, Range{range->second.end, range->second.attributes});
    range->second.end = at;
  }

  std::map<uintptr_t, Range> ranges_;
};

struct Svm {
  std::mutex mutex;
  SharedRanges ranges;
};

Svm& svm() {
  static Svm* s = new Svm;  // never destroyed: threads outlive exit()
  return *s;
}

uint64_t default_access(uint64_t agent) {
  const bool host = agent == host_agent()->handle().handle;
  return host || settings().xnack ? HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE : HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS;
}

}  // namespace
}  // namespace w2w::hsa

using w2w::hsa::svm;

extern "C" {

hsa_status_t hsa_amd_svm_attributes_set(void* begin, size_t size, hsa_amd_svm_attribute_pair_t* attributes,
                                        size_t count) {
  if (!begin || !size || (count && !attributes)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  std::lock_guard<std::mutex> lock(svm().mutex);
  for (size_t i = 0; i < count; i++) {
    const auto [attribute, value] = attributes[i];
    const bool access = w2w::hsa::is_access(attribute);
    svm().ranges.set(reinterpret_cast<uintptr_t>(begin), size, access ? value : attribute, access ? attribute : value);
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_svm_attributes_get(void* begin, size_t, hsa_amd_svm_attribute_pair_t* attributes, size_t count) {
  if (!begin || (count && !attributes)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const auto address = reinterpret_cast<uintptr_t>(begin);
  std::lock_guard<std::mutex> lock(svm().mutex);
  for (size_t i = 0; i < count; i++) {
    auto& [attribute, value] = attributes[i];
    if (attribute == HSA_AMD_SVM_ATTRIB_ACCESS_QUERY)
      attribute = svm().ranges.get(address, value, w2w::hsa::default_access(value));
    else
      value = svm().ranges.get(
          address, attribute,
          attribute == HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG ? uint64_t{HSA_AMD_SVM_GLOBAL_FLAG_FINE_GRAINED} : 0);
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_svm_prefetch_async(void* begin, size_t size, hsa_agent_t agent, uint32_t dependencies,
                                        const hsa_signal_t* signals, hsa_signal_t done) {
  if (!begin || !size) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return w2w::hsa::enqueue_copy(dependencies, signals, done, [=] {
    std::lock_guard<std::mutex> lock(svm().mutex);
    svm().ranges.set(reinterpret_cast<uintptr_t>(begin), size, HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION, agent.handle);
  });
}

}  // extern "C"
