#include <algorithm>
#include <cstring>
#include <new>

#include "common/fault_report.h"
#include "common/translation_client.h"
#include "simt/dispatch.h"
#include "simt/dispatch_run.h"
#include "simt/fault_handler.h"
#include "simt/helper_threads.h"
#include "simt/kernel_table.h"
#include "simt/scheduler.h"
#include "simt/settings.h"

namespace w2w::simt {
namespace {

// A dispatch that is expected to take less is not worth waking other threads for.
constexpr uint64_t kWorthHelpNanoseconds = 50000;
// Larger code objects are libraries of kernels, of which a program uses a few.
constexpr size_t kMaxAheadBytes = 4 << 20;
// Kernels of AMD's runtime itself; the HSA layer does their work without running them.
constexpr char kRuntimeKernels[] = "__amd_rocclr_";

// What a thread keeps between dispatches.
struct ThreadState {
  Runner runner;
  Pool pool;
  FaultScope faults{&runner};
};

ThreadState& thread_state() {
  thread_local ThreadState state;
  return state;
}

[[noreturn]] void fail_for_memory(const DispatchRun& run) {
  Fault fault;
  fault.kind = "out-of-resources";
  fault.kernel = run.kernel.name;
  fault.message = "no memory for the waves of a work-group";
  report_and_die(fault);
}

void take_part(DispatchRun& run) {
  ThreadState& state = thread_state();
  try {
    Scheduler(run, state.runner, state.pool).run_to_completion();
  } catch (const std::bad_alloc&) {
    fail_for_memory(run);
  }
}

unsigned count_helpers(const DispatchRun& run) {
  uint64_t threads = std::min<uint64_t>(settings().threads, run.grid.groups());
  uint64_t expected = run.kernel.group_nanoseconds.load(std::memory_order_relaxed) * run.grid.groups();
  bool known = run.kernel.group_nanoseconds.load(std::memory_order_relaxed) != 0;
  if (known && expected < kWorthHelpNanoseconds) return 0;
  return static_cast<unsigned>(threads - 1);
}

int check(const hsa_kernel_dispatch_packet_t& packet, const Target* target) {
  if (!target) return HSA_STATUS_ERROR_INVALID_AGENT;
  uint64_t items = uint64_t{packet.workgroup_size_x} * packet.workgroup_size_y * packet.workgroup_size_z;
  if (items == 0 || items > kMaxWorkItems) return HSA_STATUS_ERROR_INVALID_PACKET_FORMAT;
  if (packet.group_segment_size > target->lds_bytes) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  return HSA_STATUS_SUCCESS;
}

void note_result(const DispatchRun& run, unsigned threads) {
  auto elapsed = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - run.started).count();
  uint64_t per_group = static_cast<uint64_t>(elapsed) * threads / run.grid.groups();
  run.kernel.group_nanoseconds.store(static_cast<uint32_t>(std::clamp<uint64_t>(per_group, 1, UINT32_MAX)),
                                     std::memory_order_relaxed);
  LaunchRecord launch;
  launch.kernel = run.kernel.name;
  std::copy_n(run.grid.groups_by_dimension(), 3, launch.grid);
  std::copy_n(run.grid.group_size(), 3, launch.block);
  launch.lds_bytes = run.lds_bytes;
  launch.milliseconds = static_cast<double>(elapsed) * 1e-6;
  record(launch);
}

}  // namespace
}  // namespace w2w::simt

namespace w2w {

bool checks_enabled() { return simt::settings().checks; }

void prepare(const Dispatch& dispatch) {
  simt::find_kernel(dispatch, simt::settings().flavour);
  if (!simt::settings().light_flavour.empty()) simt::find_kernel(dispatch, simt::settings().light_flavour);
}

int execute(const Dispatch& dispatch) {
  using namespace simt;
  const Target* target = find_target(dispatch.target);
  if (int status = check(*dispatch.packet, target)) return status;
  install_fault_handlers();
  DispatchRun run(dispatch, *target, find_kernel(dispatch, settings().flavour));
  if (run.is_large() && !settings().light_flavour.empty())
    run.light_function = find_kernel(dispatch, settings().light_flavour).function;
  unsigned helpers = count_helpers(run);
  SharedWork work([&run] { take_part(run); });
  work.call_helpers(helpers);
  take_part(run);
  work.finish();
  note_result(run, helpers + 1);
  if (run.kernel.counter_plan) run.counts.write(run);
  return HSA_STATUS_SUCCESS;
}

void code_object_loaded(const char* target, const void* elf, size_t elf_size) {
  simt::register_code_object(elf);
  if (elf_size > simt::kMaxAheadBytes) return;
  if (memmem(elf, elf_size, simt::kRuntimeKernels, sizeof simt::kRuntimeKernels - 1)) return;
  translate_ahead(TranslationImage{"cdna", target, simt::settings().flavour, elf, elf_size});
  if (simt::settings().light_flavour.empty()) return;
  translate_ahead(TranslationImage{"cdna", target, simt::settings().light_flavour, elf, elf_size});
}

}  // namespace w2w
