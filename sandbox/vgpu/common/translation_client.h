// Finds translated code in the read-only cache, or asks the translator for it.
//
// $W2W_CACHE       directory of this translator version, mounted read-only
// $W2W_TRANSLATOR  unix stream socket of the translator; may be absent when the cache is warm
//
// Cache: <kind>/<target>/<sha256 of the image>/<unit>.so, unit = first 32 hex digits of sha256(unit name).
// Request: one line of JSON {"kind": "cdna"|"ptx", "target": "gfx942", "unit": "<kernel or empty>",
// "size": N}, then N bytes of image. Reply: one line of JSON, {"ok": true, "object": "<path in cache>"} or
// {"ok": false, "code": "...", "message": "..."}. One request a connection. An empty unit asks for everything in
// the image; its reply comes when all is translated. <sha256 of the image>/ahead-done says that asking for all of it
// (again) is no use.
#pragma once
#include <cstddef>
#include <string>

namespace w2w {

struct Translation {
  void* handle = nullptr;  // from dlopen
  std::string code;        // error code when handle is null: no-cache, no-translator, load-failed, or the translator's
  std::string message;
};

// Thread-safe. Loads once per (image, unit). `unit` empty: the whole image is one object (PTX). Hashes the image at
// each call, so callers keep what they got.
Translation translate(const char* kind, const char* target, const void* image, size_t size, const std::string& unit);

// The same for a caller that knows the image's sha256_hex already.
Translation translate(const char* kind, const char* target, const void* image, size_t size, const std::string& unit,
                      const std::string& image_sha256);

// Ask for all units of an image in the background, so that a later translate() finds them ready. Copies the image.
void translate_ahead(const char* kind, const char* target, const void* image, size_t size);

}  // namespace w2w
