// Fat binaries that the program registered, and the modules that the translator made of them.
#pragma once
#include <cuda_runtime_api.h>

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "cudart/thread_state.h"

namespace w2w::cudart {

// A variable in device memory.
struct DeviceVariable {
  void* address = nullptr;
  size_t size = 0;
};

class Module {
 public:
  explicit Module(std::string image) : image_(std::move(image)) {}

  // Start to translate, so that the first launch finds it done.
  void prepare() const;
  // Translate and bind on first use. The error stays the same ever after.
  cudaError_t load();

  const w2w_kernel* find_kernel(const std::string& name) const;
  const DeviceVariable* find_variable(const std::string& name) const;
  const w2w_module* record() const { return record_; }

 private:
  cudaError_t load_once();
  cudaError_t bind();
  void initialise(const w2w_variable& variable, char* place) const;

  std::string image_;
  std::mutex mutex_;
  bool tried_ = false;
  cudaError_t result_ = cudaSuccess;
  const w2w_module* record_ = nullptr;
  std::map<std::string, const w2w_kernel*> kernels_;
  std::map<std::string, DeviceVariable> variables_;
};

// A __global__ function, by the host function that stands for it.
struct Function {
  Module* module = nullptr;
  std::string name;
  int max_dynamic_shared = -1;  // set by cudaFuncSetAttribute
  int carveout = -1;
  int host_limit = -1;  // threads, from __launch_bounds__ as the host compiler saw it

  // Null, and *error set, where the module cannot be loaded or has no such kernel.
  const w2w_kernel* kernel(cudaError_t* error);
};

struct Symbol {
  Module* module = nullptr;
  std::string name;
  size_t size = 0;
  void** managed_pointer = nullptr;  // of a __managed__ variable: what the host reads the address from
};

// Bytes of dynamic shared memory that a launch may ask for.
size_t max_dynamic_shared(const Function& function, const w2w_kernel& kernel);

// Null for what was never registered.
Function* find_function(const void* host_function);
Symbol* find_symbol(const void* host_variable);
// Address and size of a symbol's device memory.
cudaError_t locate_symbol(const void* host_variable, DeviceVariable* found);
// Make the pointers of all __managed__ variables valid.
void load_managed_variables();

}  // namespace w2w::cudart
