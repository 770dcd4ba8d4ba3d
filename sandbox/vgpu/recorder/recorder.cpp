#include "recorder/recorder.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>

#include "recorder/allocations.h"
#include "recorder/log.h"

namespace w2w::recorder {
namespace {

constexpr uint64_t kKeptBytes = 256u << 20;
constexpr size_t kTrackedBytes = 1u << 30;
constexpr size_t kLargestRead = 64u << 20;
// A launch that needs a later one to end, or the host, never ends while it is waited for.
constexpr std::chrono::seconds kLongestWait{60};

struct Variable {
  const void* host;
  std::string name;
  size_t bytes;
};

struct Recording {
  explicit Recording(const Runtime& runtime) : runtime(runtime), allocations(kTrackedBytes) {}
  const Runtime runtime;
  std::mutex lock;
  Log log;
  Allocations allocations;
  std::vector<Variable> variables;  // whose addresses are not known yet
  unsigned launches = 0;
  int captures = 0;
  bool stopped = false;
};

Recording* recording = nullptr;
// The runtime may call its own API functions within one that we stand in for.
thread_local int depth = 0;

class Guard {
 public:
  Guard() : is_outer_(depth++ == 0) {
    if (is_active()) recording->lock.lock();
  }
  ~Guard() {
    if (is_active()) recording->lock.unlock();
    --depth;
  }
  bool is_active() const { return is_outer_ && recording; }

 private:
  const bool is_outer_;
};

const char* word_of(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kDevice: return "device";
    case MemoryKind::kManaged: return "managed";
    case MemoryKind::kHost: return "host";
    case MemoryKind::kSymbol: return "symbol";
  }
  return "device";
}

void add(const void* address, size_t bytes, MemoryKind kind, const std::string& name) {
  const Allocation* fresh = recording->allocations.add(address, bytes, kind);
  if (!fresh) return;
  // What nobody has written is the same on both sides.
  if (fresh->tracked && kind == MemoryKind::kDevice)
    recording->runtime.fill_zero(const_cast<void*>(address), bytes);
  recording->log.allocate(fresh->id, address, bytes, word_of(kind), name, fresh->tracked);
}

void find_variables() {
  std::vector<Variable> pending;
  pending.swap(recording->variables);
  for (const Variable& variable : pending)
    if (const void* address = recording->runtime.symbol_address(variable.host))
      add(address, variable.bytes, MemoryKind::kSymbol, variable.name);
}

void look(bool by_host) {
  recording->allocations.look(recording->runtime.copy_to_host,
                              [by_host](const Allocation& allocation, size_t offset, const char* bytes, size_t size) {
                                recording->log.change(by_host, allocation.id, offset, bytes, size);
                              });
}

void stop(const char* reason) {
  recording->stopped = true;
  recording->log.stop(reason);
  recording->log.end();
}

bool wait_for(void* stream) {
  const auto started = std::chrono::steady_clock::now();
  for (unsigned looks = 0; !recording->runtime.is_idle(stream); ++looks) {
    if (std::chrono::steady_clock::now() - started > kLongestWait) return false;
    usleep(looks < 100 ? 10 : 500);
  }
  return true;
}

std::string extent(const Extent& e) {
  return "[" + std::to_string(e.x) + ", " + std::to_string(e.y) + ", " + std::to_string(e.z) + "]";
}

std::string as_json(const LaunchFacts& facts) {
  std::string arguments;
  for (const Argument& argument : facts.arguments)
    arguments += (arguments.empty() ? "[" : ", [") + std::to_string(argument.offset) + ", \"" +
                 hexadecimal(argument.bytes) + "\"]";
  return "\"kernel\": " + quoted(facts.kernel) + ", \"grid\": " + extent(facts.grid) +
         ", \"block\": " + extent(facts.block) + ", \"shared\": " + std::to_string(facts.shared_bytes) +
         ", \"arguments\": [" + arguments + "]";
}

void finish() {
  Guard guard;
  if (!guard.is_active() || recording->stopped) return;
  stop("end");
}

}  // namespace

void start(const Runtime& runtime) {
  const char* folder = getenv("W2W_RECORD");
  if (!folder || !*folder) return;
  static Recording instance(runtime);
  if (!instance.log.open(folder, kKeptBytes)) return;
  recording = &instance;
  atexit(finish);
}

void allocated(const void* address, size_t bytes, MemoryKind kind, const char* name) {
  Guard guard;
  if (guard.is_active() && !recording->stopped && address) add(address, bytes, kind, name);
}

void released(const void* address) {
  Guard guard;
  if (!guard.is_active() || recording->stopped) return;
  const long long id = recording->allocations.remove(address);
  if (id >= 0) recording->log.free(static_cast<unsigned>(id));
}

void has_variable(const void* variable, const char* name, size_t bytes) {
  Guard guard;
  if (guard.is_active()) recording->variables.push_back({variable, name, bytes});
}

void capture_began() {
  Guard guard;
  if (guard.is_active()) ++recording->captures;
}

void capture_ended() {
  Guard guard;
  if (guard.is_active() && recording->captures) --recording->captures;
}

void before_launch() {
  Guard guard;
  if (!guard.is_active() || recording->stopped || recording->captures) return;
  recording->runtime.synchronize();
  find_variables();
  look(true);
}

void after_launch(const LaunchFacts& facts, void* stream) {
  Guard guard;
  if (!guard.is_active() || recording->stopped || recording->captures) return;
  recording->log.launch(recording->launches++, as_json(facts));
  if (!wait_for(stream)) {
    stop("a launch did not end before the next one");
    return;
  }
  look(false);
  recording->log.end();
}

void host_read(const void* target, const void* source, size_t bytes) {
  Guard guard;
  if (!guard.is_active() || recording->stopped || recording->captures) return;
  const Allocation* from = recording->allocations.find(source);
  const auto offset = from ? static_cast<size_t>(static_cast<const char*>(source) - from->address) : 0;
  if (!from || from->kind == MemoryKind::kHost || bytes > kLargestRead || bytes > from->size - offset) return;
  recording->log.read(from->id, offset, static_cast<const char*>(target), bytes);
  recording->log.end();
}

}  // namespace w2w::recorder
