#include "check.h"

int main() {
  constexpr int n = 1000;
  std::vector<float> a(n), b(n), c(n, -1);
  for (int i = 0; i < n; i++) a[i] = i, b[i] = 2 * i;
  float *da, *db, *dc;
  HIP(hipMalloc(&da, n * sizeof(float)));
  HIP(hipMalloc(&db, n * sizeof(float)));
  HIP(hipMalloc(&dc, n * sizeof(float)));
  HIP(hipMemcpy(da, a.data(), n * sizeof(float), hipMemcpyHostToDevice));
  HIP(hipMemcpy(db, b.data(), n * sizeof(float), hipMemcpyHostToDevice));
  add_vectors<<<4, 256>>>(da, db, dc, n);
  HIP(hipGetLastError());
  HIP(hipMemcpy(c.data(), dc, n * sizeof(float), hipMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) EXPECT(c[i] == 3.0f * i);
  HIP(hipFree(da));
  std::puts("PASS");
}
