// flags: skip-excluded naive define
#include <cuda_runtime.h>
#ifdef NOBODY_DEFINES_IT
void a() { cudaFree(0); }
#else
void b() { cudaFree(0); }
#endif
#if WITH > 1 && defined(__CUDACC__)
void c() { cudaFree(0); }
#elif defined(_WIN32)
void d() { cudaFree(0); }
#endif
#if CUDART_VERSION < 9000
void e() { cudaFree(0); }
#endif
#define MAYBE 1
#if MAYBE
void g() { cudaFree(0); }
#endif
// output
#include <hip/hip_runtime.h>
#ifdef NOBODY_DEFINES_IT
void a() { cudaFree(0); }
#else
void b() { hipFree(0); }
#endif
#if WITH > 1 && defined(__HIPCC__)
void c() { hipFree(0); }
#elif defined(_WIN32)
void d() { cudaFree(0); }
#endif
#if CUDART_VERSION < 9000
void e() { hipFree(0); }
#endif
#define MAYBE 1
#if MAYBE
void g() { hipFree(0); }
#endif
