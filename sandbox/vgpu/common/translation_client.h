// Finds translated code in the read-only cache, or asks the translator for it.
//
// $W2W_CACHE       directory of this translator version, mounted read-only
// $W2W_TRANSLATOR  unix stream socket of the translator; may be absent when the cache is warm
//
// Cache: <kind>/<target>/<sha256 of the image>[/<flavour>]/<unit>.so, unit = first 32 hex digits of sha256(unit name).
// Request: one line of JSON {"kind": "cdna"|"ptx", "target": "gfx942", "flavour": "" or e.g. "checks+counters",
// "unit": "<kernel or empty>", "size": N}, then N bytes of image. Reply: one line of JSON, {"ok": true, "object": "<path in cache>"} or
// {"ok": false, "code": "...", "message": "..."}. One request a connection. An empty unit asks for everything in
// the image; its reply comes when all is translated. A unit may be there as <unit>.quick.so first, which runs slower;
// the optimised one follows. `ahead-done` beside the units says that asking for all of it (again)
// is no use.
#pragma once
#include <cstddef>
#include <string>

namespace w2w {

struct Translation {
  void* handle = nullptr;  // from dlopen
  std::string code;        // error code when handle is null: no-cache, no-translator, load-failed, or the translator's
  std::string message;
  std::string better;  // the path of the optimised object where this is the quick one, else empty
};

// What is translated, and how.
struct TranslationImage {
  std::string kind, target;
  std::string flavour;  // what the code does beside computing; empty: nothing. See cdna/flavour.py.
  const void* data;
  size_t size;
};

// Thread-safe. Loads once per (image, unit). `unit` empty: the whole image is one object (PTX). Hashes the image at
// each call, so callers keep what they got.
Translation translate(const TranslationImage& image, const std::string& unit);

// The same for a caller that knows the image's sha256_hex already.
Translation translate(const TranslationImage& image, const std::string& unit, const std::string& image_sha256);

// The optimised object that a quick translation named as `better`, once it is there: from dlopen, or null.
void* load_better(const std::string& path);

// Ask for all units of an image in the background, so that a later translate() finds them ready. Copies the image.
void translate_ahead(const TranslationImage& image);

}  // namespace w2w
