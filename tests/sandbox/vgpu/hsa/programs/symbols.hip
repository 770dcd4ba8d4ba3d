// __device__, __constant__ and __managed__ variables: copies both ways, addresses, sizes, relocated pointers.
#include "check.h"

__device__ int table[4] = {1, 2, 3, 4};
__constant__ float factors[2] = {1.5f, 2.5f};
__managed__ int shared_value = 42;
__device__ int* pointer_to_table = table;
__global__ void nothing_but_uses(int* out) {
  *out = table[0] + static_cast<int>(factors[0]) + shared_value + *pointer_to_table;
}

int main() {
  int values[4], other[4] = {9, 8, 7, 6};
  HIP(hipMemcpyFromSymbol(values, HIP_SYMBOL(table), sizeof values));
  EXPECT(values[0] == 1 && values[3] == 4);
  HIP(hipMemcpyToSymbol(HIP_SYMBOL(table), other, sizeof other));
  HIP(hipMemcpyFromSymbol(values, HIP_SYMBOL(table), sizeof values));
  EXPECT(values[0] == 9 && values[3] == 6);
  float constants[2];
  HIP(hipMemcpyFromSymbol(constants, HIP_SYMBOL(factors), sizeof constants));
  EXPECT(constants[0] == 1.5f && constants[1] == 2.5f);
  void *address, *relocated;
  size_t size;
  HIP(hipGetSymbolAddress(&address, HIP_SYMBOL(table)));
  HIP(hipGetSymbolSize(&size, HIP_SYMBOL(table)));
  HIP(hipMemcpyFromSymbol(&relocated, HIP_SYMBOL(pointer_to_table), sizeof relocated));
  EXPECT(size == sizeof table && relocated == address);
  EXPECT(shared_value == 42);
  shared_value = 43;
  int* out;
  HIP(hipMalloc(&out, sizeof *out));
  nothing_but_uses<<<1, 1>>>(out);
  HIP(hipDeviceSynchronize());
  EXPECT(shared_value == 43);
  std::puts("PASS");
}
