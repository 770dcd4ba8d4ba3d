#include "cudart/engine/faults.h"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <cstring>
#include <mutex>

#include "cudart/heap.h"

namespace w2w::cudart {
namespace {

constexpr size_t kAlternateStack = 1 << 20;  // reports are built on it
constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

struct sigaction previous_actions[64];
thread_local Block* running_block = nullptr;
thread_local char* rescue_stack = nullptr;
thread_local uint64_t fault_address = 0;
thread_local int fault_signal = 0;

std::string triple(const unsigned* values) {
  return "(" + std::to_string(values[0]) + "," + std::to_string(values[1]) + "," + std::to_string(values[2]) + ")";
}

std::string hexadecimal(uint64_t value) {
  char text[24];
  snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

// Where execution goes on after a signal: on a stack of its own, as the fibre's may be used up.
[[noreturn]] void leave_faulted_kernel() {
  Block* block = running_block;
  Thread& thread = *block->running;
  if (fault_signal == SIGSEGV || fault_signal == SIGBUS) {
    auto address = reinterpret_cast<const char*>(fault_address);
    const bool below = address < thread.stack_low && address > thread.stack_low - (1 << 20);
    if (below || block->stacks.guards(address))
      stop(thread, Outcome::kStackOverflow, "memory-fault", nullptr, "stack overflow in " + describe_thread(thread));
    stop(thread, Outcome::kIllegalAddress, "memory-fault", nullptr,
         "access to address " + hexadecimal(fault_address) + " by " + describe_thread(thread));
  }
  stop(thread, Outcome::kIllegalInstruction, "trap", nullptr,
       std::string(strsignal(fault_signal)) + " in " + describe_thread(thread));
}

void handle_signal(int number, siginfo_t* info, void* context) {
  if (!running_block || !running_block->running) {
    // Not ours: let it happen again under the handler that was there before.
    sigaction(number, &previous_actions[number], nullptr);
    return;
  }
  fault_address = reinterpret_cast<uint64_t>(info->si_addr);
  fault_signal = number;
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  registers[REG_RSP] = static_cast<greg_t>(reinterpret_cast<uint64_t>(rescue_stack) + kAlternateStack - 8);
  registers[REG_RIP] = reinterpret_cast<greg_t>(&leave_faulted_kernel);
}

void install_handlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action = {};
    action.sa_sigaction = handle_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (int number : kSignals) sigaction(number, &action, &previous_actions[number]);
  });
}

std::string describe_access(const w2w_site& site, uint64_t address, const char* space) {
  static const char* const kVerbs[] = {"read", "write", "atomic operation"};
  return std::string(kVerbs[site.access % 3]) + " of " + std::to_string(site.bytes) + " bytes at " + space +
         hexadecimal(address);
}

// "it lies 4 bytes behind an allocation of 400 bytes"
std::string describe_neighbour(uint64_t address) {
  Allocation allocation;
  for (uint64_t back : {uint64_t{0}, uint64_t{Heap::kGranule}, uint64_t{16} * Heap::kGranule}) {
    if (back <= address && Heap::instance().find(reinterpret_cast<void*>(address - back), &allocation)) {
      uint64_t end = allocation.base + allocation.size;
      if (address >= end)
        return ", " + std::to_string(address - end) + " bytes past the end of an allocation of " +
               std::to_string(allocation.size) + " bytes";
      return ", at byte " + std::to_string(address - allocation.base) + " of an allocation of " +
             std::to_string(allocation.size) + " bytes";
    }
  }
  return Heap::instance().contains(reinterpret_cast<void*>(address)) ? ", which is in no allocation" : "";
}

}  // namespace

std::string describe_block(const Block& block) {
  return block.threads.empty() ? std::to_string(block.index) : triple(block.threads[0].ctaid);
}

std::string describe_thread(const Thread& thread) {
  return "thread " + triple(thread.tid) + " of block " + triple(thread.ctaid);
}

Fault make_fault(const char* kind, const Launch& launch, const w2w_site* site, const std::string& message) {
  Fault fault;
  fault.kind = kind;
  fault.kernel = launch.kernel->name;
  fault.message = message;
  if (!site) return fault;
  fault.pc = std::to_string(site->line);
  fault.instruction = site->instruction;
  if (site->source_line)
    fault.message += std::string("; source ") + (site->source_file ? site->source_file : "") + ":" +
                     std::to_string(site->source_line);
  return fault;
}

void stop(Thread& thread, Outcome outcome, const char* kind, const w2w_site* site, const std::string& message) {
  Block& block = thread.owner();
  block.launch->fail(outcome, make_fault(kind, *block.launch, site, message));
  block.suspend(thread);
  __builtin_unreachable();
}

