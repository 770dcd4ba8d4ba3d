// Calls what common/ offers, for the tests beside it.
#include <xmmintrin.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "common/fault_report.h"
#include "common/fibre.h"
#include "common/json_text.h"
#include "common/sha256.h"

namespace {

constexpr unsigned kRoundUp = 0x4000;
void *g_main;
void *g_fibres[3];
int g_turns;
bool g_rounding_kept = true;

std::string read(const char *path) {
  std::ifstream file(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(file)),
                     std::istreambuf_iterator<char>());
}

void turn(void *argument) {
  auto number = reinterpret_cast<long>(argument);
  unsigned wanted = number == 1 ? 0x1f80 | kRoundUp : 0x1f80;
  if (number == 1)
    _mm_setcsr(wanted);
  for (;;) {
    ++g_turns;
    g_rounding_kept &= (_mm_getcsr() & 0x6000) == (wanted & 0x6000);
    w2w::w2w_fibre_switch(&g_fibres[number], g_main);
  }
}

void try_fibres() {
  w2w::FibreStack stacks[3] = {w2w::FibreStack(1), w2w::FibreStack(65536),
                               w2w::FibreStack(8 << 20)};
  for (long i = 0; i < 3; ++i)
    g_fibres[i] = stacks[i].prepare(turn, reinterpret_cast<void *>(i));
  long a = 1, b = 2, c = 3, d = 4, e = 5, f = 6;
  for (int i = 0; i < 3000; ++i) {
    w2w::w2w_fibre_switch(&g_main, g_fibres[i % 3]);
    a += b, b += c, c += d, d += e, e += f, f += 1;
  }
  long check[6] = {1, 2, 3, 4, 5, 6};
  for (int i = 0; i < 3000; ++i) {
    for (int k = 0; k < 5; ++k)
      check[k] += check[k + 1];
    check[5] += 1;
  }
  printf("turns %d\n", g_turns);
  if (a == check[0] && f == check[5])
    puts("integer state kept");
  if (g_rounding_kept && (_mm_getcsr() & 0x6000) == 0)
    puts("rounding kept");
  auto *inside = static_cast<char *>(g_fibres[0]);
  if (!stacks[0].guards(inside) && stacks[0].guards(inside - 4096))
    puts("guard found");
}

} // namespace

int main(int argc, char **argv) {
  std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "sha256") {
    std::string data = read(argv[2]);
    puts(w2w::sha256_hex(data.data(), data.size()).c_str());
  } else if (mode == "fibres") {
    try_fibres();
  } else if (mode == "report") {
    w2w::report({"trap", read(argv[2]), "0x10", "", "it stopped"});
    w2w::record({read(argv[2]), {1, 2, 4294967295}, {4, 5, 6}, 7, 1.2346});
  } else if (mode == "die") {
    printf("printed before\n");
    w2w::report_and_die({argv[2], "k", "", "", "over"});
  } else if (mode == "member") {
    fputs(w2w::json_member(read(argv[2]), argv[3]).c_str(), stdout);
  }
  return 0;
}
