/* Runs one wave of a translated kernel: runner UNIT.so INPUT OUTPUT OUTPUT_BYTES LDS_BYTES
 * INPUT: 128 words for the SGPRs, then data; s[0:1] points to the data, s[2:3] to the output, v0 is the lane.
 * LDS begins as a copy of the data. OUTPUT gets the output memory, then the LDS, then the data. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wave_state.h"

void w2w_barrier(struct w2w_wave *wave) { (void)wave; }
void w2w_yield(struct w2w_wave *wave) { wave->fuel = 1000; }
void w2w_sendmsg(struct w2w_wave *wave, uint32_t message) { (void)wave, (void)message; }
void w2w_trap(struct w2w_wave *wave, uint32_t id) {
  fprintf(stderr, "trap %u at %#lx\n", id, (unsigned long)wave->pc);
  exit(3);
}
void w2w_unsupported(struct w2w_wave *wave, const char *instruction, uint64_t pc) {
  (void)wave;
  fprintf(stderr, "unsupported: %s at %#lx\n", instruction, (unsigned long)pc);
  exit(2);
}
uint64_t w2w_realtime(void) { return 123456789; }

static char *read_all(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) exit(4);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char *data = malloc(*size + 64);
  if (fread(data, 1, *size, file) != *size) exit(4);
  fclose(file);
  return data;
}

int main(int count, char **arguments) {
  if (count != 6) return 4;
  void *unit = dlopen(arguments[1], RTLD_NOW);
  if (!unit) {
    fprintf(stderr, "%s\n", dlerror());
    return 4;
  }
  int (*kernel)(struct w2w_wave *) = (int (*)(struct w2w_wave *))dlsym(unit, "w2w_kernel");
  size_t size, output_bytes = strtoul(arguments[4], 0, 0), lds_bytes = strtoul(arguments[5], 0, 0);
  char *input = read_all(arguments[2], &size);
  char *output = calloc(1, output_bytes + 64), *lds = calloc(1, lds_bytes + 64);
  struct w2w_wave *wave = aligned_alloc(64, sizeof *wave);
  size_t data_bytes = size - sizeof wave->sgpr;
  memset(wave, 0, sizeof *wave);
  memcpy(wave->sgpr, input, sizeof wave->sgpr);
  char *data = input + sizeof wave->sgpr;
  memcpy(&wave->sgpr[0], &data, sizeof data);
  memcpy(&wave->sgpr[2], &output, sizeof output);
  memcpy(lds, data, lds_bytes < data_bytes ? lds_bytes : data_bytes);
  wave->exec = ~0ull;
  wave->lds = lds;
  wave->lds_size = lds_bytes;
  wave->scratch_stride = 4096;
  wave->scratch = calloc(64, wave->scratch_stride);
  wave->fuel = 1000;
  wave->mode = 0x2f0;
  for (uint32_t lane = 0; lane < 64; lane++) wave->v0[lane] = lane;
  int status = kernel(wave);
  FILE *file = fopen(arguments[3], "wb");
  if (!file || fwrite(output, 1, output_bytes, file) != output_bytes) return 4;
  if (fwrite(lds, 1, lds_bytes, file) != lds_bytes) return 4;
  if (fwrite(data, 1, data_bytes, file) != data_bytes || fclose(file)) return 4;
  return status ? 5 : 0;
}
