#include "common/json_text.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace w2w {

void JsonLine::put(char c, size_t limit) {
  if (size_ < limit) buffer_[size_++] = c;
}

JsonLine& JsonLine::raw(const char* text) {
  for (; *text; ++text) put(*text, kCapacity);
  return *this;
}

JsonLine& JsonLine::quoted(const std::string& text) {
  const size_t limit = std::min(kCapacity - kReserved, size_ + kLongest);
  put('"', kCapacity);
  for (unsigned char c : text) {
    if (size_ + 6 > limit) break;
    if (c == '"' || c == '\\') {
      put('\\', limit);
      put(static_cast<char>(c), limit);
    } else if (c < 0x20 || c >= 0x7f) {
      for (char escape : {'\\', 'u', '0', '0', "0123456789abcdef"[c >> 4], "0123456789abcdef"[c & 15]})
        put(escape, limit);
    } else {
      put(static_cast<char>(c), limit);
    }
  }
  put('"', kCapacity);
  return *this;
}

JsonLine& JsonLine::number(unsigned long long value) {
  char digits[24];
  size_t n = 0;
  do {
    digits[n++] = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value);
  while (n) put(digits[--n], kCapacity);
  return *this;
}

JsonLine& JsonLine::milliseconds(double value) {
  auto thousandths = static_cast<unsigned long long>(value > 0 ? value * 1000 + 0.5 : 0);
  number(thousandths / 1000);
  char decimals[5] = {'.', static_cast<char>('0' + thousandths / 100 % 10),
                      static_cast<char>('0' + thousandths / 10 % 10), static_cast<char>('0' + thousandths % 10), 0};
  return raw(decimals);
}

namespace {

// Unescape the string that starts after an opening quote at `i`; leaves `i` behind the closing quote.
std::string read_string(const std::string& text, size_t& i) {
  std::string out;
  while (i < text.size() && text[i] != '"') {
    char c = text[i++];
    if (c != '\\' || i >= text.size()) {
      out += c;
      continue;
    }
    char escape = text[i++];
    switch (escape) {
      case 'n':
        out += '\n';
        break;
      case 't':
        out += '\t';
        break;
      case 'r':
        out += '\r';
        break;
      case 'b':
        out += '\b';
        break;
      case 'f':
        out += '\f';
        break;
      case 'u': {
        unsigned long code = strtoul(text.substr(i, 4).c_str(), nullptr, 16);
        out += code < 0x100 ? static_cast<char>(code) : '?';
        i += 4;
        break;
      }
      default:
        out += escape;
    }
  }
  ++i;
  return out;
}

void skip_space(const std::string& text, size_t& i) {
  while (i < text.size() && strchr(" \t\r\n,", text[i])) ++i;
}

}  // namespace

std::string json_member(const std::string& object, const std::string& name) {
  size_t i = object.find('{');
  if (i == std::string::npos) return "";
  for (++i; skip_space(object, i), i < object.size() && object[i] == '"';) {
    std::string key = read_string(object, ++i);
    while (i < object.size() && strchr(" :", object[i])) ++i;
    std::string value;
    if (i < object.size() && object[i] == '"') {
      value = read_string(object, ++i);
    } else {
      while (i < object.size() && !strchr(",}\n", object[i])) value += object[i++];
    }
    if (key == name) return value;
  }
  return "";
}

}  // namespace w2w
