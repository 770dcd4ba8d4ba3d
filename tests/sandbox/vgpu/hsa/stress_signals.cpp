// Queues, barrier packets, copies, handlers and waits from many threads at once, through the HSA interface: a lost
// wake-up ends in the time limit, a wrong order in a wrong count. Argument: rounds a thread.
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

struct Agents {
  hsa_agent_t host, gpu;
};

Agents find_agents() {
  Agents found{};
  hsa_iterate_agents(
      [](hsa_agent_t agent, void* out) {
        hsa_device_type_t type;
        hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
        auto* agents = static_cast<Agents*>(out);
        (type == HSA_DEVICE_TYPE_GPU ? agents->gpu : agents->host) = agent;
        return HSA_STATUS_SUCCESS;
      },
      &found);
  return found;
}

// A packet that waits for `dependency` and then decrements `done`.
void submit_barrier(hsa_queue_t* queue, hsa_signal_t dependency, hsa_signal_t done) {
  uint64_t index = hsa_queue_add_write_index_screlease(queue, 1);
  while (index - hsa_queue_load_read_index_scacquire(queue) >= queue->size) std::this_thread::yield();
  auto* packet = static_cast<hsa_barrier_and_packet_t*>(queue->base_address) + (index & (queue->size - 1));
  std::memset(reinterpret_cast<char*>(packet) + 2, 0, sizeof *packet - 2);
  packet->dep_signal[2] = dependency;
  packet->completion_signal = done;
  __atomic_store_n(&packet->header, HSA_PACKET_TYPE_BARRIER_AND, __ATOMIC_RELEASE);
  hsa_signal_store_screlease(queue->doorbell_signal, static_cast<int64_t>(index));
}

std::atomic<int> handled{0};

// gate -> barrier packet -> copy -> host wait and handler; the gate opens last or first.
void run_rounds(Agents agents, hsa_queue_t* queue, int rounds) {
  for (int i = 0; i < rounds; i++) {
    int from = i, to = -1;
    hsa_signal_t gate, passed, copied, called;
    hsa_signal_create(1, 0, nullptr, &gate);
    hsa_signal_create(1, 0, nullptr, &passed);
    hsa_signal_create(1, 0, nullptr, &copied);
    hsa_signal_create(1, 0, nullptr, &called);
    if (i % 2) hsa_signal_subtract_relaxed(gate, 1);
    hsa_amd_signal_async_handler(
        copied, HSA_SIGNAL_CONDITION_LT, 1,
        [](hsa_signal_value_t, void* signal) {
          handled++;
          hsa_signal_subtract_relaxed({reinterpret_cast<uint64_t>(signal)}, 1);
          return false;
        },
        reinterpret_cast<void*>(called.handle));
    submit_barrier(queue, gate, passed);
    hsa_amd_memory_async_copy(&to, agents.gpu, &from, agents.host, sizeof to, 1, &passed, copied);
    if (!(i % 2)) hsa_signal_subtract_relaxed(gate, 1);
    hsa_signal_wait_scacquire(copied, HSA_SIGNAL_CONDITION_LT, 1, ~0ull, HSA_WAIT_STATE_BLOCKED);
    hsa_signal_wait_scacquire(called, HSA_SIGNAL_CONDITION_EQ, 0, ~0ull, HSA_WAIT_STATE_ACTIVE);
    if (to != i) {
      std::printf("round %d copied %d\n", i, to);
      std::exit(1);
    }
    for (hsa_signal_t signal : {gate, passed, copied, called}) hsa_signal_destroy(signal);
  }
}

}  // namespace

int main(int, char** argv) {
  const int rounds = std::atoi(argv[1]);
  hsa_init();
  const Agents agents = find_agents();
  hsa_queue_t* queues[3];
  for (hsa_queue_t*& queue : queues)
    if (hsa_queue_create(agents.gpu, 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, &queue)) return 1;
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; i++) threads.emplace_back(run_rounds, agents, queues[i % 3], rounds);
  for (std::thread& thread : threads) thread.join();
  hsa_signal_t late;
  hsa_signal_create(1, 0, nullptr, &late);
  const bool timed_out =
      hsa_signal_wait_scacquire(late, HSA_SIGNAL_CONDITION_EQ, 0, 2'000'000, HSA_WAIT_STATE_BLOCKED) == 1;
  hsa_signal_destroy(late);
  for (hsa_queue_t* queue : queues) hsa_queue_destroy(queue);
  if (handled != 6 * rounds || !timed_out) return 1;
  std::puts("PASS");
}
