// Right: a list whose nodes live in device memory and point at each other.
// verdict: accepted
#include <cstdio>
#include <cuda_runtime.h>

struct Node {
  Node* next;
  int value, sum;
};

__global__ void link(Node* nodes, int n) {
  const int i = threadIdx.x;
  nodes[i].next = i + 1 < n ? nodes + (i * 17 + 1) % n : nullptr;
  nodes[i].value = i;
}

__global__ void walk(Node* nodes, Node** heads) {
  const Node* at = heads[threadIdx.x];
  int sum = 0;
  for (int steps = 0; at && steps < 10; ++steps, at = at->next) sum += at->value;
  nodes[threadIdx.x].sum = sum;
}

int main() {
  Node *nodes, *host_heads[64], **heads;
  cudaMalloc(&nodes, 64 * sizeof(Node));
  cudaMalloc(&heads, sizeof host_heads);
  for (int i = 0; i < 64; ++i) host_heads[i] = nodes + 63 - i;
  cudaMemcpy(heads, host_heads, sizeof host_heads, cudaMemcpyHostToDevice);
  link<<<1, 64>>>(nodes, 64);
  walk<<<1, 64>>>(nodes, heads);
  Node results[64];
  cudaMemcpy(results, nodes, sizeof results, cudaMemcpyDeviceToHost);
  int total = 0;
  for (const Node& node : results) total += node.sum;
  std::printf("total %d\n", total);
  return 0;
}
