#include "simt/fault_handler.h"

#include <csignal>
#include <cstdlib>
#include <mutex>
#include <string>

#include "common/fault_report.h"
#include "simt/dispatch_run.h"
#include "simt/fault_text.h"

namespace w2w::simt {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
constexpr size_t kHandlerStack = 128 << 10;

// Initial-exec: read in a signal handler, where the dynamic linker must not allocate.
__attribute__((tls_model("initial-exec"))) thread_local Runner* t_runner = nullptr;
struct sigaction g_previous[NSIG];

bool is_memory_signal(int signal) { return signal == SIGSEGV || signal == SIGBUS; }

Fault describe(int signal, const siginfo_t& info, const DispatchRun& run, const Wave& wave) {
  Fault fault;
  fault.kernel = run.kernel.name;
  fault.pc = hexadecimal(wave.state.pc);
  std::string where = " in " + workgroup_name(wave.state);
  if (!is_memory_signal(signal)) {
    fault.kind = "translation-failed";
    fault.message = std::string("translated code raised ") + (signal == SIGILL ? "SIGILL" : "SIGFPE") + where;
  } else if (wave.stack.guards(info.si_addr)) {
    fault.kind = "out-of-resources";
    fault.message = "translated code overflowed its stack" + where;
  } else if (info.si_code == SI_KERNEL) {  // x86 does not tell the address
    fault.kind = "memory-fault";
    fault.message = "access to an address that is not canonical" + where;
  } else {
    fault.kind = "memory-fault";
    fault.message = "access to address " + hexadecimal(reinterpret_cast<uintptr_t>(info.si_addr)) + where + ": " +
                    describe_address(wave.state, info.si_addr);
  }
  return fault;
}

void call_previous(int signal, siginfo_t* info, void* context) {
  const struct sigaction& previous = g_previous[signal];
  if (previous.sa_flags & SA_SIGINFO) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler == SIG_DFL || previous.sa_handler == SIG_IGN) {
    // The instruction runs again, faults again, and ends the process as it would have without us.
    ::signal(signal, SIG_DFL);
  } else {
    previous.sa_handler(signal);
  }
}

// A wave runs generated code, which holds no locks: allocating and asking for allocations is safe here.
void handle(int signal, siginfo_t* info, void* context) {
  Runner* runner = t_runner;
  if (!runner || !runner->running || !runner->run) {
    call_previous(signal, info, context);
    return;
  }
  Wave* wave = runner->running;
  runner->running = nullptr;  // a fault while describing this one is not the kernel's
  report_and_die(describe(signal, *info, *runner->run, *wave));
}

}  // namespace

void install_fault_handlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action{};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (int signal : kSignals) sigaction(signal, &action, &g_previous[signal]);
  });
}

FaultScope::FaultScope(Runner* runner) : stack_(static_cast<char*>(malloc(kHandlerStack))) {
  t_runner = runner;
  stack_t stack{};
  stack.ss_sp = stack_;
  stack.ss_size = kHandlerStack;
  if (stack_) sigaltstack(&stack, nullptr);
}

FaultScope::~FaultScope() {
  t_runner = nullptr;
  stack_t stack{};
  stack.ss_flags = SS_DISABLE;
  sigaltstack(&stack, nullptr);
  free(stack_);
}

}  // namespace w2w::simt
