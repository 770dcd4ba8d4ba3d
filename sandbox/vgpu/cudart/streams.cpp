#include "cudart/streams.h"

#include <algorithm>
#include <map>

#include "cudart/errors.h"
#include "cudart/events.h"

namespace w2w::cudart {
namespace {

constexpr int kLowestPriority = 0, kHighestPriority = -5;

struct Registry {
  std::mutex mutex;
  std::map<cudaStream_t, std::unique_ptr<Stream>> streams;
  Stream legacy, per_thread;
  unsigned long long next_id = 10;
  unsigned long long next_capture = 1;
  std::vector<std::weak_ptr<Capture>> captures;
};

Registry& registry() {
  static Registry* instance = new Registry;
  return *instance;
}

thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

bool any_capture(bool (*matches)(const Capture&)) {
  std::vector<std::shared_ptr<Capture>> active;
  {
    std::lock_guard<std::mutex> lock(registry().mutex);
    auto& captures = registry().captures;
    captures.erase(std::remove_if(captures.begin(), captures.end(), [](const auto& weak) { return weak.expired(); }),
                   captures.end());
    for (const auto& weak : captures)
      if (auto capture = weak.lock(); capture && !capture->ended) active.push_back(std::move(capture));
  }
  return std::any_of(active.begin(), active.end(), [&](const auto& capture) { return matches(*capture); });
}

cudaError_t create(cudaStream_t* handle, unsigned flags, int priority) {
  if (!handle || (flags & ~cudaStreamNonBlocking)) return cudaErrorInvalidValue;
  auto stream = std::make_unique<Stream>();
  stream->flags = flags;
  stream->priority = std::clamp(priority, kHighestPriority, kLowestPriority);
  std::lock_guard<std::mutex> lock(registry().mutex);
  stream->id = registry().next_id++;
  *handle = reinterpret_cast<cudaStream_t>(stream.get());
  registry().streams[*handle] = std::move(stream);
  return cudaSuccess;
}

// Calls f(stream) for a valid handle.
template <class Body>
cudaError_t with_stream(cudaStream_t handle, Body body) {
  return api([&] {
    Stream* stream = find_stream(handle);
    return stream ? body(*stream) : cudaErrorInvalidResourceHandle;
  });
}

void leave_capture(const std::shared_ptr<Capture>& capture) {
  std::lock_guard<std::mutex> lock(registry().mutex);
  capture->ended = true;
  auto leave = [&](Stream& stream) {
    if (stream.capture != capture) return;
    stream.capture.reset();
    stream.last.clear();
  };
  for (auto& [handle, stream] : registry().streams) leave(*stream);
  leave(registry().per_thread);
}

cudaError_t begin(Stream& stream, cudaStream_t handle, std::shared_ptr<Graph> graph, std::vector<Node*> last,
                  cudaStreamCaptureMode mode, bool owns_graph) {
  if (&stream == &registry().legacy) return cudaErrorStreamCaptureUnsupported;
  if (stream.capture) return cudaErrorIllegalState;
  auto capture = std::make_shared<Capture>();
  capture->graph = std::move(graph);
  capture->mode = mode;
  capture->origin = handle;
  capture->owns_graph = owns_graph;
  std::lock_guard<std::mutex> lock(registry().mutex);
  capture->id = registry().next_capture++;
  registry().captures.push_back(capture);
  stream.capture = std::move(capture);
  stream.last = std::move(last);
  return cudaSuccess;
}

// Every branch that other streams added must have come back to the origin.
bool has_unjoined_work(const Capture& capture, const std::vector<Node*>& last) {
  std::vector<const Node*> work(last.begin(), last.end());
  std::vector<const Node*> seen;
  while (!work.empty()) {
    const Node* node = work.back();
    work.pop_back();
    if (std::find(seen.begin(), seen.end(), node) != seen.end()) continue;
    seen.push_back(node);
    work.insert(work.end(), node->dependencies.begin(), node->dependencies.end());
  }
  return capture.owns_graph && seen.size() < capture.graph->nodes.size();
}

}  // namespace

Stream* find_stream(cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy) return &registry().legacy;
  if (handle == cudaStreamPerThread) return &registry().per_thread;
  std::lock_guard<std::mutex> lock(registry().mutex);
  auto place = registry().streams.find(handle);
  return place == registry().streams.end() ? nullptr : place->second.get();
}

