// What nvcc's host code calls before main(): fat binaries, kernels and variables are made known. Also the launch
// configuration of <<< >>>, which it pushes and pops.
#include <cstring>
#include <unordered_map>

#include "cudart/errors.h"
#include "cudart/heap.h"
#include "cudart/modules.h"

namespace w2w::cudart {
namespace {

constexpr int kWrapperMagic = 0x466243b1;
constexpr int kPrelinked = 2;

// fatbinary_section.h, __fatBinC_Wrapper_t.
struct Wrapper {
  int magic;
  int version;
  const unsigned char* data;
  const unsigned char** prelinked;  // version 2: the fat binaries that were linked, null at the end
};

struct Registry {
  std::mutex mutex;
  std::unordered_map<const void*, Function> functions;
  std::unordered_map<const void*, Symbol> symbols;
  std::vector<Module*> modules;
};

Registry& registry() {
  static Registry* instance = new Registry;  // used until the last static destructor
  return *instance;
}

// A container's own header says how long it is.
std::string read_container(const unsigned char* data) {
  uint16_t header;
  uint64_t size;
  memcpy(&header, data + 6, sizeof header);
  memcpy(&size, data + 8, sizeof size);
  return std::string(reinterpret_cast<const char*>(data), header + size);
}

std::string read_image(const Wrapper& wrapper) {
  if (wrapper.version != kPrelinked || !wrapper.prelinked || !*wrapper.prelinked) return read_container(wrapper.data);
  std::string image;
  for (const unsigned char** part = wrapper.prelinked; *part; ++part) image += read_container(*part);
  return image;
}

struct Configuration {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
};
thread_local std::vector<Configuration> configurations;

}  // namespace

Function* find_function(const void* host_function) {
  std::lock_guard<std::mutex> lock(registry().mutex);
  auto place = registry().functions.find(host_function);
  return place == registry().functions.end() ? nullptr : &place->second;
}

Symbol* find_symbol(const void* host_variable) {
  std::lock_guard<std::mutex> lock(registry().mutex);
  auto place = registry().symbols.find(host_variable);
  return place == registry().symbols.end() ? nullptr : &place->second;
}

void load_managed_variables() {
  std::vector<Symbol*> managed;
  {
    std::lock_guard<std::mutex> lock(registry().mutex);
    for (auto& [host, symbol] : registry().symbols)
      if (symbol.managed_pointer) managed.push_back(&symbol);
  }
  for (Symbol* symbol : managed) {
    if (symbol->module->load() != cudaSuccess) continue;
    const DeviceVariable* variable = symbol->module->find_variable(symbol->name);
    if (variable) *symbol->managed_pointer = variable->address;
  }
}

}  // namespace w2w::cudart

using namespace w2w::cudart;  // NOLINT: API functions have C linkage

W2W_API void** __cudaRegisterFatBinary(void* fat_binary) {
  auto& wrapper = *static_cast<const Wrapper*>(fat_binary);
  auto* module = new Module(wrapper.magic == kWrapperMagic ? read_image(wrapper) : std::string());
  std::lock_guard<std::mutex> lock(registry().mutex);
  registry().modules.push_back(module);
  return reinterpret_cast<void**>(module);
}

W2W_API void __cudaRegisterFatBinaryEnd(void** handle) { reinterpret_cast<Module*>(handle)->prepare(); }

// The memory of variables stays: other static destructors may still use it.
W2W_API void __cudaUnregisterFatBinary(void**) {}

W2W_API void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int thread_limit, uint3*,
                                    uint3*, dim3*, dim3*, int*) {
  Function function;
  function.module = reinterpret_cast<Module*>(handle);
  function.name = name;
  function.host_limit = thread_limit;
  std::lock_guard<std::mutex> lock(registry().mutex);
  registry().functions[host] = std::move(function);
}

W2W_API void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, size_t size, int, int) {
  std::lock_guard<std::mutex> lock(registry().mutex);
  registry().symbols[host] = Symbol{reinterpret_cast<Module*>(handle), name, size, nullptr};
}

W2W_API void __cudaRegisterManagedVar(void** handle, void** host_pointer, char*, const char* name, int, size_t size,
                                      int, int) {
  std::lock_guard<std::mutex> lock(registry().mutex);
  registry().symbols[host_pointer] = Symbol{reinterpret_cast<Module*>(handle), name, size, host_pointer};
}

W2W_API void __cudaRegisterHostVar(void** handle, const char* name, char* host, size_t size) {
  std::lock_guard<std::mutex> lock(registry().mutex);
  registry().symbols[host] = Symbol{reinterpret_cast<Module*>(handle), name, size, nullptr};
}

W2W_API char __cudaInitModule(void**) {
  load_managed_variables();
  return 1;
}

W2W_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
  configurations.push_back({grid, block, shared, stream});
  return 0;
}

W2W_API cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
  if (configurations.empty()) return record_error(cudaErrorMissingConfiguration);
  const Configuration& top = configurations.back();
  *grid = top.grid;
  *block = top.block;
  *shared = top.shared;
  *static_cast<cudaStream_t*>(stream) = top.stream;
  configurations.pop_back();
  return cudaSuccess;
}
