// Device memory shared with a second process that this one starts: `ipc` exports, `ipc attach` is the other.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static int attach() {
  hipIpcMemHandle_t handle;
  EXPECT(read(0, &handle, sizeof handle) == sizeof handle);
  int *data, value;
  HIP(hipIpcOpenMemHandle(reinterpret_cast<void**>(&data), handle, hipIpcMemLazyEnablePeerAccess));
  HIP(hipMemcpy(&value, data, 4, hipMemcpyDeviceToHost));
  EXPECT(value == 5);
  increment<<<1, 64>>>(data, 1);
  HIP(hipDeviceSynchronize());
  HIP(hipIpcCloseMemHandle(data));
  return 0;
}

int main(int argc, char** argv) {
  if (argc > 1) return attach();
  int *data, value = 5, ends[2], status;
  HIP(hipMalloc(&data, 1 << 20));
  HIP(hipMemcpy(data, &value, 4, hipMemcpyHostToDevice));
  hipIpcMemHandle_t handle;
  HIP(hipIpcGetMemHandle(&handle, data));
  EXPECT(pipe(ends) == 0);
  EXPECT(write(ends[1], &handle, sizeof handle) == sizeof handle);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
  char word[] = "attach";
  char* arguments[] = {argv[0], word, nullptr};
  pid_t child;
  EXPECT(posix_spawn(&child, argv[0], &actions, nullptr, arguments, environ) == 0);
  EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  HIP(hipMemcpy(&value, data, 4, hipMemcpyDeviceToHost));
  EXPECT(value == 6);
  HIP(hipFree(data));
  std::puts("PASS");
}
