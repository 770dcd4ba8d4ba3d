// The little JSON that the virtual devices speak: lines of flat objects.
#pragma once
#include <cstddef>
#include <string>

namespace w2w {

// Builds one line in a fixed buffer: no allocation, so it may run in a signal handler. What does not fit is cut
// inside strings; the line stays valid JSON.
class JsonLine {
 public:
  JsonLine& raw(const char* text);
  JsonLine& quoted(const std::string& text);  // bytes outside ASCII become \u00xx
  JsonLine& number(unsigned long long value);
  JsonLine& milliseconds(double value);  // three decimals
  const char* data() const { return buffer_; }
  size_t size() const { return size_; }

 private:
  static constexpr size_t kCapacity = 16384;
  static constexpr size_t kReserved = 512;   // for closing what long strings left open
  static constexpr size_t kLongest = 10240;  // of one string, so that others still fit
  void put(char c, size_t limit);
  char buffer_[kCapacity];
  size_t size_ = 0;
};

// The value of a top-level member of an object; "" if it is missing. Text is unescaped, other values are verbatim.
std::string json_member(const std::string& object, const std::string& name);

}  // namespace w2w