cudaError_t add_to_capture(Stream& stream, Operation operation) {
  if (stream.capture->invalid) return cudaErrorStreamCaptureInvalidated;
  Node* node = stream.capture->graph->add(std::move(operation), stream.last);
  stream.last = {node};
  return cudaSuccess;
}

cudaError_t check_no_conflicting_capture(cudaStream_t handle) {
  if (find_stream(handle) != &registry().legacy) return cudaSuccess;
  const bool conflict = any_capture([](const Capture& capture) {
    Stream* origin = find_stream(capture.origin);
    return capture.mode != cudaStreamCaptureModeRelaxed && origin && !(origin->flags & cudaStreamNonBlocking);
  });
  return conflict ? cudaErrorStreamCaptureImplicit : cudaSuccess;
}

cudaError_t check_unsafe_call() {
  if (thread_mode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
  const bool unsafe = any_capture([](const Capture& capture) { return capture.mode != cudaStreamCaptureModeRelaxed; });
  return unsafe ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

bool is_captured(const Event& event) { return event.capture && !event.capture->ended; }

cudaError_t record_in_capture(Stream& stream, Event& event) {
  event.capture = stream.capture;
  event.captured = stream.last;
  return cudaSuccess;
}

cudaError_t wait_in_capture(Stream& stream, Event& event, bool* handled) {
  *handled = is_captured(event);
  if (!*handled) return stream.capture ? cudaErrorStreamCaptureIsolation : cudaSuccess;
  if (stream.capture && stream.capture != event.capture) return cudaErrorStreamCaptureMerge;
  stream.capture = event.capture;
  for (Node* node : event.captured)
    if (std::find(stream.last.begin(), stream.last.end(), node) == stream.last.end()) stream.last.push_back(node);
  return cudaSuccess;
}

}  // namespace w2w::cudart

using namespace w2w::cudart;  // NOLINT: API functions have C linkage

W2W_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return api([&] { return create(stream, flags, priority); });
}
W2W_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
W2W_API cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, 0); }

W2W_API cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return api([&] {
    std::lock_guard<std::mutex> lock(registry().mutex);
    return registry().streams.erase(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

W2W_API cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  flush_output();
  return with_stream(handle, [](Stream& stream) {
    if (!stream.capture) return cudaSuccess;
    stream.capture->invalid = true;
    return cudaErrorStreamCaptureUnsupported;
  });
}

W2W_API cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return with_stream(handle, [](Stream& stream) {
    if (!stream.capture) return cudaSuccess;
    stream.capture->invalid = true;
    return cudaErrorStreamCaptureUnsupported;
  });
}

W2W_API cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned flags) {
  return with_stream(handle, [&](Stream& stream) {
    Event* found = find_event(event);
    if (!found) return cudaErrorInvalidResourceHandle;
    if (flags == cudaEventWaitExternal) return submit(handle, WaitOperation{found});
    bool handled;
    return wait_in_capture(stream, *found, &handled);
  });
}

W2W_API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return api([&] { return submit(stream, HostOperation{function, data}); });
}

W2W_API cudaError_t cudaLaunchHostFunc_v2(cudaStream_t stream, cudaHostFn_t function, void* data, unsigned) {
  return cudaLaunchHostFunc(stream, function, data);
}

