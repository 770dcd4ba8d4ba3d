#include "common/fault_report.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "common/json_text.h"

namespace w2w {
namespace {

// Read when the library is loaded: getenv is not safe in a signal handler.
const char* const kReportPath = getenv("W2W_REPORT");
const bool kTrace = [] {
  const char* value = getenv("W2W_TRACE");
  return value && !strcmp(value, "1");
}();

void write_all(int fd, const char* data, size_t size) {
  while (size) {
    ssize_t n = write(fd, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    data += n;
    size -= static_cast<size_t>(n);
  }
}

// One write to a file opened for appending, so that lines of several threads and processes do not mix.
void append_line(const JsonLine& line) {
  if (!kReportPath || !*kReportPath) return;
  int fd = open(kReportPath, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return;
  write_all(fd, line.data(), line.size());
  close(fd);
}

// A sentence for people, built without allocation.
class Sentence {
 public:
  void add(const char* before, const std::string& text) {
    if (text.empty()) return;
    put(before, strlen(before));
    put(text.data(), text.size());
  }
  void print() {
    buffer_[size_++] = '\n';
    write_all(STDERR_FILENO, buffer_, size_);
  }

 private:
  void put(const char* text, size_t n) {
    for (size_t i = 0; i < n && size_ + 1 < sizeof buffer_; ++i) buffer_[size_++] = printable(text[i]);
  }
  // Kernel names come from hostile files: no control characters to a terminal.
  static char printable(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c; }
  char buffer_[4096];
  size_t size_ = 0;
};

bool is_own_failure(const std::string& kind) {
  return kind.rfind("unsupported-", 0) == 0 || kind == "translation-failed";
}

// Only what can be flushed without waiting: the thread that holds a lock may be the one that faulted.
void flush_stdio() {
  for (FILE* file : {stdout, stderr}) {
    if (ftrylockfile(file) != 0) continue;
    fflush_unlocked(file);
    funlockfile(file);
  }
}

void put_triple(JsonLine& line, const char* name, const uint32_t values[3]) {
  line.raw(name).raw("[").number(values[0]).raw(", ").number(values[1]).raw(", ").number(values[2]).raw("]");
}

}  // namespace

void report(const Fault& fault) {
  JsonLine line;
  line.raw("{\"kind\": ").quoted(fault.kind);
  line.raw(", \"kernel\": ").quoted(fault.kernel);
  line.raw(", \"pc\": ").quoted(fault.pc);
  line.raw(", \"instruction\": ").quoted(fault.instruction);
  line.raw(", \"message\": ").quoted(fault.message);
  line.raw(", \"source\": ").quoted(fault.source);
  if (fault.is_finding) line.raw(", \"finding\": true");
  line.raw("}\n");
  append_line(line);

  Sentence sentence;
  sentence.add("warp2wave: ", fault.kind);
  sentence.add(": ", fault.message);
  sentence.add("; at ", fault.source);
  sentence.add("; kernel ", fault.kernel);
  sentence.add(", pc ", fault.pc);
  sentence.add(", instruction ", fault.instruction);
  sentence.print();
}

void record(const LaunchRecord& launch) {
  if (!kTrace) return;
  JsonLine line;
  line.raw("{\"launch\": {\"kernel\": ").quoted(launch.kernel);
  put_triple(line, ", \"grid\": ", launch.grid);
  put_triple(line, ", \"block\": ", launch.block);
  line.raw(", \"lds_bytes\": ").number(launch.lds_bytes);
  line.raw(", \"milliseconds\": ").milliseconds(launch.milliseconds).raw("}}\n");
  append_line(line);
}

void report_and_die(const Fault& fault) {
  report(fault);
  flush_stdio();
  if (is_own_failure(fault.kind)) _exit(kOwnFailure);
  abort();
}

}  // namespace w2w
