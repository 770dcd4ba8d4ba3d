// The plain loops that the virtual GPU is measured against: gcc -O3 -march=native, one thread.
#include <math.h>

void add(const float *restrict a, const float *restrict b, float *restrict c, int n) {
  for (int i = 0; i < n; ++i) c[i] = a[i] + b[i];
}

void multiply(const float *restrict a, const float *restrict b, float *restrict c, int n) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) c[i * n + j] = 0;
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
}

void softmax(const float *restrict in, float *restrict out, int rows, int columns) {
  for (int r = 0; r < rows; ++r, in += columns, out += columns) {
    float largest = in[0], sum = 0;
    for (int i = 1; i < columns; ++i) largest = fmaxf(largest, in[i]);
    for (int i = 0; i < columns; ++i) sum += out[i] = expf(in[i] - largest);
    for (int i = 0; i < columns; ++i) out[i] /= sum;
  }
}
