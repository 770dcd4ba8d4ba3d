"""Runs inside a sandbox: tries what must not work and prints, as JSON, how each attempt ended.

The name of an attempt maps to the errno's name, "allowed", or "signal N" where the kernel killed it.
"""

# ruff: noqa: T201, PTH208

import ctypes
import errno
import json
import mmap
import os
import socket
import sys

libc = ctypes.CDLL(None, use_errno=True)

CALLS = {
    "add_key": 248,
    "bpf": 321,
    "clock_adjtime": 305,
    "clone": 56,
    "clone3": 435,
    "delete_module": 176,
    "fanotify_init": 300,
    "finit_module": 313,
    "fsmount": 432,
    "fsopen": 430,
    "init_module": 175,
    "io_uring_setup": 425,
    "ioctl": 16,
    "iopl": 172,
    "kcmp": 312,
    "kexec_load": 246,
    "keyctl": 250,
    "mbind": 237,
    "mount": 165,
    "mount_setattr": 442,
    "move_mount": 429,
    "name_to_handle_at": 303,
    "open_by_handle_at": 304,
    "open_tree": 428,
    "perf_event_open": 298,
    "personality": 135,
    "pidfd_getfd": 438,
    "pivot_root": 155,
    "process_vm_readv": 310,
    "process_vm_writev": 311,
    "ptrace": 101,
    "quotactl": 179,
    "reboot": 169,
    "request_key": 249,
    "setdomainname": 171,
    "sethostname": 170,
    "setns": 308,
    "settimeofday": 164,
    "swapon": 167,
    "syslog": 103,
    "umount2": 166,
    "unshare": 272,
    "uselib": 134,
    "userfaultfd": 323,
    "vhangup": 153,
    "chroot": 161,
    "memfd_secret": 447,
    "no_such_call_yet": 2000,
}
CLONE_NEWUSER, CLONE_NEWNET, CLONE_NEWNS, SIGCHLD = 0x10000000, 0x40000000, 0x20000, 17
TIOCSTI, TIOCLINUX, FIONREAD = 0x5412, 0x541C, 0x541B
X32_BIT = 0x40000000


def call(name, *arguments):
    return lambda: check(libc.syscall(ctypes.c_long(CALLS[name]), *map(argument, arguments)))


def argument(value):
    return ctypes.c_long(value) if isinstance(value, int) else value


def check(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), "")
    return result


def open_for_writing(path):
    return lambda: os.close(os.open(path, os.O_WRONLY | os.O_CREAT))


def open_for_reading(path):
    return lambda: os.close(os.open(path, os.O_RDONLY))


def make_socket(family, kind=socket.SOCK_STREAM, protocol=0):
    return lambda: socket.socket(family, kind, protocol).close()


def connect(address):
    def attempt():
        connection = socket.socket()
        connection.settimeout(3)
        connection.connect(address)

    return attempt


def machine_code(code):
    """Call a function made of these bytes."""

    def attempt():
        memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        memory.write(code)
        ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))()

    return attempt


ATTACKS = {
    **{name: call(name, 0, 0, 0, 0, 0) for name in CALLS if name not in ("clone", "ioctl", "personality")},
    "clone with a user namespace": call("clone", CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0),
    "clone with a network namespace": call("clone", CLONE_NEWNET | SIGCHLD, 0, 0, 0, 0),
    "unshare mounts": call("unshare", CLONE_NEWNS),
    "personality of another system": call("personality", 0x0001),
    "ioctl TIOCSTI": call("ioctl", 0, TIOCSTI, ctypes.create_string_buffer(b"x")),
    "ioctl TIOCSTI with high bits": call("ioctl", 0, (1 << 32) | TIOCSTI, ctypes.create_string_buffer(b"x")),
    "ioctl TIOCLINUX": call("ioctl", 0, TIOCLINUX, ctypes.create_string_buffer(b"\2")),
    "ioctl FIONREAD": call("ioctl", 0, FIONREAD, ctypes.create_string_buffer(8)),
    "i386 system call": machine_code(bytes.fromhex("b814000000 cd80 c3")),
    "x32 system call": lambda: check(libc.syscall(ctypes.c_long(X32_BIT | 39))),
    "call number -1": lambda: check(libc.syscall(ctypes.c_long(-1))),
    "socket vsock": make_socket(40),
    "socket alg": make_socket(38, socket.SOCK_SEQPACKET),
    "socket netlink": make_socket(16, socket.SOCK_RAW),
    "socket packet": make_socket(17, socket.SOCK_RAW),
    "socket bluetooth": make_socket(31, socket.SOCK_RAW),
    "socket unix": make_socket(socket.AF_UNIX),
    "raw socket": make_socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
    "connect out": connect(("192.0.2.1", 80)),
    "connect to the host": connect((sys.argv[1], int(sys.argv[2]))),
    "write to the root": open_for_writing("/usr/evil"),
    "write to a file of the root": open_for_writing("/etc/marker"),
    "write to the top": open_for_writing("/evil"),
    "write to /dev": open_for_writing("/dev/evil"),
    "write to /run": open_for_writing("/run/evil"),
    "write to core_pattern": open_for_writing("/proc/sys/kernel/core_pattern"),
    "write to sysrq": open_for_writing("/proc/sysrq-trigger"),
    "memory of the first process": open_for_writing("/proc/1/mem"),
    "root of the first process": lambda: os.listdir("/proc/1/root/"),
    "descriptors of the first process": lambda: os.listdir("/proc/1/fd"),
    "environment of the first process": open_for_reading("/proc/1/environ"),
    "a file of the host": open_for_reading(sys.argv[3]),
    "kernel log": open_for_reading("/dev/kmsg"),
    "physical memory": open_for_reading("/dev/mem"),
    "a disk": lambda: os.mknod("/tmp/disk", 0o60600, os.makedev(8, 0)),
    "become root": lambda: os.setuid(0),
    "become another": lambda: os.setresuid(1, 1, 1),
    "other groups": lambda: os.setgroups([0]),
    "kill the first process": lambda: (os.kill(1, 9), os.kill(1, 0)),
    "raise a limit": lambda: __import__("resource").setrlimit(__import__("resource").RLIMIT_CORE, (1, 1)),
    "real-time priority": lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
    "higher priority": lambda: os.nice(-5),
}


def outcome(attempt):
    """In a child, for some attempts end the process that makes them."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open("/dev/null", os.O_WRONLY), 2)
        try:
            attempt()
            word = "allowed"
        except OSError as error:
            word = errno.errorcode.get(error.errno, type(error).__name__) if error.errno else type(error).__name__
        except ValueError as error:
            word = str(error)
        os.write(write_end, word.encode())
        os._exit(0)
    os.close(write_end)
    word = os.read(read_end, 200).decode()
    os.close(read_end)
    status = os.waitpid(pid, 0)[1]
    return f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else word


print(json.dumps({name: outcome(attempt) for name, attempt in ATTACKS.items()}))
