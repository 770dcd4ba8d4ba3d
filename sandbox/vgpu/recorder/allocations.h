// Device memory of the program, each allocation with what it held when it was last looked at.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "recorder/recorder.h"

namespace w2w::recorder {

// Zeroed memory that costs nothing until it is written.
class Shadow {
 public:
  Shadow() = default;
  explicit Shadow(size_t bytes);
  Shadow(Shadow&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}
  Shadow& operator=(Shadow&&) = delete;
  ~Shadow();
  char* data() const { return data_; }

 private:
  char* data_ = nullptr;
  size_t size_ = 0;
};

struct Allocation {
  unsigned id;
  const char* address;
  size_t size;
  MemoryKind kind;
  bool tracked;  // else only that it exists is recorded
  Shadow shadow;
};

using OnChange = std::function<void(const Allocation&, size_t offset, const char* bytes, size_t size)>;
using CopyToHost = std::function<bool(void* target, const void* source, size_t bytes)>;

class Allocations {
 public:
  explicit Allocations(size_t tracked_limit) : left_(tracked_limit) {}
  // Null where nothing can be allocated at the address (it overlaps another one).
  Allocation* add(const void* address, size_t size, MemoryKind kind);
  // The id of what was there, or -1.
  long long remove(const void* address);
  Allocation* find(const void* address);
  // Calls `on_change` for every run of changed pages, and remembers what is there now.
  void look(const CopyToHost& copy, const OnChange& on_change);

 private:
  std::map<uintptr_t, Allocation> by_address_;
  size_t left_;
  unsigned next_id_ = 0;
};

}  // namespace w2w::recorder
