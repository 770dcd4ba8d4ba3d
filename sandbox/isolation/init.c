// The first process (pid 1) of every sandbox, the same under each engine.
//
//   init CONTROL STATUS STDIN FILTER UID GID PIDS FILE_BYTES FOLDER COUNT [NAME=VALUE...] -- PROGRAM ...
//
// CONTROL     descriptor of a pipe or socket. One byte starts the program; end of file ends the sandbox at once,
//             so that nothing outlives the process that owns the sandbox.
// STATUS      descriptor number or path. Receives "ready" (waits for CONTROL), "started" (the program runs) and
//             "ended WAIT-STATUS CPU-MICROSECONDS RSS-KIB", or "failed STEP ERRNO", one a line. A shell's 128+n cannot tell exit code from signal; this can.
// STDIN       descriptor number or path of the program's standard input.
// FILTER      descriptor number or path of a seccomp program (array of struct sock_filter).
// UID, GID    become these before the program starts; "-" stays as it is.
// PIDS        RLIMIT_NPROC of the program, FILE_BYTES its RLIMIT_FSIZE; "-" leaves the limit alone.
// FOLDER      working directory of the program.
// COUNT       number of variables of the program's environment, which has no others, whatever the engine adds.
//
// When the program ends, init ends, and with it the kernel ends everything else in the pid namespace. It uses no
// libc, so that it runs in any root filesystem. build_init.py compiles it.

#include <asm/unistd.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/fcntl.h>
#include <linux/filter.h>
#include <linux/poll.h>
#include <linux/prctl.h>
#include <linux/resource.h>
#include <linux/seccomp.h>
#include <linux/signal.h>
#include <linux/signalfd.h>
#include <linux/wait.h>
#include <stddef.h>
#include <stdint.h>

#define ERRNO_INTR 4
#define ERRNO_NO_ENTRY 2
#define ERRNO_ACCESS 13
#define MAX_FILTER 4096  // BPF_MAXINSNS
#define FIRST_VARIABLE 11

__attribute__((used)) static const char source_marker[] = "warp2wave-init-source=" SOURCE_SHA256;

static long system_call(long number, long a, long b, long c, long d, long e) {
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                   : "rcx", "r11", "memory");
  return result;
}

// The compiler may emit calls to these.
void* memset(void* target, int value, size_t count) {
  for (size_t i = 0; i < count; i++) ((volatile char*)target)[i] = (char)value;
  return target;
}

void* memcpy(void* target, const void* source, size_t count) {
  for (size_t i = 0; i < count; i++) ((volatile char*)target)[i] = ((const char*)source)[i];
  return target;
}

static size_t length(const char* text) {
  size_t n = 0;
  while (text[n]) n++;
  return n;
}

static char* append_text(char* at, const char* text) {
  while (*text) *at++ = *text++;
  return at;
}

static char* append_number(char* at, uint64_t value) {
  char digits[20];
  int n = 0;
  do digits[n++] = (char)('0' + value % 10);
  while (value /= 10);
  while (n) *at++ = digits[--n];
  return at;
}

static uint64_t number(const char* text) {
  uint64_t value = 0;
  for (; *text >= '0' && *text <= '9'; text++) value = value * 10 + (uint64_t)(*text - '0');
  return value;
}

static int is_given(const char* text) { return text[0] != '-'; }

static void leave(int code) {
  for (;;) system_call(__NR_exit_group, code, 0, 0, 0, 0);
}

static int status_descriptor = -1;

static void report(const char* line, size_t size) {
  system_call(__NR_write, status_descriptor, (long)line, (long)size, 0, 0);
}

static void fail(const char* step, long error) {
  char line[96];
  char* at = append_text(append_text(append_text(line, "failed "), step), " ");
  at = append_text(append_number(at, (uint64_t)(error < 0 ? -error : error)), "\n");
  report(line, (size_t)(at - line));
  leave(125);
}

static void check(const char* step, long result) {
  if (result < 0) fail(step, result);
}

// A descriptor for "7" or "/some/path".
static int open_argument(const char* step, const char* text, int flags) {
  if (text[0] != '/') return (int)number(text);
  long descriptor = system_call(__NR_openat, AT_FDCWD, (long)text, flags | O_CLOEXEC, 0, 0);
  check(step, descriptor);
  return (int)descriptor;
}

