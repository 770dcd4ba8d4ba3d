// What kernels ask of the runtime: memory, clocks, votes, identity, recursion and calls through pointers.
#include "check.h"

struct Node {
  int value;
  Node* next;
};

__global__ void list_sums(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Node* head = nullptr;
  for (int k = 0; k <= i % 5; ++k) head = new Node{i + k, head};
  int sum = 0;
  while (head) {
    Node* next = head->next;
    sum += head->value;
    delete head;
    head = next;
  }
  char* bytes = static_cast<char*>(malloc(1 + i % 300));
  bytes[i % 300] = static_cast<char>(sum);
  out[i] = sum + (bytes[i % 300] == static_cast<char>(sum) ? 0 : 100000);
  free(bytes);
}

__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ int triple(int x) { return 3 * x; }
__device__ int negate(int x) { return -x; }
__device__ int (*const kTable[])(int) = {fibonacci, triple, negate};

__global__ void through_pointers(int* out) { out[threadIdx.x] = kTable[threadIdx.x % 3](threadIdx.x % 12); }

__global__ void votes(unsigned long long* out) {
  const int lane = threadIdx.x & 63;
  const unsigned long long mine = __ballot(lane % 3 == 0);
  const int count = __syncthreads_count(threadIdx.x < 70);
  const int any = __syncthreads_or(threadIdx.x == 127), every = __syncthreads_and(threadIdx.x < 127);
  if (threadIdx.x == 0) out[0] = mine, out[1] = count, out[2] = any, out[3] = every;
}

__global__ void clocks(long long* out) {
  const long long cycles = clock64(), ticks = wall_clock64();
  while (wall_clock64() - ticks < 1000) {
  }
  out[0] = clock64() - cycles;
  out[1] = wall_clock64() - ticks;
}

int main() {
  constexpr int n = 700;
  DeviceVector<int> out(n);
  list_sums<<<3, 256>>>(out.data, n);
  std::vector<int> expected(n);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k <= i % 5; ++k) expected[i] += i + k;
  }
  expect_equal("new and delete", out.host(), expected);

  DeviceVector<int> called(100);
  through_pointers<<<1, 100>>>(called.data);
  const int fibonacci_numbers[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
  std::vector<int> answers(100);
  for (int i = 0; i < 100; ++i) {
    const int x = i % 12;
    answers[i] = i % 3 == 0 ? fibonacci_numbers[x] : i % 3 == 1 ? 3 * x : -x;
  }
  expect_equal("pointers and recursion", called.host(), answers);

  DeviceVector<unsigned long long> voted(4);
  votes<<<1, 128>>>(voted.data);
  expect_equal("votes", voted.host(), {0x9249249249249249ull, 70, 1, 0});

  DeviceVector<long long> ticks(2);
  clocks<<<1, 1>>>(ticks.data);
  const auto times = ticks.host();
  expect_equal("clocks", std::vector<int>{times[0] > 0, times[1] >= 1000 && times[1] < 100000000}, {1, 1});
}
