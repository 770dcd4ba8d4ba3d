// The two files of a recording.
//
// Events: {"event": "allocate", "id", "address", "size", "kind", "name", "tracked"}, {"event": "free", "id"},
// {"event": "launch", "index", "kernel", "grid", "block", "shared", "arguments"},
// {"event": "change", "by": "host" | "launch", "id", "offset", "size", "at"},
// {"event": "read", "id", "offset", "size", "at"}, {"event": "stopped", "reason"}, {"event": "end"}.
// A launch's own changes follow it; changes by the host come before the launch that could see them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

namespace w2w::recorder {

class Log {
 public:
  // Opens the files in `folder`; `limit` bounds the bytes kept in record.bin. False if that is not possible.
  bool open(const std::string& folder, uint64_t limit);
  bool is_open() const { return events_ != nullptr; }

  void allocate(unsigned id, const void* address, size_t size, const char* kind, const std::string& name, bool tracked);
  void free(unsigned id);
  void launch(unsigned index, const std::string& text);  // the members after "index", as JSON
  void change(bool by_host, unsigned id, size_t offset, const char* bytes, size_t size);
  void read(unsigned id, size_t offset, const char* bytes, size_t size);
  void stop(const char* reason);
  void end();

 private:
  long long keep(const char* bytes, size_t size);
  void contents(const char* event, const char* by, unsigned id, size_t offset, const char* bytes, size_t size);

  FILE* events_ = nullptr;
  FILE* bytes_ = nullptr;
  uint64_t kept_ = 0, limit_ = 0;
};

std::string quoted(const std::string& text);
std::string hexadecimal(const std::string& bytes);

}  // namespace w2w::recorder
