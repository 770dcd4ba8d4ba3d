#include "check.h"

__global__ void vector_add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main() {
  for (int n : {1, 63, 1000, 100003}) {
    std::vector<float> a(n), b(n), expected(n);
    for (int i = 0; i < n; ++i) a[i] = 0.5f * i, b[i] = n - 1.25f * i, expected[i] = a[i] + b[i];
    DeviceVector<float> da(a), db(b), dc(n);
    vector_add<<<(n + 255) / 256, 256>>>(da.data, db.data, dc.data, n);
    CHECK(hipGetLastError());
    expect_equal("sum", dc.host(), expected);
  }
}