W2W_API cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t callback, void* data,
                                          unsigned flags) {
  return with_stream(handle, [&](Stream& stream) {
    if (!callback || flags) return cudaErrorInvalidValue;
    if (stream.capture) return cudaErrorStreamCaptureUnsupported;
    flush_output();
    callback(handle, cudaSuccess, data);
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
  return with_stream(handle, [&](Stream& stream) {
    if (!flags) return cudaErrorInvalidValue;
    *flags = stream.flags;
    return cudaSuccess;
  });
}
W2W_API cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  return with_stream(handle, [&](Stream& stream) {
    if (!priority) return cudaErrorInvalidValue;
    *priority = stream.priority;
    return cudaSuccess;
  });
}
W2W_API cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id) {
  return with_stream(handle, [&](Stream& stream) {
    if (!id) return cudaErrorInvalidValue;
    *id = stream.id;
    return cudaSuccess;
  });
}
W2W_API cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device) {
  return with_stream(handle, [&](Stream&) {
    if (!device) return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
  });
}
W2W_API cudaError_t cudaStreamGetAttribute(cudaStream_t handle, cudaStreamAttrID attribute,
                                           cudaStreamAttrValue* value) {
  return with_stream(handle, [&](Stream& stream) {
    if (!value) return cudaErrorInvalidValue;
    *value = cudaStreamAttrValue{};
    if (attribute == cudaLaunchAttributePriority) value->priority = stream.priority;
    return cudaSuccess;
  });
}
W2W_API cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaStreamAttrID, const cudaStreamAttrValue* value) {
  return with_stream(handle, [&](Stream&) { return value ? cudaSuccess : cudaErrorInvalidValue; });
}
W2W_API cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return with_stream(to, [&](Stream&) { return find_stream(from) ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}
W2W_API cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return api([&] {
    if (least) *least = kLowestPriority;
    if (greatest) *greatest = kHighestPriority;
    return cudaSuccess;
  });
}

// ---- capture ---------------------------------------------------------------------------------------------------

W2W_API cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  return with_stream(handle,
                     [&](Stream& stream) { return begin(stream, handle, std::make_shared<Graph>(), {}, mode, true); });
}

W2W_API cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t handle, cudaGraph_t graph,
                                                  const cudaGraphNode_t* dependencies, const cudaGraphEdgeData*,
                                                  size_t count, cudaStreamCaptureMode mode) {
  return with_stream(handle, [&](Stream& stream) {
    if (!find_graph(graph) || (count && !dependencies)) return cudaErrorInvalidValue;
    std::vector<Node*> last;
    for (size_t i = 0; i < count; ++i) last.push_back(as_node(dependencies[i]));
    return begin(stream, handle, share_graph(graph), std::move(last), mode, false);
  });
}

W2W_API cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  return with_stream(handle, [&](Stream& stream) {
    if (!graph) return cudaErrorInvalidValue;
    if (!stream.capture) return cudaErrorIllegalState;
    std::shared_ptr<Capture> capture = stream.capture;
    if (capture->origin != handle) return cudaErrorStreamCaptureUnmatched;
    const bool unjoined = has_unjoined_work(*capture, stream.last);
    leave_capture(capture);
    *graph = nullptr;
    if (capture->invalid) return cudaErrorStreamCaptureInvalidated;
    if (unjoined) return cudaErrorStreamCaptureUnjoined;
    *graph = make_graph_handle(capture->graph);
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return with_stream(handle, [&](Stream& stream) {
    if (!status) return cudaErrorInvalidValue;
    *status = !stream.capture           ? cudaStreamCaptureStatusNone
              : stream.capture->invalid ? cudaStreamCaptureStatusInvalidated
                                        : cudaStreamCaptureStatusActive;
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status,
                                             unsigned long long* id, cudaGraph_t* graph,
                                             const cudaGraphNode_t** dependencies, const cudaGraphEdgeData** edges,
                                             size_t* count) {
  cudaError_t error = cudaStreamIsCapturing(handle, status);
  if (error != cudaSuccess || *status != cudaStreamCaptureStatusActive) return error;
  return with_stream(handle, [&](Stream& stream) {
    if (id) *id = stream.capture->id;
    if (graph) *graph = make_graph_handle(stream.capture->graph);
    if (dependencies) *dependencies = reinterpret_cast<const cudaGraphNode_t*>(stream.last.data());
    if (edges) *edges = nullptr;
    if (count) *count = stream.last.size();
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t handle, cudaGraphNode_t* dependencies,
                                                        const cudaGraphEdgeData*, size_t count, unsigned flags) {
  return with_stream(handle, [&](Stream& stream) {
    if (!stream.capture) return cudaErrorIllegalState;
    if (flags == cudaStreamSetCaptureDependencies) stream.last.clear();
    for (size_t i = 0; i < count; ++i) stream.last.push_back(as_node(dependencies[i]));
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return api([&] {
    if (!mode) return cudaErrorInvalidValue;
    std::swap(*mode, thread_mode);
    return cudaSuccess;
  });
}