static void close_on_exec(int descriptor) { system_call(__NR_fcntl, descriptor, F_SETFD, 1, 0, 0); }

// Whoever may change user here also holds capabilities that must not reach the program.
static void become(const char* uid, const char* gid) {
  if (!is_given(uid)) return;
  for (long capability = 0; capability < 64; capability++)
    system_call(__NR_prctl, PR_CAPBSET_DROP, capability, 0, 0, 0);
  long user = (long)number(uid), group = (long)number(gid);
  check("setgroups", system_call(__NR_setgroups, 0, 0, 0, 0, 0));
  check("setresgid", system_call(__NR_setresgid, group, group, group, 0, 0));
  check("setresuid", system_call(__NR_setresuid, user, user, user, 0, 0));
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  static struct __user_cap_data_struct none[2];
  check("capset", system_call(__NR_capset, (long)&header, (long)none, 0, 0, 0));
}

// Where the machine runs out of memory, the kernel should end a sandbox and nothing else.
static void volunteer_for_the_oom_killer(void) {
  long descriptor = system_call(__NR_openat, AT_FDCWD, (long)"/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC, 0, 0);
  if (descriptor < 0) return;
  system_call(__NR_write, descriptor, (long)"1000", 4, 0, 0);
  system_call(__NR_close, descriptor, 0, 0, 0, 0);
}

static void install_filter(const char* source) {
  static struct sock_filter code[MAX_FILTER];
  int descriptor = open_argument("open-filter", source, O_RDONLY);
  long size = 0;
  for (;;) {
    long got = system_call(__NR_read, descriptor, (long)code + size, (long)sizeof(code) - size, 0, 0);
    check("read-filter", got);
    if (got == 0) break;
    size += got;
  }
  system_call(__NR_close, descriptor, 0, 0, 0, 0);
  struct sock_fprog program = {(unsigned short)((unsigned long)size / sizeof(code[0])), code};
  check("no-new-privileges", system_call(__NR_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
  check("seccomp", system_call(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, (long)&program, 0, 0));
}

static void limit(const char* step, int resource, uint64_t value) {
  struct rlimit64 bound = {value, value};
  check(step, system_call(__NR_prlimit64, 0, resource, (long)&bound, 0, 0));
}

static long execute(const char* program, char** arguments, char** environment) {
  for (const char* c = program; *c; c++)
    if (*c == '/') return system_call(__NR_execve, (long)program, (long)arguments, (long)environment, 0, 0);

  const char* path = "/usr/bin:/bin";
  for (char** entry = environment; *entry; entry++) {
    const char* name = *entry;
    if (name[0] == 'P' && name[1] == 'A' && name[2] == 'T' && name[3] == 'H' && name[4] == '=') path = name + 5;
  }
  static char candidate[8192];
  long result = -ERRNO_NO_ENTRY;
  while (*path) {
    size_t folder = 0;
    while (path[folder] && path[folder] != ':') folder++;
    if (folder && folder + length(program) + 2 <= sizeof(candidate)) {
      memcpy(candidate, path, folder);
      candidate[folder] = '/';
      *append_text(candidate + folder + 1, program) = 0;
      long error = system_call(__NR_execve, (long)candidate, (long)arguments, (long)environment, 0, 0);
      if (error != -ERRNO_NO_ENTRY) result = error;
      if (error != -ERRNO_NO_ENTRY && error != -ERRNO_ACCESS) return error;
    }
    path += folder + (path[folder] == ':');
  }
  return result;
}

static void run_program(int input, const char* folder, const char* pids, const char* file_bytes, int failure,
                        char** arguments, char** environment) {
  uint64_t no_signals = 0;
  system_call(__NR_setsid, 0, 0, 0, 0, 0);
  if (input != 0) check("stdin", system_call(__NR_dup2, input, 0, 0, 0, 0));
  system_call(__NR_fcntl, 0, F_SETFD, 0, 0, 0);
  check("chdir", system_call(__NR_chdir, (long)folder, 0, 0, 0, 0));
  limit("core-limit", RLIMIT_CORE, 0);
  if (is_given(file_bytes)) limit("file-limit", RLIMIT_FSIZE, number(file_bytes));
  if (is_given(pids)) limit("pids-limit", RLIMIT_NPROC, number(pids));
  system_call(__NR_rt_sigprocmask, SIG_SETMASK, (long)&no_signals, 0, sizeof(no_signals), 0);
  int error = (int)execute(arguments[0], arguments, environment);
  system_call(__NR_write, failure, (long)&error, sizeof(error), 0, 0);
  leave(127);
}

static void report_end(int status) {
  struct rusage usage;
  char line[96];
  system_call(__NR_getrusage, RUSAGE_CHILDREN, (long)&usage, 0, 0, 0);
  uint64_t microseconds = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
                          (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  char* at = append_number(append_text(line, "ended "), (uint64_t)(unsigned)status);
  at = append_number(append_text(at, " "), microseconds);
  at = append_number(append_text(at, " "), (uint64_t)usage.ru_maxrss);
  at = append_text(at, "\n");
  report(line, (size_t)(at - line));
  leave(0);
}

// Reap until the program ends or the owner goes away.
static void watch(int control, int children, long program) {
  struct pollfd events[2] = {{children, POLLIN, 0}, {control, POLLIN, 0}};
  for (;;) {
    long ready = system_call(__NR_poll, (long)events, 2, -1, 0, 0);
    if (ready < 0 && ready != -ERRNO_INTR) fail("poll", ready);
    if (events[0].revents) {
      struct signalfd_siginfo ignored;
      system_call(__NR_read, children, (long)&ignored, sizeof(ignored), 0, 0);
      int status = 0;
      long pid;
      while ((pid = system_call(__NR_wait4, -1, (long)&status, WNOHANG, 0, 0)) > 0)
        if (pid == program) report_end(status);
    }
    if (events[1].revents) {
      char byte;
      if (system_call(__NR_read, control, (long)&byte, 1, 0, 0) != 1) leave(125);
    }
  }
}

__attribute__((used)) static void start(long* stack) {
  int count = (int)stack[0];
  char** arguments = (char**)(stack + 1);
  if (count < FIRST_VARIABLE) leave(125);
  char** environment = arguments + FIRST_VARIABLE;
  char** command = environment + number(arguments[10]) + 1;
  if (command >= arguments + count) leave(125);
  command[-1] = NULL;  // instead of the "--", the end of the environment

  int control = (int)number(arguments[1]);
  volunteer_for_the_oom_killer();  // changing user takes the right to
  become(arguments[5], arguments[6]);
  status_descriptor = open_argument("open-status", arguments[2], O_WRONLY | O_APPEND);
  int input = open_argument("open-stdin", arguments[3], O_RDONLY);
  // Where an engine has a process beside the sandbox, its end is ours.
  system_call(__NR_prctl, PR_SET_PDEATHSIG, 9, 0, 0, 0);
  // The program has the same user: keep it from writing into this process's memory.
  system_call(__NR_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0);
  install_filter(arguments[4]);
  for (int descriptor = 3; descriptor < 256; descriptor++) close_on_exec(descriptor);
  close_on_exec(control);

  uint64_t all_signals = ~(uint64_t)0, child_signal = (uint64_t)1 << (SIGCHLD - 1);
  system_call(__NR_rt_sigprocmask, SIG_SETMASK, (long)&all_signals, 0, sizeof(all_signals), 0);
  long children = system_call(__NR_signalfd4, -1, (long)&child_signal, sizeof(child_signal), SFD_CLOEXEC, 0);
  check("signalfd", children);
  int failure[2];
  check("pipe", system_call(__NR_pipe2, (long)failure, O_CLOEXEC, 0, 0, 0));

  report("ready\n", 6);
  char byte;
  if (system_call(__NR_read, control, (long)&byte, 1, 0, 0) != 1) leave(125);
  long program = system_call(__NR_fork, 0, 0, 0, 0, 0);
  check("fork", program);
  if (program == 0)
    run_program(input, arguments[9], arguments[7], arguments[8], failure[1], command, environment);

  // Output stays open here: its end tells Docker's client that the sandbox has ended, not that the program closed it.
  system_call(__NR_close, failure[1], 0, 0, 0, 0);
  int error = 0;
  if (system_call(__NR_read, failure[0], (long)&error, sizeof(error), 0, 0) == sizeof(error)) fail("exec", error);
  system_call(__NR_close, failure[0], 0, 0, 0, 0);
  report("started\n", 8);
  watch(control, (int)children, program);
}

__attribute__((naked, used)) void _start(void) {
  __asm__("xor %ebp, %ebp; mov %rsp, %rdi; and $-16, %rsp; call start");
}
