// flags: miopen
#include <cudnn.h>
void f(cudnnHandle_t h, cudnnPoolingDescriptor_t p, cudnnTensorDescriptor_t t, float* x) {
  cudnnSetPooling2dDescriptor(p, CUDNN_POOLING_MAX, CUDNN_NOT_PROPAGATE_NAN, 2, 2, 0, 0, 2, 2);
  cudnnSoftmaxForward(h, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_CHANNEL, x, t, x, x, t, cudaGetErrorString(e) ? x : 0);
}
// output
#include <hip/hip_runtime.h>
#include <miopen/miopen.h>
void f(miopenHandle_t h, miopenPoolingDescriptor_t p, miopenTensorDescriptor_t t, float* x) {
  miopenSet2dPoolingDescriptor(p, miopenPoolingMax, 2, 2, 0, 0, 2, 2);
  miopenSoftmaxForward_V2(h, x, t, x, x, t, hipGetErrorString(e) ? x : 0, MIOPEN_SOFTMAX_ACCURATE, MIOPEN_SOFTMAX_MODE_CHANNEL);
}
