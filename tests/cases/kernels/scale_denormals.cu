// Flushes denormal inputs.
// verdict: rejected
// reason: denormals inputs
// A kernel without a main(); on AMD its code is another, as if a port had got it wrong.
__global__ void scale(const float* input, float* output, int n, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef __HIP_DEVICE_COMPILE__
  if (i < n) output[i] = fabsf(input[i]) < 1e-37f ? 0 : input[i] * factor;
#else
  if (i < n) output[i] = input[i] * factor;
#endif
}
