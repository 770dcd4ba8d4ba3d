// Device printf, assert, malloc and free.
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "cudart/device_heap.h"
#include "cudart/engine/block.h"
#include "cudart/engine/faults.h"
#include "cudart/heap.h"

namespace w2w::cudart {
namespace {

constexpr size_t kMaxFormat = 64 << 10;
constexpr int kMaxField = 4096;

// Arguments as the compiler lays them out for vprintf: in order, naturally aligned, floats as doubles.
class Arguments {
 public:
  explicit Arguments(unsigned long address) : address_(address) {}

  template <class T>
  T next() {
    address_ = (address_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value;
    memcpy(&value, reinterpret_cast<const void*>(address_), sizeof value);
    address_ += sizeof(T);
    return value;
  }

 private:
  unsigned long address_;
};

struct Conversion {
  std::string text;  // "%", flags, width and precision
  int longs = 0;
  char letter = 0;
  bool literal = false;  // the device does not take a precision from the arguments: it prints the conversion itself
};

int bounded(int field) { return field > kMaxField ? kMaxField : field < -kMaxField ? -kMaxField : field; }

// Reads one conversion behind a percent sign; `p` is left behind it. Stars are replaced by their arguments.
Conversion read_conversion(const char*& p, Arguments& arguments) {
  Conversion found;
  found.text = "%";
  while (*p && strchr("-+ #0", *p)) found.text += *p++;
  for (int part = 0; part < 2; ++part) {
    if (part == 1) {
      if (*p != '.') break;
      found.text += *p++;
    }
    if (*p == '*' && part == 1) {
      found.literal = true;
      found.text += *p++;
    } else if (*p == '*') {
      found.text += std::to_string(bounded(arguments.next<int>()));
      ++p;
    } else {
      int field = 0;
      bool digits = false;
      for (; *p >= '0' && *p <= '9'; ++p, digits = true) field = bounded(field * 10 + (*p - '0'));
      if (digits) found.text += std::to_string(field);
    }
  }
  for (; *p && strchr("hlLqjzt", *p); ++p) found.longs += *p != 'h';
  found.letter = *p;
  if (*p) ++p;
  return found;
}

template <class T>
std::string format(const std::string& conversion, T value) {
  char buffer[2 * kMaxField + 512];
  const int size = snprintf(buffer, sizeof buffer, conversion.c_str(), value);
  return size < 0 ? std::string() : std::string(buffer, std::min(static_cast<size_t>(size), sizeof buffer - 1));
}

std::string format_argument(const Conversion& conversion, Arguments& arguments) {
  if (conversion.literal) return conversion.text + conversion.letter;
  switch (conversion.letter) {
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      if (conversion.longs) return format(conversion.text + "ll" + conversion.letter, arguments.next<long long>());
      return format(conversion.text + conversion.letter, arguments.next<int>());
    case 'c':
      return format(conversion.text + 'c', arguments.next<int>());
    case 's': {
      auto text = arguments.next<const char*>();
      return format(conversion.text + 's', text ? text : "(null)");
    }
    case 'p':
      return format(conversion.text + 'p', arguments.next<void*>());
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
      return format(conversion.text + conversion.letter, arguments.next<double>());
    default:
      return conversion.text + conversion.letter;
  }
}

std::string format_all(const char* p, Arguments arguments) {
  std::string text;
  for (const char* start = p; *p && p - start < static_cast<long>(kMaxFormat);) {
    if (*p != '%') {
      text += *p++;
    } else if (p[1] == '%') {
      text += '%';
      p += 2;
    } else {
      Conversion conversion = read_conversion(++p, arguments);
      if (conversion.letter) text += format_argument(conversion, arguments);
    }
  }
  return text;
}

int count_conversions(const char* p) {
  int count = 0;
  for (; *p; ++p) {
    if (*p != '%') continue;
    if (p[1] == '%')
      ++p;
    else
      ++count;
  }
  return count;
}

std::string describe_assertion(const Thread& thread, unsigned long message, unsigned long file, unsigned line,
                               unsigned long function) {
  char text[2048];
  snprintf(text, sizeof text, "%.500s:%u: %.500s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%.500s` failed.",
           reinterpret_cast<const char*>(file), line, reinterpret_cast<const char*>(function), thread.ctaid[0],
           thread.ctaid[1], thread.ctaid[2], thread.tid[0], thread.tid[1], thread.tid[2],
           reinterpret_cast<const char*>(message));
  return text;
}

}  // namespace
}  // namespace w2w::cudart

using namespace w2w::cudart;  // NOLINT: the functions below are the C interface of generated code

extern "C" {

int w2w_vprintf(w2w_thread* t, const w2w_site* site, unsigned long format, unsigned long arguments) {
  w2w_active_mask(t, site);
  return w2w_warp_vprintf(t, format, arguments);
}

int w2w_warp_vprintf(w2w_thread* t, unsigned long format, unsigned long arguments) {
  Thread& thread = as_thread(t);
  auto text = reinterpret_cast<const char*>(format);
  thread.owner().launch->print(thread.owner().index, format_all(text, Arguments(arguments)));
  return count_conversions(text);
}

unsigned long w2w_device_malloc(w2w_thread*, unsigned long size) { return w2w::device_heap_allocate(size); }

void w2w_device_free(w2w_thread* t, const w2w_site* site, unsigned long address) {
  if (w2w::device_heap_release(address)) return;
  Thread& thread = as_thread(t);
  stop(thread, Outcome::kTrap, "memory-fault", site,
       "free of an address that malloc did not give, by " + describe_thread(thread));
}

void w2w_assert_fail(w2w_thread* t, const w2w_site* site, unsigned long message, unsigned long file, unsigned line,
                     unsigned long function, unsigned in_kernel) {
  Thread& thread = as_thread(t);
  Block& block = thread.owner();
  const std::string text = describe_assertion(thread, message, file, line, function);
  // All lanes of a warp that fail here are named, in their order; the last one ends the kernel.
  if (block.launch->kernel->independent) {
    if (!block.failed_assertion) block.failed_assertion = Assertion{site, thread.warp, text};
    if (block.failed_assertion->warp == thread.warp) fprintf(stderr, "%s\n", text.c_str());
    if (in_kernel) return;
  } else {
    const uint32_t failing = w2w_active_mask(t, site);
    fprintf(stderr, "%s\n", text.c_str());
    if (failing >> 1 >> thread.lane) {
      thread.state = State::kDone;
      block.suspend(thread);
    }
  }
  stop(thread, Outcome::kAssert, "assert", site, text);
}

void w2w_warp_assert_fail(w2w_thread* t, const w2w_site* site, unsigned long message, unsigned long file,
                          unsigned line, unsigned long function, unsigned last) {
  const std::string text = describe_assertion(as_thread(t), message, file, line, function);
  fprintf(stderr, "%s\n", text.c_str());
  if (last) stop(as_thread(t), Outcome::kAssert, "assert", site, text);
}

}  // extern "C"
