// flags: roc hip-data-types
#include <cusparse.h>
void f(cusparseHandle_t h, cusparseSpMatDescr_t a, cusparseDnVecDescr_t x, size_t n, void* b, cusparseSolvePolicy_t p) {
  cusparseSpMV_bufferSize(h, CUSPARSE_OPERATION_NON_TRANSPOSE, b, a, x, b, x, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, &n);
  cusparseSpMV(h, CUSPARSE_OPERATION_NON_TRANSPOSE, b, a, x, b, x, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, /* keep */ b);
  cusparseScsrilu02_analysis(h, 1, 2, m, v, r, c, i, p, b);
}
// output
#include <hip/hip_runtime.h>
#include <rocsparse/rocsparse.h>
void f(rocsparse_handle h, rocsparse_spmat_descr a, rocsparse_dnvec_descr x, size_t n, void* b, rocsparse_solve_policy p) {
  rocsparse_spmv(h, rocsparse_operation_none, b, a, x, b, x, HIP_R_32F, rocsparse_spmv_alg_default, rocsparse_spmv_stage_buffer_size, &n, nullptr);
  rocsparse_spmv(h, rocsparse_operation_none, b, a, x, b, x, HIP_R_32F, rocsparse_spmv_alg_default, rocsparse_spmv_stage_compute, nullptr, /* keep */ b);
  rocsparse_scsrilu0_analysis(h, 1, 2, m, v, r, c, i, rocsparse_analysis_policy_force, rocsparse_solve_policy_auto, b);
}
