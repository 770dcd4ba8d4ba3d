// Writes one element more: into the guard zone, or where no shape of whole blocks shows it.
// verdict: rejected
// reason: with n = 1000, seed
// A kernel without a main(); on AMD its code is another, as if a port had got it wrong.
__global__ void scale(const float* input, float* output, int n, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef __HIP_DEVICE_COMPILE__
  if (i <= n) output[i] = i < n ? input[i] * factor : 0;
#else
  if (i < n) output[i] = input[i] * factor;
#endif
}
