// Modules from a file and from hiprtc, both ways of passing arguments, global variables, bad images.
#include <hip/hiprtc.h>

#include <string>

#include "check.h"

static std::vector<char> compile(const char* target) {
  const char* source =
      "extern \"C\" __global__ void scale(float* data, float factor, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) data[i] *= factor;\n"
      "}\n";
  hiprtcProgram program;
  EXPECT(hiprtcCreateProgram(&program, source, "scale.hip", 0, nullptr, nullptr) == HIPRTC_SUCCESS);
  std::string option = std::string("--offload-arch=") + target;
  const char* options[] = {option.c_str()};
  EXPECT(hiprtcCompileProgram(program, 1, options) == HIPRTC_SUCCESS);
  size_t size;
  EXPECT(hiprtcGetCodeSize(program, &size) == HIPRTC_SUCCESS);
  std::vector<char> code(size);
  EXPECT(hiprtcGetCode(program, code.data()) == HIPRTC_SUCCESS);
  return code;
}

int main(int, char** argv) {  // module file, target, a target that the device is not
  hipModule_t module;
  hipFunction_t function;
  HIP(hipModuleLoad(&module, argv[1]));
  HIP(hipModuleGetFunction(&function, module, "scale"));
  EXPECT(hipModuleGetFunction(&function, module, "missing") == hipErrorNotFound);
  HIP(hipModuleGetFunction(&function, module, "scale"));
  hipDeviceptr_t variable;
  size_t size;
  int value;
  HIP(hipModuleGetGlobal(&variable, &size, module, "module_value"));
  HIP(hipMemcpyDtoH(&value, variable, sizeof value));
  EXPECT(size == sizeof value && value == 7);
  float *data, factor = 3;
  int n = 100;
  std::vector<float> host(n, 2.0f);
  HIP(hipMalloc(&data, n * sizeof(float)));
  HIP(hipMemcpy(data, host.data(), n * sizeof(float), hipMemcpyHostToDevice));
  void* arguments[] = {&data, &factor, &n};
  HIP(hipModuleLaunchKernel(function, 1, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr));
  struct {
    float* data;
    float factor;
    int n;
  } packed = {data, 2, n};
  size_t packed_size = sizeof packed;
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &packed_size,
                   HIP_LAUNCH_PARAM_END};
  HIP(hipModuleLaunchKernel(function, 1, 1, 1, 128, 1, 1, 0, nullptr, nullptr, extra));
  HIP(hipMemcpy(host.data(), data, n * sizeof(float), hipMemcpyDeviceToHost));
  EXPECT(host[0] == 12.0f && host[99] == 12.0f);
  HIP(hipModuleUnload(module));

  std::vector<char> code = compile(argv[2]);
  HIP(hipModuleLoadData(&module, code.data()));
  HIP(hipModuleGetFunction(&function, module, "scale"));
  HIP(hipModuleLaunchKernel(function, 1, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr));
  HIP(hipMemcpy(host.data(), data, n * sizeof(float), hipMemcpyDeviceToHost));
  EXPECT(host[0] == 36.0f);

  std::vector<char> foreign = compile(argv[3]);
  EXPECT(hipModuleLoadData(&module, foreign.data()) == hipErrorNoBinaryForGpu);
  (void)hipGetLastError();
  std::puts("PASS");
}
