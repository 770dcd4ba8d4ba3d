#include "recorder/log.h"

#include <cinttypes>

namespace w2w::recorder {

bool Log::open(const std::string& folder, uint64_t limit) {
  events_ = fopen((folder + "/record.jsonl").c_str(), "we");
  bytes_ = fopen((folder + "/record.bin").c_str(), "we");
  limit_ = limit;
  if (events_ && bytes_) return true;
  if (events_) fclose(events_);
  events_ = nullptr;
  return false;
}

void Log::allocate(unsigned id, const void* address, size_t size, const char* kind, const std::string& name,
                   bool tracked) {
  fprintf(events_, R"({"event": "allocate", "id": %u, "address": %)" PRIuPTR
                   R"(, "size": %zu, "kind": "%s", "name": %s, "tracked": %s})" "\n",
          id, reinterpret_cast<uintptr_t>(address), size, kind, quoted(name).c_str(), tracked ? "true" : "false");
}

void Log::free(unsigned id) { fprintf(events_, R"({"event": "free", "id": %u})" "\n", id); }

void Log::launch(unsigned index, const std::string& text) {
  fprintf(events_, R"({"event": "launch", "index": %u, %s})" "\n", index, text.c_str());
}

void Log::change(bool by_host, unsigned id, size_t offset, const char* bytes, size_t size) {
  contents("change", by_host ? "host" : "launch", id, offset, bytes, size);
}

void Log::read(unsigned id, size_t offset, const char* bytes, size_t size) {
  contents("read", "host", id, offset, bytes, size);
}

void Log::contents(const char* event, const char* by, unsigned id, size_t offset, const char* bytes, size_t size) {
  fprintf(events_, R"({"event": "%s", "by": "%s", "id": %u, "offset": %zu, "size": %zu, "at": %lld})" "\n", event, by,
          id, offset, size, keep(bytes, size));
}

void Log::stop(const char* reason) { fprintf(events_, R"({"event": "stopped", "reason": "%s"})" "\n", reason); }

// Whatever the program does next, e.g. _exit, what was recorded is in the files.
void Log::end() {
  fflush(events_);
  fflush(bytes_);
}

long long Log::keep(const char* bytes, size_t size) {
  if (kept_ + size > limit_) return -1;
  if (fwrite(bytes, 1, size, bytes_) != size) {
    limit_ = 0;
    return -1;
  }
  const auto at = static_cast<long long>(kept_);
  kept_ += size;
  return at;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == '"' || byte == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20 || byte > 0x7e) {
      char escape[8];
      snprintf(escape, sizeof escape, "\\u%04x", byte);
      result += escape;
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string hexadecimal(const std::string& bytes) {
  static const char digits[] = "0123456789abcdef";
  std::string result;
  for (const char c : bytes) {
    result += digits[static_cast<unsigned char>(c) >> 4];
    result += digits[c & 15];
  }
  return result;
}

}  // namespace w2w::recorder
