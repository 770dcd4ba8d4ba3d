// Streams. All work is done when the call that submits it returns, so a stream is its identity and its capture.
#pragma once
#include <cuda_runtime_api.h>

#include <memory>
#include <vector>

#include "cudart/graphs.h"
#include "cudart/operations.h"

namespace w2w::cudart {

// A capture in progress, shared by the streams that joined it.
struct Capture {
  std::shared_ptr<Graph> graph;
  unsigned long long id = 0;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  cudaStream_t origin = nullptr;
  bool owns_graph = true;
  bool invalid = false;
  bool ended = false;
};

struct Stream {
  unsigned flags = cudaStreamDefault;
  int priority = 0;
  unsigned long long id = 0;
  std::shared_ptr<Capture> capture;
  std::vector<Node*> last;  // what the next captured node depends on
};

// The default streams are streams too. Null for a handle that is none.
Stream* find_stream(cudaStream_t handle);
cudaError_t add_to_capture(Stream& stream, Operation operation);
// Work for the legacy default stream is an error while a blocking stream is captured.
cudaError_t check_no_conflicting_capture(cudaStream_t handle);
// Calls that are unsafe while this thread captures (cudaMalloc, synchronisation) spoil the capture.
cudaError_t check_unsafe_call();

// An event joins a capture (cudaEventRecord) and other streams follow it into it (cudaStreamWaitEvent).
bool is_captured(const Event& event);
cudaError_t record_in_capture(Stream& stream, Event& event);
cudaError_t wait_in_capture(Stream& stream, Event& event, bool* handled);

}  // namespace w2w::cudart
