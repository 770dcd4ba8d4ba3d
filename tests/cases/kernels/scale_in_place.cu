// Also changes its input.
// verdict: rejected
// reason: argument 0
// A kernel without a main(); on AMD its code is another, as if a port had got it wrong.
__global__ void scale(const float* input, float* output, int n, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef __HIP_DEVICE_COMPILE__
  if (i < n) { output[i] = input[i] * factor; const_cast<float*>(input)[i] = 0; }
#else
  if (i < n) output[i] = input[i] * factor;
#endif
}
