// Work for a stream: executed at once, or kept as a node of a graph.
#pragma once
#include <cuda_runtime_api.h>

#include <memory>
#include <variant>
#include <vector>

#include "cudart/modules.h"

namespace w2w::cudart {

struct Graph;
struct Event;

struct KernelOperation {
  Function* function = nullptr;
  const void* host_function = nullptr;
  dim3 grid, block;
  size_t dynamic_shared = 0;
  bool cooperative = false;
  std::vector<std::vector<char>> arguments;
};

// Rows of bytes; pitches in bytes. A plain copy has one row.
struct CopyOperation {
  void* to = nullptr;
  const void* from = nullptr;
  size_t to_pitch = 0, from_pitch = 0;      // from row to row
  size_t to_slice = 0, from_slice = 0;      // from slice to slice
  size_t width = 0, height = 1, depth = 1;  // bytes, rows, slices
  cudaMemcpyKind kind = cudaMemcpyDefault;
};

struct FillOperation {
  void* to = nullptr;
  size_t pitch = 0, slice = 0;
  unsigned value = 0, element = 1;          // bytes of an element
  size_t width = 0, height = 1, depth = 1;  // elements, rows, slices
};

struct HostOperation {
  cudaHostFn_t function = nullptr;
  void* data = nullptr;
};

struct EmptyOperation {};

struct RecordOperation {
  Event* event = nullptr;
};

struct WaitOperation {
  Event* event = nullptr;
};

struct ChildOperation {
  std::shared_ptr<Graph> graph;
};

struct AllocateOperation {
  void* address = nullptr;
  size_t size = 0;
};

struct FreeOperation {
  void* address = nullptr;
};

using Operation = std::variant<KernelOperation, CopyOperation, FillOperation, HostOperation, EmptyOperation,
                               RecordOperation, WaitOperation, ChildOperation, AllocateOperation, FreeOperation>;

// What can be said of an operation before it runs: launch configuration, addresses, sizes.
cudaError_t check(const Operation& operation);
// Run to completion. A kernel's failure becomes the sticky error, and is not returned.
cudaError_t execute(const Operation& operation);
// Check, then execute or, where `stream` is being captured, add to its graph.
cudaError_t submit(cudaStream_t stream, Operation operation);

// The kernel's arguments, from pointers to them.
cudaError_t copy_arguments(KernelOperation* operation, void* const* arguments);

// ---- parts, by topic
cudaError_t check_kernel(const KernelOperation& operation);
cudaError_t execute_kernel(const KernelOperation& operation);
cudaError_t check_copy(const CopyOperation& operation);
void execute_copy(const CopyOperation& operation);
cudaError_t check_fill(const FillOperation& operation);
void execute_fill(const FillOperation& operation);
cudaError_t execute_graph(const Graph& graph);
void record_event(Event& event);

// Output of device printf, kept until the program synchronises.
void append_output(const std::string& text);
void flush_output();

}  // namespace w2w::cudart
