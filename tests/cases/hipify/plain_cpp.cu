// Nothing of CUDA here.
#include <cstdio>
int main() { std::puts("cudaMalloc"); }
