#include "simt/kernel_table.h"

#include <dlfcn.h>

#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "common/fault_report.h"
#include "common/sha256.h"
#include "common/translation_client.h"
#include "simt/settings.h"

namespace w2w::simt {
namespace {

constexpr char kKind[] = "cdna";
constexpr char kSymbol[] = "w2w_kernel";
constexpr std::chrono::milliseconds kLookInterval{20};
constexpr char kPlanSymbol[] = "w2w_counter_plan";

struct CodeObject {
  size_t size = 0;
  std::string sha256;
  std::unordered_map<std::string, std::unique_ptr<Kernel>> kernels;
};

// Never destroyed: queues may run kernels while the process ends. Kernels stay, since a dispatch may still use them.
struct Table {
  std::mutex mutex;
  std::map<const void*, CodeObject*> objects;
};

Table& table() {
  static Table* instance = new Table;
  return *instance;
}

CodeObject& find_object(Table& known, const void* elf, size_t size) {
  CodeObject*& object = known.objects[elf];
  if (!object || object->size != size) {
    object = new CodeObject;
    object->size = size;
    object->sha256 = sha256_hex(elf, size);
  }
  return *object;
}

[[noreturn]] void fail(const Dispatch& dispatch, const Translation& translation) {
  Fault fault;
  fault.kind = "translation-failed";
  fault.kernel = dispatch.kernel;
  fault.message = translation.code + ": " + translation.message;
  report_and_die(fault);
}

void* find_symbol(const Dispatch& dispatch, Translation& translation, const char* name) {
  if (void* symbol = dlsym(translation.handle, name)) return symbol;
  translation.code = "load-failed";
  translation.message = std::string("the translated object has no ") + name;
  fail(dispatch, translation);
}

void load(const Dispatch& dispatch, const std::string& flavour, const std::string& sha256, Kernel& kernel) {
  TranslationImage image{kKind, dispatch.target, flavour, dispatch.elf, dispatch.elf_size};
  Translation translation = translate(image, kernel.name, sha256);
  if (!translation.handle) fail(dispatch, translation);
  kernel.function = reinterpret_cast<KernelFunction>(find_symbol(dispatch, translation, kSymbol));
  kernel.better = translation.better;
  if (auto* count = static_cast<const uint64_t*>(dlsym(translation.handle, "w2w_site_count"))) {
    kernel.sites = static_cast<const Site*>(dlsym(translation.handle, "w2w_sites"));
    kernel.site_count = kernel.sites ? *count : 0;
  }
  if (settings().counters.empty()) return;
  kernel.counter_plan = static_cast<w2w_counter_plan*>(find_symbol(dispatch, translation, kPlanSymbol));
  if (kernel.counter_plan->version == W2W_COUNTER_PLAN_VERSION) return;
  translation.code = "load-failed";
  translation.message = "the translated object counts by a plan of another version";
  fail(dispatch, translation);
}

// Whether counts of two objects can be added up: their segments and accesses have the same numbers.
bool counts_alike(const w2w_counter_plan& one, const w2w_counter_plan& other) {
  if (one.version != other.version || one.segments != other.segments || one.sites != other.sites ||
      one.classes != other.classes)
    return false;
  const uint16_t* end = one.mix;
  for (uint32_t n = 0; n < one.segments; ++n) end += 1 + 2 * *end;
  return memcmp(one.mix, other.mix, static_cast<size_t>(end - one.mix) * sizeof *end) == 0;
}

// Take the optimised code once it is there. Called with the table locked.
void improve(Kernel& kernel) {
  Clock::time_point now = Clock::now();
  if (now < kernel.next_look) return;
  kernel.next_look = now + kLookInterval;
  void* handle = load_better(kernel.better);
  void* symbol = handle ? dlsym(handle, kSymbol) : nullptr;
  if (!symbol) return;
  if (kernel.counter_plan) {
    auto* plan = static_cast<const w2w_counter_plan*>(dlsym(handle, kPlanSymbol));
    if (!plan || !counts_alike(*kernel.counter_plan, *plan)) return kernel.better.clear();
  }
  kernel.function = reinterpret_cast<KernelFunction>(symbol);
  kernel.better.clear();
}

}  // namespace

Kernel& find_kernel(const Dispatch& dispatch, const std::string& flavour) {
  const std::string key = flavour + "/" + dispatch.kernel;
  Table& known = table();
  std::unique_lock<std::mutex> lock(known.mutex);
  CodeObject& object = find_object(known, dispatch.elf, dispatch.elf_size);
  auto place = object.kernels.find(key);
  if (place != object.kernels.end()) {
    if (!place->second->better.empty()) improve(*place->second);
    return *place->second;
  }
  std::string sha256 = object.sha256;
  lock.unlock();  // others may run and translate meanwhile

  auto kernel = std::make_unique<Kernel>();
  kernel->name = dispatch.kernel;
  load(dispatch, flavour, sha256, *kernel);
  lock.lock();
  return *object.kernels.try_emplace(key, std::move(kernel)).first->second;
}

void register_code_object(const void* elf) {
  Table& known = table();
  std::lock_guard<std::mutex> lock(known.mutex);
  known.objects.erase(elf);
}

}  // namespace w2w::simt
