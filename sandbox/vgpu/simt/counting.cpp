#include "simt/counting.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

#include "common/json_text.h"
#include "simt/dispatch_run.h"
#include "simt/settings.h"

namespace w2w::simt {
namespace {

constexpr uint32_t kMaxRecords = 10000;
constexpr uint32_t kRecordVersion = 1;
constexpr size_t kAlignment = 64;

constexpr const char* kNames[] = {
#define COUNTER(name) #name,
#include "simt/counter_names.inc"
#undef COUNTER
};

constexpr w2w_lds_phases kPhases[] = {
#define PHASES(target, write, bytes, banks, ...) {#target, write, bytes, banks, {__VA_ARGS__}},
#include "simt/lds_phases.inc"
#undef PHASES
};

// Not initialised.
void* allocate(size_t bytes) {
  size_t whole = (bytes / kAlignment + 1) * kAlignment;
  void* memory = aligned_alloc(kAlignment, whole);
  if (!memory) throw std::bad_alloc();
  return memory;
}

w2w_touched* touched() {
  thread_local std::unique_ptr<w2w_touched> memory = std::make_unique<w2w_touched>();
  return memory.get();
}

void append(const JsonLine& line) {
  static const int file = open(settings().counters.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  const char* data = line.data();
  size_t left = line.size();
  while (file >= 0 && left) {
    ssize_t n = write(file, data, left);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    data += n;
    left -= static_cast<size_t>(n);
  }
}

// Counters as members of an object, those that are not 0.
class Members {
 public:
  explicit Members(JsonLine& line) : line_(line) {}
  void add(const char* name, uint64_t value) {
    if (!value) return;
    if (!first_) line_.raw(", ");
    first_ = false;
    line_.quoted(name).raw(": ").number(value);
  }

 private:
  JsonLine& line_;
  bool first_ = true;
};

std::vector<uint64_t> sum_classes(const w2w_counter_plan& plan, const std::vector<w2w_segment>& segments) {
  std::vector<uint64_t> sums(plan.classes);
  const uint16_t* mix = plan.mix;
  for (const w2w_segment& segment : segments) {
    for (uint16_t pairs = *mix++; pairs; --pairs, mix += 2)
      sums[mix[0]] += mix[1] * (plan.lanes[mix[0]] ? segment.lanes : segment.entries);
  }
  return sums;
}

void put_triple(JsonLine& line, const uint32_t values[3]) {
  line.raw("[").number(values[0]).raw(", ").number(values[1]).raw(", ").number(values[2]).raw("]");
}

}  // namespace

void ThreadCounts::Free::operator()(void* memory) const { free(memory); }

ThreadCounts::ThreadCounts(const w2w_counter_plan& plan, const Target& target)
    : counts_(static_cast<w2w_counts*>(allocate(sizeof(w2w_counts) + plan.segments * sizeof(w2w_segment)))),
      sites_(static_cast<w2w_site*>(allocate(plan.sites * sizeof(w2w_site)))) {
  memset(counts_.get(), 0, sizeof(w2w_counts) + plan.segments * sizeof(w2w_segment));
  for (uint32_t n = 0; n < plan.sites; ++n) memset(&sites_.get()[n], 0, offsetof(w2w_site, relative64));
  counts_->sites = sites_.get();
  counts_->touched = touched();
  for (const w2w_lds_phases& row : kPhases)
    if (!strcmp(row.target, target.name)) counts_->lds[row.write][row.bytes / 4 - 1] = &row;
}

void ThreadCounts::note_start(const GroupShape& group) {
  uint64_t full = group.work_items() / kLanes;
  counts_->totals[W2W_WORKGROUPS] += 1;
  counts_->totals[SQ_WAVES] += group.waves();
  counts_->totals[SQ_WAVES_EQ_64] += full;
  counts_->totals[SQ_WAVES_LT_64] += group.waves() - full;
}

void DispatchCounts::add(const w2w_counter_plan& plan, ThreadCounts& thread) {
  w2w_counts& counts = *thread.get();
  w2w_add_sites(&counts, plan.sites);
  std::lock_guard<std::mutex> lock(mutex_);
  segments_.resize(plan.segments);
  for (uint32_t n = 0; n < plan.segments; ++n) {
    segments_[n].entries += counts.segments[n].entries;
    segments_[n].lanes += counts.segments[n].lanes;
  }
  for (uint32_t n = 0; n < W2W_COUNTERS; ++n) totals_[n] += counts.totals[n];
}

void DispatchCounts::write(const DispatchRun& run) const {
  static std::atomic<uint32_t> records{0};
  uint32_t number = records.fetch_add(1);
  if (number > kMaxRecords) return;
  JsonLine line;
  if (number == kMaxRecords) {
    append(line.raw("{\"version\": ").number(kRecordVersion).raw(", \"truncated\": true}\n"));
    return;
  }
  const w2w_counter_plan& plan = *run.kernel.counter_plan;
  const hsa_kernel_dispatch_packet_t& packet = *run.dispatch.packet;
  const uint32_t grid[3] = {packet.grid_size_x, packet.grid_size_y, packet.grid_size_z};
  line.raw("{\"version\": ").number(kRecordVersion).raw(", \"target\": ").quoted(run.target.name);
  line.raw(", \"dispatch\": ").number(number + 1).raw(", \"kernel\": ").quoted(run.kernel.name);
  put_triple(line.raw(", \"grid\": "), grid);
  put_triple(line.raw(", \"workgroup\": "), run.grid.group_size());
  line.raw(", \"lds_bytes\": ").number(run.lds_bytes).raw(", \"scratch_bytes\": ").number(run.scratch_stride);
  line.raw(", \"counters\": {");
  Members members(line);
  for (uint32_t n = 0; n < W2W_COUNTERS; ++n) members.add(kNames[n], totals_[n]);
  const char* name = plan.names;
  for (uint64_t sum : sum_classes(plan, segments_)) {
    members.add(name, sum);
    name += strlen(name) + 1;
  }
  append(line.raw("}}\n"));
}

}  // namespace w2w::simt