void catch_faults_on_this_thread() {
  install_handlers();
  static thread_local bool done = false;
  if (done) return;
  done = true;
  auto map = [] {
    void* memory =
        mmap(nullptr, kAlternateStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<char*>(memory);
  };
  rescue_stack = map();
  stack_t alternate = {};
  alternate.ss_sp = map();
  alternate.ss_size = kAlternateStack;
  sigaltstack(&alternate, nullptr);
}

void set_running_block(Block* block) { running_block = block; }

}  // namespace w2w::cudart

using namespace w2w::cudart;  // NOLINT: the functions below are the C interface of generated code

extern "C" {

void w2w_check_address(w2w_thread* t, unsigned long address, const w2w_site* site) {
  Thread& thread = as_thread(t);
  auto within = [&](const char* low, uint64_t size) {
    uint64_t offset = address - reinterpret_cast<uint64_t>(low);
    return offset < size && size - offset >= site->bytes;
  };
  const bool aligned = address % site->align == 0;
  bool legal = within(t->stack_low, static_cast<uint64_t>(t->stack_high - t->stack_low)) ||
               within(t->shared, t->shared_size) || within(t->params, t->param_size);
  if (!legal) {
    w2w::Allocation registered;
    legal = w2w::Heap::instance().find_registered(reinterpret_cast<void*>(address), &registered) &&
            registered.base + registered.size - address >= site->bytes;
  }
  if (!legal && !aligned) {
    w2w::Allocation allocation;
    legal = w2w::Heap::instance().find(reinterpret_cast<void*>(address), &allocation) &&
            allocation.base + allocation.size - address >= site->bytes;
  }
  if (legal && aligned) return;
  std::string what =
      describe_access(*site, address, "") + describe_neighbour(address) + ", by " + describe_thread(thread);
  if (legal) stop(thread, Outcome::kMisalignedAddress, "memory-fault", site, "misaligned " + what);
  stop(thread, Outcome::kIllegalAddress, "memory-fault", site, "illegal " + what);
}

void w2w_shared_fault(w2w_thread* t, unsigned offset, const w2w_site* site) {
  Thread& thread = as_thread(t);
  const bool inside = uint64_t{offset} + site->bytes <= t->shared_size;
  std::string what = describe_access(*site, offset, "offset ") + " of shared memory, which has " +
                     std::to_string(t->shared_size) + " bytes, by " + describe_thread(thread);
  stop(thread, inside ? Outcome::kMisalignedAddress : Outcome::kIllegalAddress, "memory-fault", site,
       (inside ? "misaligned " : "illegal ") + what);
}

void w2w_unsupported(w2w_thread* t, const w2w_site* site) {
  Thread& thread = as_thread(t);
  stop(thread, Outcome::kUnsupported, "unsupported-instruction", site,
       "this instruction, or this form of it, is not implemented");
}

void w2w_missing_function(w2w_thread* t, const char* name, const w2w_site* site) {
  Thread& thread = as_thread(t);
  const bool nested = strncmp(name, "__cudaCDP", 9) == 0 || strncmp(name, "cudaLaunchDevice", 16) == 0 ||
                      strncmp(name, "cudaGetParameterBuffer", 22) == 0;
  stop(thread, Outcome::kUnsupported, "unsupported-function", site,
       nested ? "a kernel launches kernels (dynamic parallelism), which is not supported: " + std::string(name)
              : "a kernel calls " + std::string(name) + ", which nothing defines");
}

void w2w_trap(w2w_thread* t, const w2w_site* site) {
  Thread& thread = as_thread(t);
  stop(thread, Outcome::kTrap, "trap", site, "trap executed by " + describe_thread(thread));
}

void w2w_breakpoint(w2w_thread* t, const w2w_site* site) {
  Thread& thread = as_thread(t);
  stop(thread, Outcome::kBreakpoint, "trap", site, "breakpoint executed by " + describe_thread(thread));
}

void w2w_check_stack(w2w_thread* t, const w2w_site* site) {
  Thread& thread = as_thread(t);
  stop(thread, Outcome::kStackOverflow, "memory-fault", site, "stack overflow in " + describe_thread(thread));
}

w2w_device_function w2w_call_target(w2w_thread* t, unsigned long address, const w2w_site* site) {
  Thread& thread = as_thread(t);
  const w2w_module& module = *thread.owner().launch->module;
  auto function = reinterpret_cast<w2w_device_function>(address);
  for (unsigned i = 0; i < module.function_count; ++i)
    if (module.functions[i] == function) return function;
  stop(thread, Outcome::kInvalidCall, "memory-fault", site,
       "call of " + hexadecimal(address) + ", where no function is, by " + describe_thread(thread));
}

void w2w_exit(w2w_thread* t) {
  Thread& thread = as_thread(t);
  thread.owner().finish(thread);
  __builtin_unreachable();
}

void w2w_yield(w2w_thread* t) {
  Thread& thread = as_thread(t);
  Block& block = thread.owner();
  block.warps[thread.warp].yielded |= 1u << thread.lane;
  block.suspend(thread);
}

}  // extern "C"
