// flags: roc
// findings: hipify-signature:2:to-do
// findings: hipify-signature:2:to-do
// findings: hipify-signature:2:to-do
#include <cusparse.h>
int f(cusparseHandle_t h) { int n; return cusparseScsrilu02_bufferSize(h, 1, 2, m, v, r, c, i, &n); }
// output
#include <hip/hip_runtime.h>
#include <rocsparse/rocsparse.h>
int f(rocsparse_handle h) { int n; return rocsparse_scsrilu0_buffer_size(h, 1, 2, m, v, r, c, i, reinterpret_cast<size_t*>(&n)); }
