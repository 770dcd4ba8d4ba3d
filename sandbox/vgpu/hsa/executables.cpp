#include "hsa/executables.h"

#include <list>
#include <map>
#include <mutex>
#include <set>
#include <unordered_map>

#include "hsa/attribute.h"
#include "hsa/unsupported.h"
#include "simt/dispatch.h"

namespace w2w::hsa {
namespace {

struct ExecutableSymbol {
  const CodeSymbol* symbol;
  Agent* agent;
};

struct Executable {
  std::vector<std::shared_ptr<LoadedCode>> code;  // guarded by the registry's mutex
  std::mutex mutex;                               // guards the rest
  std::list<ExecutableSymbol> symbols;
  std::multimap<std::string, ExecutableSymbol*> by_name;
  std::map<std::pair<Agent*, std::string>, uint64_t> defined;  // by the host

  hsa_executable_t handle() { return {reinterpret_cast<uint64_t>(this)}; }

  ExecutableSymbol* find(const std::string& name, Agent* agent) {
    auto [first, last] = by_name.equal_range(name);
    for (auto it = first; it != last; ++it)
      if (!agent || it->second->agent == agent) return it->second;
    return nullptr;
  }

  uint64_t address_of(const std::string& name, Agent* agent) {
    auto host = defined.find({agent, name});
    if (host != defined.end()) return host->second;
    ExecutableSymbol* found = find(name, agent);
    return found ? found->symbol->address : 0;
  }
};

struct Registry {
  std::mutex mutex;
  std::set<Executable*> executables;
  std::unordered_map<uint64_t, std::shared_ptr<const LoadedKernel>> kernels;
};

Registry& registry() {
  static Registry* r = new Registry;  // never destroyed: threads outlive exit()
  return *r;
}

Executable* find_executable(hsa_executable_t handle) {
  std::lock_guard<std::mutex> lock(registry().mutex);
  auto* executable = reinterpret_cast<Executable*>(handle.handle);
  return registry().executables.count(executable) ? executable : nullptr;
}

void publish(Executable* executable, const std::shared_ptr<LoadedCode>& code) {
  std::lock_guard<std::mutex> lock(registry().mutex);
  executable->code.push_back(code);
  for (const CodeSymbol& symbol : code->symbols()) {
    if (!symbol.kernel) continue;
    std::string name = symbol.name.substr(0, symbol.name.size() - 3);
    registry().kernels[symbol.address] =
        std::make_shared<LoadedKernel>(LoadedKernel{std::move(name), symbol.address, symbol.traits, code});
  }
}

void forget_kernels(LoadedCode& code) {
  std::lock_guard<std::mutex> lock(registry().mutex);
  for (const CodeSymbol& symbol : code.symbols())
    if (symbol.kernel) registry().kernels.erase(symbol.address);
}

hsa_status_t load(Executable* executable, Agent* agent, std::shared_ptr<const Bytes> elf) {
  auto code = std::make_shared<LoadedCode>(agent, std::move(elf));
  std::lock_guard<std::mutex> lock(executable->mutex);
  auto resolve = [&](const std::string& name) { return executable->address_of(name, agent); };
  if (hsa_status_t status = code->load(resolve)) return status;
  for (const CodeSymbol& symbol : code->symbols()) {
    executable->symbols.push_back({&symbol, agent});
    executable->by_name.emplace(symbol.name, &executable->symbols.back());
  }
  publish(executable, code);
  code_object_loaded(agent->device->target, code->elf().data(), code->elf().size());
  return HSA_STATUS_SUCCESS;
}

// clang-format off: one attribute a line

hsa_status_t kernel_info(const KernelTraits& traits, uint64_t address, uint32_t attribute, void* out) {
  switch (attribute) {
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT: return answer<uint64_t>(out, address);
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE: return answer(out, traits.kernarg_bytes);
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT: return answer<uint32_t>(out, 16);
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE: return answer(out, traits.lds_bytes);
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE: return answer(out, traits.scratch_bytes);
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK: return answer<bool>(out, traits.dynamic_stack);
  }
  return unsupported_attribute("hsa_executable_symbol_get_info", attribute);
}

hsa_status_t variable_info(const CodeSymbol& symbol, uint32_t attribute, void* out) {
  switch (attribute) {
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS: return answer<uint64_t>(out, symbol.address);
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE: return answer<uint32_t>(out, static_cast<uint32_t>(symbol.size));
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST: return answer<bool>(out, symbol.constant);
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALLOCATION:
      return answer<uint32_t>(out, HSA_VARIABLE_ALLOCATION_AGENT);
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SEGMENT: return answer<uint32_t>(out, HSA_VARIABLE_SEGMENT_GLOBAL);
  }
  return unsupported_attribute("hsa_executable_symbol_get_info", attribute);
}

hsa_status_t symbol_info(const ExecutableSymbol& entry, uint32_t attribute, void* out) {
  const CodeSymbol& symbol = *entry.symbol;
  switch (attribute) {
    case HSA_EXECUTABLE_SYMBOL_INFO_TYPE:
      return answer<uint32_t>(out, symbol.kernel ? HSA_SYMBOL_KIND_KERNEL : HSA_SYMBOL_KIND_VARIABLE);
    case HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH:
      return answer<uint32_t>(out, static_cast<uint32_t>(symbol.name.size()));
    case HSA_EXECUTABLE_SYMBOL_INFO_NAME:  // without a terminator
      std::memcpy(out, symbol.name.data(), symbol.name.size());
      return HSA_STATUS_SUCCESS;
    case HSA_EXECUTABLE_SYMBOL_INFO_AGENT: return answer(out, entry.agent->handle());
    case HSA_EXECUTABLE_SYMBOL_INFO_LINKAGE: return answer<uint32_t>(out, HSA_SYMBOL_LINKAGE_PROGRAM);
    case HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION: return answer<bool>(out, true);
  }
  return symbol.kernel ? kernel_info(symbol.traits, symbol.address, attribute, out)
                       : variable_info(symbol, attribute, out);
}

// clang-format on

}  // namespace

std::shared_ptr<const LoadedKernel> find_kernel(uint64_t kernel_object) {
  std::lock_guard<std::mutex> lock(registry().mutex);
  auto it = registry().kernels.find(kernel_object);
  return it == registry().kernels.end() ? nullptr : it->second;
}

hsa_status_t query_executable(const void* device_address, hsa_executable_t* executable) {
  const auto* address = static_cast<const char*>(device_address);
  std::lock_guard<std::mutex> lock(registry().mutex);
  for (Executable* candidate : registry().executables)
    for (auto& code : candidate->code)
      if (address >= code->image() && address < code->image() + code->image_size()) {
        *executable = candidate->handle();
        return HSA_STATUS_SUCCESS;
      }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

}  // namespace w2w::hsa

using namespace w2w::hsa;  // NOLINT: the rest of this file is the C interface to it

extern "C" {

hsa_status_t hsa_code_object_reader_create_from_memory(const void* bytes, size_t size,
                                                       hsa_code_object_reader_t* reader) {
  if (!bytes || !size || !reader) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const char* begin = static_cast<const char*>(bytes);
  auto* copy = new std::shared_ptr<const Bytes>(std::make_shared<Bytes>(begin, begin + size));
  reader->handle = reinterpret_cast<uint64_t>(copy);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_code_object_reader_destroy(hsa_code_object_reader_t reader) {
  delete reinterpret_cast<std::shared_ptr<const Bytes>*>(reader.handle);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_create_alt(hsa_profile_t, hsa_default_float_rounding_mode_t, const char*,
                                       hsa_executable_t* executable) {
  if (!executable) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  auto* created = new Executable;
  std::lock_guard<std::mutex> lock(registry().mutex);
  registry().executables.insert(created);
  *executable = created->handle();
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_destroy(hsa_executable_t handle) {
  Executable* executable = find_executable(handle);
  if (!executable) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  for (auto& code : executable->code) forget_kernels(*code);
  {
    std::lock_guard<std::mutex> lock(registry().mutex);
    registry().executables.erase(executable);
  }
  delete executable;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_load_agent_code_object(hsa_executable_t handle, hsa_agent_t agent_handle,
                                                   hsa_code_object_reader_t reader, const char*,
                                                   hsa_loaded_code_object_t* loaded) {
  Executable* executable = find_executable(handle);
  Agent* agent = find_agent(agent_handle);
  if (!executable) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  if (!agent || !agent->gpu()) return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!reader.handle) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER;
  if (loaded) loaded->handle = handle.handle;
  return load(executable, agent, *reinterpret_cast<std::shared_ptr<const Bytes>*>(reader.handle));
}

hsa_status_t hsa_executable_freeze(hsa_executable_t handle, const char*) {
  return find_executable(handle) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_EXECUTABLE;
}

hsa_status_t hsa_executable_agent_global_variable_define(hsa_executable_t handle, hsa_agent_t agent, const char* name,
                                                         void* address) {
  Executable* executable = find_executable(handle);
  if (!executable) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  if (!name || !address) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  std::lock_guard<std::mutex> lock(executable->mutex);
  executable->defined[{find_agent(agent), name}] = reinterpret_cast<uint64_t>(address);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_get_symbol_by_name(hsa_executable_t handle, const char* name, const hsa_agent_t* agent,
                                               hsa_executable_symbol_t* symbol) {
  Executable* executable = find_executable(handle);
  if (!executable) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  if (!name || !symbol) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  std::lock_guard<std::mutex> lock(executable->mutex);
  ExecutableSymbol* found = executable->find(name, agent ? find_agent(*agent) : nullptr);
  if (!found) return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
  symbol->handle = reinterpret_cast<uint64_t>(found);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_symbol_get_info(hsa_executable_symbol_t symbol, hsa_executable_symbol_info_t attribute,
                                            void* out) {
  if (!symbol.handle || !out) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return symbol_info(*reinterpret_cast<ExecutableSymbol*>(symbol.handle), static_cast<uint32_t>(attribute), out);
}

}  // extern "C"
