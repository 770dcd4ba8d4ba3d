// Global wave sync: 64 semaphores or barriers that all waves of the device share. HIP 7 programs do not use it, and the
// CDNA documents do not describe it: the state machine is the one of AMD's GCN3 and Vega documents. No helper of
// generated code, as its state belongs to the process and not to a kernel.
//
// A barrier counts down; the wave that finds it at zero turns the phase, and all that wait for it go on.
#include <atomic>
#include <cstdint>

#include "simt/wave_state.h"

namespace {

struct Resource {
  std::atomic<uint32_t> counter{0}, phase{0};
};
Resource resources[64];

// Takes one from `counter` unless it is zero; whether it did.
bool take_one(std::atomic<uint32_t>& counter) {
  uint32_t old = counter;
  while (old != 0)
    if (counter.compare_exchange_weak(old, old - 1)) return true;
  return false;
}

}  // namespace

extern "C" {

void w2w_gws_init(w2w_wave*, uint32_t resource, uint32_t value) { resources[resource].counter = value; }

// `value`: how many waves are expected, less one.
void w2w_gws_barrier(w2w_wave* wave, uint32_t resource, uint32_t value) {
  Resource& r = resources[resource];
  uint32_t phase = r.phase;
  if (!take_one(r.counter)) {
    r.counter = value;
    r.phase++;
    return;
  }
  while (r.phase == phase) w2w_yield(wave);
}

void w2w_gws_sema_v(w2w_wave*, uint32_t resource, uint32_t) { resources[resource].counter++; }
void w2w_gws_sema_br(w2w_wave*, uint32_t resource, uint32_t value) { resources[resource].counter += value; }

// Waits until the count is not zero, or until all waiters are released.
void w2w_gws_sema_p(w2w_wave* wave, uint32_t resource, uint32_t) {
  Resource& r = resources[resource];
  uint32_t phase = r.phase;
  while (!take_one(r.counter) && r.phase == phase) w2w_yield(wave);
}

void w2w_gws_sema_release_all(w2w_wave*, uint32_t resource, uint32_t) { resources[resource].phase++; }

}  // extern "C"
