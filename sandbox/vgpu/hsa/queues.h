// Queues: AQL rings that user code fills, each drained by a packet processor thread.
//
// Trap: a queue must be an amd_queue_v2_t; ROCclr and device code look inside it.
#pragma once
#include <hsa/amd_hsa_queue.h>
#include <hsa/hsa.h>

#include <atomic>
#include <thread>

#include "hsa/agents.h"
#include "hsa/signals.h"

namespace w2w::hsa {

// Flat addresses with this upper half are LDS, scratch (gfx9: SHARED_BASE, PRIVATE_BASE). The engine gives device code
// the same through src_shared_base and src_private_base.
constexpr uint32_t kGroupApertureHigh = 0x00010000;
constexpr uint32_t kPrivateApertureHigh = 0x00020000;

using QueueErrorCallback = void (*)(hsa_status_t, hsa_queue_t*, void*);

class Queue {
 public:
  // Null if there is no memory for the ring.
  static Queue* create(Agent* agent, uint32_t packets, hsa_queue_type32_t type, QueueErrorCallback callback,
                       void* data);
  // Whether `address` lies in a queue that lives.
  static bool holds(const void* address);
  static Queue* of(hsa_queue_t* queue) { return reinterpret_cast<Queue*>(queue); }
  // Stops the packet processor after the packet that it is working on.
  ~Queue();

  hsa_queue_t* handle() { return &abi_.hsa_queue; }
  amd_queue_v2_t& abi() { return abi_; }
  Agent* agent() { return agent_; }

 private:
  Queue(Agent* agent, char* ring, uint32_t packets, hsa_queue_type32_t type, QueueErrorCallback callback, void* data);
  void process();
  bool packet_ready() const;
  // An hsa_status_t for the error callback.
  int process_packet(char* packet);
  int run_barrier(const hsa_barrier_and_packet_t& packet, bool all);
  int run_barrier_value(const hsa_amd_barrier_value_packet_t& packet);
  template <class Signals, class Predicate>
  void wait_for(const Signals& signals, Predicate predicate);

  amd_queue_v2_t abi_;  // first, see above
  Agent* agent_;
  QueueErrorCallback callback_;
  void* callback_data_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace w2w::hsa
