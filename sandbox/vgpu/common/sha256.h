// SHA-256 (FIPS 180-4), for cache keys.
#pragma once
#include <cstddef>
#include <string>

namespace w2w {
std::string sha256_hex(const void* data, size_t size);
}  // namespace w2w
