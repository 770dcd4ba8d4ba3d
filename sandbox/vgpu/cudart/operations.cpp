#include "cudart/operations.h"

#include <cstdio>

#include "cudart/errors.h"
#include "cudart/heap.h"
#include "cudart/streams.h"

namespace w2w::cudart {
namespace {

constexpr size_t kMaxPendingOutput = 64 << 20;

std::mutex output_mutex;
std::string pending_output;

struct Checker {
  cudaError_t operator()(const KernelOperation& kernel) const { return check_kernel(kernel); }
  cudaError_t operator()(const CopyOperation& copy) const { return check_copy(copy); }
  cudaError_t operator()(const FillOperation& fill) const { return check_fill(fill); }
  cudaError_t operator()(const HostOperation& host) const {
    return host.function ? cudaSuccess : cudaErrorInvalidValue;
  }
  template <class Other>
  cudaError_t operator()(const Other&) const {
    return cudaSuccess;
  }
};

struct Executor {
  cudaError_t operator()(const KernelOperation& kernel) const { return execute_kernel(kernel); }
  cudaError_t operator()(const CopyOperation& copy) const {
    execute_copy(copy);
    return cudaSuccess;
  }
  cudaError_t operator()(const FillOperation& fill) const {
    execute_fill(fill);
    return cudaSuccess;
  }
  cudaError_t operator()(const HostOperation& host) const {
    flush_output();
    host.function(host.data);
    return cudaSuccess;
  }
  cudaError_t operator()(const RecordOperation& record) const {
    record_event(*record.event);
    return cudaSuccess;
  }
  cudaError_t operator()(const ChildOperation& child) const { return execute_graph(*child.graph); }
  cudaError_t operator()(const AllocateOperation&) const { return cudaSuccess; }  // done when the node was made
  cudaError_t operator()(const FreeOperation&) const { return cudaSuccess; }      // with the graph
  cudaError_t operator()(const EmptyOperation&) const { return cudaSuccess; }
  cudaError_t operator()(const WaitOperation&) const { return cudaSuccess; }  // all before it is done
};

}  // namespace

cudaError_t check(const Operation& operation) { return std::visit(Checker{}, operation); }

cudaError_t execute(const Operation& operation) { return std::visit(Executor{}, operation); }

cudaError_t submit(cudaStream_t stream, Operation operation) {
  cudaError_t error = check(operation);
  if (error != cudaSuccess) return error;
  Stream* found = find_stream(stream);
  if (!found) return cudaErrorInvalidResourceHandle;
  if (found->capture) return add_to_capture(*found, std::move(operation));
  error = check_no_conflicting_capture(stream);
  return error != cudaSuccess ? error : execute(operation);
}

void append_output(const std::string& text) {
  std::lock_guard<std::mutex> lock(output_mutex);
  if (pending_output.size() + text.size() <= kMaxPendingOutput) pending_output += text;
}

void flush_output() {
  std::lock_guard<std::mutex> lock(output_mutex);
  if (pending_output.empty()) return;
  fwrite(pending_output.data(), 1, pending_output.size(), stdout);
  pending_output.clear();
}

}  // namespace w2w::cudart
