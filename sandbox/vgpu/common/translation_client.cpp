#include "common/translation_client.h"

#include <dlfcn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>

#include "common/json_text.h"
#include "common/sha256.h"

namespace w2w {
namespace {

constexpr size_t kMaxReply = 64 << 10;

std::string environment(const char* name) {
  const char* value = getenv(name);
  return value ? value : "";
}

std::string quoted(const std::string& text) {
  JsonLine line;
  line.quoted(text);
  return std::string(line.data(), line.size());
}

Translation failure(const char* code, const std::string& message) {
  Translation result;
  result.code = code;
  result.message = message;
  return result;
}

bool send_all(int fd, const void* data, size_t size) {
  auto* bytes = static_cast<const char*>(data);
  while (size) {
    ssize_t n = send(fd, bytes, size, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes += n;
    size -= static_cast<size_t>(n);
  }
  return true;
}

std::string receive_line(int fd) {
  std::string line;
  char buffer[4096];
  while (line.size() < kMaxReply && line.find('\n') == std::string::npos) {
    ssize_t n = recv(fd, buffer, sizeof buffer, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    line.append(buffer, static_cast<size_t>(n));
  }
  return line;
}

// A connected socket, or -1.
int connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) return -1;
  memcpy(address.sun_path, path.data(), path.size());
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  while (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    if (errno == EINTR) continue;
    close(fd);
    return -1;
  }
  return fd;
}

// Ask the translator. An empty `code` in the answer means that the object is in the cache now.
Translation ask(const TranslationImage& image, const std::string& unit) {
  std::string path = environment("W2W_TRANSLATOR");
  if (path.empty()) return failure("no-translator", "not in the cache, and W2W_TRANSLATOR names no translator");
  int fd = connect_to(path);
  if (fd < 0) return failure("no-translator", "not in the cache, and no translator answers at " + path);
  std::string header = "{\"kind\": " + quoted(image.kind) + ", \"target\": " + quoted(image.target) +
                       ", \"flavour\": " + quoted(image.flavour) + ", \"unit\": " + quoted(unit) +
                       ", \"size\": " + std::to_string(image.size) + "}\n";
  // The translator may refuse before it has read everything; its answer counts either way.
  if (send_all(fd, header.data(), header.size())) send_all(fd, image.data, image.size);
  std::string reply = receive_line(fd);
  close(fd);
  if (json_member(reply, "ok") == "true") return Translation{};
  std::string code = json_member(reply, "code");
  if (code.empty()) return failure("no-translator", "the translator closed the connection without an answer");
  return failure(code.c_str(), json_member(reply, "message"));
}

// Generated code resolves w2w_* and helper symbols from the library that we are linked into, even where the program
// loaded that library with RTLD_LOCAL.
void make_own_symbols_global() {
  static const bool done = [] {
    Dl_info info;
    if (dladdr(reinterpret_cast<void*>(&make_own_symbols_global), &info) && info.dli_fname)
      dlopen(info.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
    return true;
  }();
  (void)done;
}

Translation load(const std::string& path) {
  make_own_symbols_global();
  Translation result;
  result.handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!result.handle) {
    const char* error = dlerror();
    return failure("load-failed", error ? error : path);
  }
  return result;
}

bool is_in_cache(const std::string& name) {
  struct stat status;
  return stat((environment("W2W_CACHE") + "/" + name).c_str(), &status) == 0;
}

// The folder of an image's translations, relative to the cache; the same as translator/cache.py computes.
std::string folder_of(const TranslationImage& image, const std::string& image_sha256) {
  std::string folder = image.kind + "/" + image.target + "/" + image_sha256;
  return image.flavour.empty() ? folder : folder + "/" + image.flavour;
}

// In the background: the translator of an earlier process may have ended before it came to optimise.
void ask_for_better(TranslationImage image, const std::string& unit) {
  if (environment("W2W_TRANSLATOR").empty()) return;
  std::string copy(static_cast<const char*>(image.data), image.size);
  std::thread([image = std::move(image), unit, copy = std::move(copy)]() mutable {
    image.data = copy.data();
    ask(image, unit);
  }).detach();
}

// `object` is the path in the cache without ".so".
Translation find_or_ask(const TranslationImage& image, const std::string& unit, const std::string& object) {
  std::string cache = environment("W2W_CACHE");
  if (cache.empty()) return failure("no-cache", "W2W_CACHE names no translation cache");
  const std::string best = object + ".so", quick = object + ".quick.so";
  if (is_in_cache(best)) return load(cache + "/" + best);
  if (is_in_cache(quick)) {
    ask_for_better(image, unit);
  } else {
    Translation answer = ask(image, unit);
    if (!answer.code.empty()) return answer;
    if (is_in_cache(best)) return load(cache + "/" + best);
  }
  Translation translation = load(cache + "/" + quick);
  translation.better = cache + "/" + best;
  return translation;
}

// What was loaded or is being loaded. Never destroyed: background threads may outlive static destructors.
struct Registry {
  struct Entry {
    bool ready = false;
    Translation translation;
  };
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, Entry> entries;
};

Registry& registry() {
  static Registry* instance = new Registry;
  return *instance;
}

}  // namespace

Translation translate(const TranslationImage& image, const std::string& unit, const std::string& image_sha256) {
  std::string object =
      folder_of(image, image_sha256) + "/" + sha256_hex(unit.data(), unit.size()).substr(0, 32);
  Registry& known = registry();
  std::unique_lock<std::mutex> lock(known.mutex);
  auto [place, fresh] = known.entries.try_emplace(object);
  Registry::Entry& entry = place->second;
  if (!fresh) {
    known.changed.wait(lock, [&] { return entry.ready; });
    return entry.translation;
  }
  lock.unlock();
  Translation translation = find_or_ask(image, unit, object);
  lock.lock();
  entry.translation = translation;
  entry.ready = true;
  known.changed.notify_all();
  return translation;
}

Translation translate(const TranslationImage& image, const std::string& unit) {
  return translate(image, unit, sha256_hex(image.data, image.size));
}

void* load_better(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 ? load(path).handle : nullptr;
}

void translate_ahead(const TranslationImage& image) {
  if (environment("W2W_TRANSLATOR").empty()) return;
  std::string copy(static_cast<const char*>(image.data), image.size);
  std::thread([image = image, copy = std::move(copy)]() mutable {
    image.data = copy.data();
    std::string folder = folder_of(image, sha256_hex(image.data, image.size));
    if (!is_in_cache(folder + "/ahead-done")) ask(image, "");
  }).detach();
}

}  // namespace w2w
