#define _GNU_SOURCE
#include <stdio.h>
int main() { cudaFree(0); }
// output
#define _GNU_SOURCE
#include <hip/hip_runtime.h>
#include <stdio.h>
int main() { hipFree(0); }
