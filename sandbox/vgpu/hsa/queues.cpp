#include "hsa/queues.h"

#include <hsa/hsa_ext_amd.h>

#include <array>
#include <cstring>
#include <iterator>
#include <mutex>
#include <new>
#include <set>

#include "hsa/heap.h"
#include "hsa/kernel_dispatch.h"

namespace w2w::hsa {
namespace {

constexpr size_t kPacketBytes = 64;

struct LiveQueues {
  std::mutex mutex;
  std::set<const Queue*> all;
};

LiveQueues& live_queues() {
  static LiveQueues* live = new LiveQueues;  // never destroyed: threads outlive exit()
  return *live;
}

uint16_t load_header(const char* packet) {
  return __atomic_load_n(reinterpret_cast<const uint16_t*>(packet), __ATOMIC_ACQUIRE);
}

// Trap: a slot is free when its type is INVALID (1). Zero is VENDOR_SPECIFIC.
void free_slot(char* packet) {
  __atomic_store_n(reinterpret_cast<uint16_t*>(packet), HSA_PACKET_TYPE_INVALID, __ATOMIC_RELEASE);
}

void complete(hsa_signal_t signal, uint64_t started) {
  if (signal.handle) Signal::of(signal)->complete(started, timestamp());
}

}  // namespace

Queue* Queue::create(Agent* agent, uint32_t packets, hsa_queue_type32_t type, QueueErrorCallback callback, void* data) {
  static_assert(offsetof(Queue, abi_) == 0, "a queue's handle is an amd_queue_v2_t*");
  auto* ring = static_cast<char*>(heap().allocate(kernarg_pool(), packets * kPacketBytes));
  return ring ? new Queue(agent, ring, packets, type, callback, data) : nullptr;
}

Queue::Queue(Agent* agent, char* ring, uint32_t packets, hsa_queue_type32_t type, QueueErrorCallback callback,
             void* data)
    : abi_{}, agent_(agent), callback_(callback), callback_data_(data) {
  static std::atomic<uint64_t> next_id{0};
  for (uint32_t i = 0; i < packets; i++) free_slot(ring + i * kPacketBytes);
  abi_.hsa_queue.type = type;
  abi_.hsa_queue.features = HSA_QUEUE_FEATURE_KERNEL_DISPATCH;
  abi_.hsa_queue.base_address = ring;
  abi_.hsa_queue.size = packets;
  abi_.hsa_queue.id = next_id++;
  abi_.hsa_queue.doorbell_signal = Signal::create(-1)->handle();
  abi_.group_segment_aperture_base_hi = kGroupApertureHigh;
  abi_.private_segment_aperture_base_hi = kPrivateApertureHigh;
  abi_.max_cu_id = agent->device->compute_units - 1;
  abi_.max_wave_id = agent->device->waves_per_cu - 1;
  abi_.queue_properties = AMD_QUEUE_PROPERTIES_IS_PTR64;
  {
    std::lock_guard<std::mutex> lock(live_queues().mutex);
    live_queues().all.insert(this);
  }
  thread_ = std::thread([this] { process(); });
}

Queue::~Queue() {
  stop_ = true;
  Sleeper::wake_all();  // it may sleep on any signal
  if (thread_.get_id() == std::this_thread::get_id())
    thread_.detach();  // destroyed by its own error callback
  else
    thread_.join();
  {
    std::lock_guard<std::mutex> lock(live_queues().mutex);
    live_queues().all.erase(this);
  }
  heap().release(abi_.hsa_queue.base_address);
  Signal::of(abi_.hsa_queue.doorbell_signal)->release();
}

bool Queue::holds(const void* address) {
  std::lock_guard<std::mutex> lock(live_queues().mutex);
  auto next = live_queues().all.upper_bound(static_cast<const Queue*>(address));
  return next != live_queues().all.begin() && address < *std::prev(next) + 1;
}

bool Queue::packet_ready() const {
  const uint64_t read = abi_.read_dispatch_id;
  const auto* ring = static_cast<const char*>(abi_.hsa_queue.base_address);
  return read < __atomic_load_n(&abi_.write_dispatch_id, __ATOMIC_ACQUIRE) &&
         (load_header(ring + (read & (abi_.hsa_queue.size - 1)) * kPacketBytes) & 0xff) != HSA_PACKET_TYPE_INVALID;
}

void Queue::process() {
  Watch watch(std::array<hsa_signal_t, 1>{abi_.hsa_queue.doorbell_signal});
  for (;;) {
    Sleeper::mine().wait([this] { return stop_.load() || packet_ready(); }, kForever, kLookAgainSeldom);
    if (stop_) return;
    const uint64_t read = abi_.read_dispatch_id;
    char* packet = static_cast<char*>(abi_.hsa_queue.base_address) + (read & (abi_.hsa_queue.size - 1)) * kPacketBytes;
    if (int status = process_packet(packet)) {
      // Trap: ROCclr 7.2's callback logs the packet; every later HIP call fails (6.4 aborted the process). Either way
      // the cause is lost there, so whoever found the error has reported it already.
      if (callback_) callback_(static_cast<hsa_status_t>(status), handle(), callback_data_);
      return;
    }
    if (stop_) return;
    free_slot(packet);
    __atomic_store_n(&abi_.read_dispatch_id, read + 1, __ATOMIC_SEQ_CST);
  }
}

int Queue::process_packet(char* packet) {
  uint64_t started = timestamp();
  const int type = load_header(packet) & 0xff;
  if (type == HSA_PACKET_TYPE_KERNEL_DISPATCH) {
    auto& dispatch = *reinterpret_cast<hsa_kernel_dispatch_packet_t*>(packet);
    if (int status = run_kernel(this, dispatch, &started)) return status;
    complete(dispatch.completion_signal, started);
    return HSA_STATUS_SUCCESS;
  }
  if (type == HSA_PACKET_TYPE_BARRIER_AND || type == HSA_PACKET_TYPE_BARRIER_OR)
    return run_barrier(*reinterpret_cast<hsa_barrier_and_packet_t*>(packet), type == HSA_PACKET_TYPE_BARRIER_AND);
  if (type == HSA_PACKET_TYPE_VENDOR_SPECIFIC) {
    auto& barrier = *reinterpret_cast<hsa_amd_barrier_value_packet_t*>(packet);
    if (barrier.header.AmdFormat == HSA_AMD_PACKET_TYPE_BARRIER_VALUE) return run_barrier_value(barrier);
  }
  return HSA_STATUS_ERROR_INVALID_PACKET_FORMAT;
}

template <class Signals, class Predicate>
void Queue::wait_for(const Signals& signals, Predicate predicate) {
  if (predicate()) return;
  Watch watch(signals);
  Sleeper::mine().wait([&] { return stop_.load() || predicate(); }, kForever, kLookAgain);
}

int Queue::run_barrier(const hsa_barrier_and_packet_t& packet, bool all) {
  const uint64_t started = timestamp();
  wait_for(packet.dep_signal, [&] {
    int signals = 0, zero = 0;
    for (hsa_signal_t signal : packet.dep_signal) {
      if (!signal.handle) continue;
      signals++;
      zero += Signal::of(signal)->load() == 0;
    }
    return !signals || (all ? zero == signals : zero > 0);
  });
  if (!stop_) complete(packet.completion_signal, started);
  return HSA_STATUS_SUCCESS;
}

int Queue::run_barrier_value(const hsa_amd_barrier_value_packet_t& packet) {
  const uint64_t started = timestamp();
  if (packet.signal.handle)
    wait_for(std::array<hsa_signal_t, 1>{packet.signal}, [&] {
      return satisfies(Signal::of(packet.signal)->load() & packet.mask,
                       static_cast<hsa_signal_condition_t>(packet.cond), packet.value);
    });
  if (!stop_) complete(packet.completion_signal, started);
  return HSA_STATUS_SUCCESS;
}

}  // namespace w2w::hsa
