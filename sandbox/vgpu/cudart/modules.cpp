#include "cudart/modules.h"

#include <dlfcn.h>

#include <cstring>

#include "common/fault_report.h"
#include "common/translation_client.h"
#include "cudart/errors.h"
#include "cudart/heap.h"

namespace w2w::cudart {
namespace {

constexpr const char* kKind = "ptx";

const char* target() {
  const char* name = getenv("W2W_TARGET");
  return name && strncmp(name, "sm_", 3) == 0 ? name : "sm_90";
}

// How kernels are translated: "" for a warp at once, "scalar" for thread by thread.
std::string flavour() {
  const char* generator = getenv("W2W_PTX_GENERATOR");
  return generator && strcmp(generator, "vector") != 0 ? generator : "";
}

TranslationImage translation_image(const std::string& image) {
  return TranslationImage{kKind, target(), flavour(), image.data(), image.size()};
}

Fault translation_fault(const std::string& message) {
  Fault fault;
  fault.kind = "translation-failed";
  fault.message = message;
  return fault;
}

uint64_t relocated_value(const w2w_relocation& relocation) {
  const uint64_t base = relocation.slot ? *relocation.slot : reinterpret_cast<uint64_t>(relocation.function);
  return base + static_cast<uint64_t>(relocation.addend);
}

}  // namespace

void Module::prepare() const { translate_ahead(translation_image(image_)); }

cudaError_t Module::load() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!tried_) {
    tried_ = true;
    result_ = load_once();
  }
  return result_;
}

cudaError_t Module::load_once() {
  Translation translation = translate(translation_image(image_), "");
  if (!translation.handle) {
    Fault fault = translation_fault(translation.message + " (" + translation.code + ")");
    // Without PTX the fault is the build's, and CUDA has an error for it. Else it is ours.
    if (translation.code != "no-ptx") report_and_die(fault);
    report(fault);
    return cudaErrorNoKernelImageForDevice;
  }
  record_ = static_cast<const w2w_module*>(dlsym(translation.handle, "w2w_ptx_module"));
  if (!record_ || record_->version != W2W_MODULE_VERSION)
    report_and_die(translation_fault("the translated module was made by another version of the translator"));
  return bind();
}

// Kernels by name; memory for variables. Addresses first, as initial values may hold any of them.
cudaError_t Module::bind() {
  for (unsigned i = 0; i < record_->kernel_count; ++i) kernels_[record_->kernels[i].name] = &record_->kernels[i];
  for (unsigned i = 0; i < record_->variable_count; ++i) {
    const w2w_variable& variable = record_->variables[i];
    const MemoryKind kind = variable.managed ? MemoryKind::kManaged : MemoryKind::kVariable;
    void* place = Heap::instance().allocate(variable.size ? variable.size : 1, variable.align, kind);
    if (!place) return cudaErrorMemoryAllocation;
    *variable.address = reinterpret_cast<unsigned long>(place);
    variables_[variable.name] = DeviceVariable{place, variable.size};
  }
  for (unsigned i = 0; i < record_->variable_count; ++i)
    initialise(record_->variables[i], reinterpret_cast<char*>(*record_->variables[i].address));
  return cudaSuccess;
}

void Module::initialise(const w2w_variable& variable, char* place) const {
  memset(place, 0, variable.size);
  if (variable.initial_size) memcpy(place, variable.initial, variable.initial_size);
  for (unsigned i = 0; i < variable.relocation_count; ++i) {
    const w2w_relocation& relocation = variable.relocations[i];
    const uint64_t value = relocated_value(relocation);
    if (relocation.byte < 0)
      memcpy(place + relocation.offset, &value, sizeof value);
    else
      place[relocation.offset] = static_cast<char>(value >> (8 * relocation.byte));
  }
}

const w2w_kernel* Module::find_kernel(const std::string& name) const {
  auto place = kernels_.find(name);
  return place == kernels_.end() ? nullptr : place->second;
}

const DeviceVariable* Module::find_variable(const std::string& name) const {
  auto place = variables_.find(name);
  return place == variables_.end() ? nullptr : &place->second;
}

const w2w_kernel* Function::kernel(cudaError_t* error) {
  *error = module->load();
  if (*error != cudaSuccess) return nullptr;
  const w2w_kernel* found = module->find_kernel(name);
  if (!found) *error = cudaErrorInvalidDeviceFunction;
  return found;
}

cudaError_t locate_symbol(const void* host_variable, DeviceVariable* found) {
  Symbol* symbol = find_symbol(host_variable);
  if (!symbol) return cudaErrorInvalidSymbol;
  cudaError_t error = symbol->module->load();
  if (error != cudaSuccess) return error;
  const DeviceVariable* variable = symbol->module->find_variable(symbol->name);
  if (!variable) return cudaErrorInvalidSymbol;
  *found = *variable;
  return cudaSuccess;
}

}  // namespace w2w::cudart
