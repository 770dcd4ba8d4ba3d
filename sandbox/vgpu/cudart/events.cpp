#include "cudart/events.h"

#include <chrono>
#include <set>

#include "cudart/errors.h"
#include "cudart/streams.h"

namespace w2w::cudart {
namespace {

std::mutex mutex;
std::set<Event*>& events() {
  static auto* instance = new std::set<Event*>;
  return *instance;
}

double now_milliseconds() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class Body>
cudaError_t with_event(cudaEvent_t handle, Body body) {
  return api([&] {
    Event* event = find_event(handle);
    return event ? body(*event) : cudaErrorInvalidResourceHandle;
  });
}

}  // namespace

Event* find_event(cudaEvent_t handle) {
  std::lock_guard<std::mutex> lock(mutex);
  auto* event = reinterpret_cast<Event*>(handle);
  return events().count(event) ? event : nullptr;
}

void record_event(Event& event) {
  event.recorded = true;
  event.milliseconds = now_milliseconds();
  event.capture.reset();
  event.captured.clear();
}

}  // namespace w2w::cudart

using namespace w2w::cudart;  // NOLINT: API functions have C linkage

W2W_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* handle, unsigned flags) {
  return api([&] {
    constexpr unsigned kKnown = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (!handle || (flags & ~kKnown)) return cudaErrorInvalidValue;
    if ((flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming)) return cudaErrorInvalidValue;
    auto* event = new Event;
    event->flags = flags;
    std::lock_guard<std::mutex> lock(mutex);
    events().insert(event);
    *handle = reinterpret_cast<cudaEvent_t>(event);
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaEventCreate(cudaEvent_t* handle) { return cudaEventCreateWithFlags(handle, cudaEventDefault); }

W2W_API cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  return with_event(handle, [&](Event& event) {
    std::lock_guard<std::mutex> lock(mutex);
    events().erase(&event);
    delete &event;
    return cudaSuccess;
  });
}

W2W_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t stream, unsigned flags) {
  return with_event(handle, [&](Event& event) {
    Stream* found = find_stream(stream);
    if (!found) return cudaErrorInvalidResourceHandle;
    if (found->capture && flags != cudaEventRecordExternal) return record_in_capture(*found, event);
    return submit(stream, RecordOperation{&event});
  });
}

W2W_API cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream) {
  return cudaEventRecordWithFlags(handle, stream, cudaEventRecordDefault);
}

W2W_API cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return with_event(handle, [](Event& event) { return is_captured(event) ? cudaErrorCapturedEvent : cudaSuccess; });
}

W2W_API cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  flush_output();
  return with_event(handle, [](Event& event) { return is_captured(event) ? cudaErrorCapturedEvent : cudaSuccess; });
}

W2W_API cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return with_event(start, [&](Event& first) {
    Event* last = find_event(end);
    if (!last || !milliseconds) return cudaErrorInvalidResourceHandle;
    if (!first.recorded || !last->recorded || ((first.flags | last->flags) & cudaEventDisableTiming))
      return cudaErrorInvalidResourceHandle;
    *milliseconds = static_cast<float>(last->milliseconds - first.milliseconds);
    return cudaSuccess;
  });
}
