// hsa_signal_*: the entry points that ROCclr uses. All orders are served as sequentially consistent.
#include <array>

#include "hsa/signal_handlers.h"
#include "hsa/signals.h"

using w2w::hsa::Clock;
using w2w::hsa::Signal;
using w2w::hsa::Sleeper;

namespace {

// Timeouts are in nanoseconds of the system clock; the largest means never.
Clock::time_point deadline(uint64_t timeout) {
  constexpr uint64_t kYear = 365ull * 24 * 3600 * 1'000'000'000;
  return timeout > kYear ? w2w::hsa::kForever : Clock::now() + std::chrono::nanoseconds(timeout);
}

hsa_status_t create(hsa_signal_value_t value, hsa_signal_t* signal) {
  if (!signal) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  *signal = Signal::create(value)->handle();
  return HSA_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

hsa_status_t hsa_signal_create(hsa_signal_value_t value, uint32_t, const hsa_agent_t*, hsa_signal_t* signal) {
  return create(value, signal);
}

hsa_status_t hsa_amd_signal_create(hsa_signal_value_t value, uint32_t, const hsa_agent_t*, uint64_t,
                                   hsa_signal_t* signal) {
  return create(value, signal);
}

hsa_status_t hsa_signal_destroy(hsa_signal_t signal) {
  if (!signal.handle) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  Signal::of(signal)->release();
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_signal_value_pointer(hsa_signal_t signal, volatile hsa_signal_value_t** pointer) {
  if (!signal.handle || !pointer) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  *pointer = Signal::of(signal)->value_pointer();
  return HSA_STATUS_SUCCESS;
}

hsa_signal_value_t hsa_signal_load_relaxed(hsa_signal_t signal) { return Signal::of(signal)->load(); }

void hsa_signal_store_relaxed(hsa_signal_t signal, hsa_signal_value_t value) { Signal::of(signal)->store(value); }

void hsa_signal_store_screlease(hsa_signal_t signal, hsa_signal_value_t value) { Signal::of(signal)->store(value); }

void hsa_signal_silent_store_relaxed(hsa_signal_t signal, hsa_signal_value_t value) {
  Signal::of(signal)->store_silently(value);
}

void hsa_signal_add_relaxed(hsa_signal_t signal, hsa_signal_value_t value) { Signal::of(signal)->add(value); }

void hsa_signal_subtract_relaxed(hsa_signal_t signal, hsa_signal_value_t value) { Signal::of(signal)->add(-value); }

hsa_signal_value_t hsa_signal_wait_scacquire(hsa_signal_t handle, hsa_signal_condition_t condition,
                                             hsa_signal_value_t compare, uint64_t timeout, hsa_wait_state_t) {
  Signal* signal = Signal::of(handle);
  int64_t value = signal->load();
  auto satisfied = [&] { return w2w::hsa::satisfies(value = signal->load(), condition, compare); };
  if (!timeout || satisfied()) return value;
  w2w::hsa::Watch watch(std::array<hsa_signal_t, 1>{handle});
  Sleeper::mine().wait(satisfied, deadline(timeout), w2w::hsa::kLookAgain);
  return value;
}

hsa_status_t hsa_amd_signal_async_handler(hsa_signal_t signal, hsa_signal_condition_t condition,
                                          hsa_signal_value_t value, hsa_amd_signal_handler handler, void* argument) {
  if (!signal.handle || !handler) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  w2w::hsa::add_signal_handler({Signal::of(signal), condition, value, handler, argument});
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_profiling_get_dispatch_time(hsa_agent_t, hsa_signal_t signal,
                                                 hsa_amd_profiling_dispatch_time_t* time) {
  if (!signal.handle || !time) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  *time = {Signal::of(signal)->started(), Signal::of(signal)->ended()};
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_profiling_get_async_copy_time(hsa_signal_t signal, hsa_amd_profiling_async_copy_time_t* time) {
  if (!signal.handle || !time) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  *time = {Signal::of(signal)->started(), Signal::of(signal)->ended()};
  return HSA_STATUS_SUCCESS;
}

// Times are always recorded: they cost less than asking whether to.
hsa_status_t hsa_amd_profiling_set_profiler_enabled(hsa_queue_t*, int) { return HSA_STATUS_SUCCESS; }

hsa_status_t hsa_amd_profiling_async_copy_enable(bool) { return HSA_STATUS_SUCCESS; }

}  // extern "C"
