"""Take from this process every right that a learner's code does not need.

The order matters: limits, then files (Landlock), then system calls (seccomp), then a check that all of it holds. Each
step is irreversible. The zygote prepares the rules once; a fork only applies them.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import math
import os
import signal
import socket
import struct
import time
from collections.abc import Sequence
from typing import Any

try:
    import fcntl
    import resource
except ImportError:  # Windows: there only the judge's timeout limits a worker
    fcntl = resource = None  # type: ignore[assignment]

OPEN_FILES = 64
LEARNERS_PART = 0.75
"""Of the memory of an exercise: the same room for each file, whatever the libraries have taken before."""
PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_NO_NEW_PRIVS = 38
PR_SET_SECCOMP = 22
SECCOMP_MODE_FILTER = 2
CLONE_THREAD = 0x10000
CAPABILITY_VERSION_3 = 0x20080522
TCGETS = 0x5401

HIGHEST_FD = 1 << 20
WORKER_FDS = 5
"""Descriptors 0-4: stdin (empty), stdout and stderr, questions in, answers out."""

# What Python and torch need to compute, to load their own libraries and to exit. Everything else returns EPERM.
ALLOWED_CALLS = (
    "read", "readv", "pread64", "write", "writev", "close", "close_range", "lseek", "dup", "dup2", "dup3",
    "open", "openat", "stat", "fstat", "lstat", "newfstatat", "statx", "access", "faccessat", "faccessat2",
    "readlink", "readlinkat", "getdents64", "getcwd", "poll", "ppoll", "select", "pselect6",
    "mmap", "mprotect", "munmap", "mremap", "madvise", "brk", "mincore", "membarrier",
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "restart_syscall",
    "getpid", "gettid", "getppid", "getuid", "geteuid", "getgid", "getegid", "uname", "sysinfo", "getcpu",
    "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "time", "times", "getrusage",
    "getrlimit", "sched_yield", "sched_getaffinity", "futex", "set_robust_list", "get_robust_list", "rseq",
    "set_tid_address", "arch_prctl", "getrandom", "exit", "exit_group",
)  # fmt: skip


# --- limits, enforced by the operating system -------------------------------------------------------------------------


def limit(cpu_seconds: int, memory_bytes: int, *, is_warm: bool = False) -> None:
    """Limit processor time, memory, open files and file sizes of this process for good.

    is_warm: it has worked before, and is limited as far as the system allows: macOS cannot limit memory. Of any other
    raises OSError or ValueError when the system refuses a limit.
    """
    if resource is None:
        return
    # RLIMIT_AS limits addresses, and a torch build with CUDA reserves three gigabytes of them before any code runs
    memory = _taken_bytes() + int(memory_bytes * LEARNERS_PART)
    cpu_seconds += math.ceil(time.process_time()) if is_warm else 0
    limits = {
        resource.RLIMIT_CPU: (cpu_seconds, cpu_seconds + 1),  # SIGXCPU first; SIGKILL for code that catches it
        resource.RLIMIT_AS: (memory, memory),
        resource.RLIMIT_FSIZE: (0, 0),
        resource.RLIMIT_CORE: (0, 0),
        resource.RLIMIT_NOFILE: (OPEN_FILES, OPEN_FILES),
    }
    for what, bounds in limits.items():
        with contextlib.suppress(*((OSError, ValueError) if is_warm else ())):
            resource.setrlimit(what, bounds)


def _taken_bytes() -> int:
    """Address space that this process uses so far, in bytes; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", "rb", buffering=0) as statm:
            return int(statm.read().split()[0]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return 0


# --- the whole lock-down ----------------------------------------------------------------------------------------------


class LockdownFailed(Exception):
    """A part of the lockdown failed. The machine's fault, never the learner's."""


class Rules:
    """Landlock and seccomp rules, prepared once and applied in each fork.

    Raises LockdownFailed when this machine lacks one of the two.
    """

    def __init__(self, readable: Sequence[str]) -> None:
        self._landlock = _landlock_rules(readable)
        self._program = _seccomp_program()
        self._libc = ctypes.CDLL(None, use_errno=True)

    def confine(self, cpu_seconds: int, memory_bytes: int, parent: int) -> None:
        """Apply everything to this process. `parent` is the process whose death must end this one.

        Raises LockdownFailed when a part fails or does not hold.
        """
        try:
            limit(cpu_seconds, memory_bytes)
            if self._libc.capset(struct.pack("Ii", CAPABILITY_VERSION_3, 0), bytes(24)) != 0:  # none are left
                raise OSError(ctypes.get_errno(), "capset")
            os.closerange(WORKER_FDS, self._landlock.fileno())
            os.closerange(self._landlock.fileno() + 1, HIGHEST_FD)
            self._landlock.restrict()
            self._landlock.close()
            self._prctl(PR_SET_DUMPABLE, 0)
            self._prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != parent:
                raise LockdownFailed("the parent process is gone")
            self._prctl(PR_SET_NO_NEW_PRIVS, 1)
            self._load_seccomp()
        except OSError as error:
            raise LockdownFailed(f"the lock-down was refused: {error}") from error
        check_it_holds()

    def _prctl(self, option: int, value: int, argument: Any = 0) -> None:
        if self._libc.prctl(option, value, argument, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), f"prctl {option}")

    def _load_seccomp(self) -> None:
        buffer = ctypes.create_string_buffer(self._program, len(self._program))
        # struct sock_fprog: number of 8-byte instructions, padding, pointer to them
        header = ctypes.create_string_buffer(
            struct.pack("HxxxxxxP", len(self._program) // 8, ctypes.addressof(buffer)), 16
        )
        self._prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, header)


def _landlock_rules(readable: Sequence[str]) -> Any:
    try:
        from landlockpy import AccessFS, LandlockError, Ruleset, Scope, abi_version
    except ImportError as error:
        raise LockdownFailed("the Python package landlockpy is missing") from error
    try:
        if abi_version() < 1:
            raise LockdownFailed("this kernel has no Landlock")
        rules = Ruleset(scoped=Scope.ABSTRACT_UNIX_SOCKET | Scope.SIGNAL)
        for path in readable:
            if os.path.exists(path):
                rights = AccessFS.READ_FILE | AccessFS.EXECUTE
                rules.allow_path(path, rights | AccessFS.READ_DIR if os.path.isdir(path) else rights)
        for device in ("/dev/null", "/dev/urandom"):
            rules.allow_path(device, AccessFS.READ_FILE)
    except LandlockError as error:
        raise LockdownFailed(f"Landlock: {error}") from error
    return rules


def _seccomp_program() -> bytes:
    """Compile the allow-list to the kernel's filter language, once."""
    try:
        import pyseccomp as seccomp
    except (ImportError, OSError, RuntimeError) as error:
        raise LockdownFailed("libseccomp or its Python binding is missing") from error
    rules = seccomp.SyscallFilter(seccomp.ERRNO(errno.EPERM))
    for name in ALLOWED_CALLS:
        try:
            rules.add_rule(seccomp.ALLOW, name)
        except OSError:  # a call that this architecture does not have
            continue
    # threads, but no processes; clone3 hides its flags in memory, and glibc falls back from it to clone
    rules.add_rule(seccomp.ALLOW, "clone", seccomp.Arg(0, seccomp.MASKED_EQ, CLONE_THREAD, CLONE_THREAD))
    rules.add_rule(seccomp.ERRNO(errno.ENOSYS), "clone3")
    # starting a thread needs to read a limit, never to set one
    rules.add_rule(seccomp.ALLOW, "prlimit64", seccomp.Arg(2, seccomp.EQ, 0))
    rules.add_rule(seccomp.ALLOW, "ioctl", seccomp.Arg(1, seccomp.EQ, TCGETS))
    # not F_SETOWN and similar: they make the kernel send signals to other processes
    for command in (fcntl.F_DUPFD, fcntl.F_GETFD, fcntl.F_SETFD, fcntl.F_GETFL, fcntl.F_DUPFD_CLOEXEC):
        rules.add_rule(seccomp.ALLOW, "fcntl", seccomp.Arg(1, seccomp.EQ, command))
    with os.fdopen(os.memfd_create("filter"), "w+b", buffering=0) as file:
        rules.export_bpf(file)
        file.seek(0)
        return bytes(file.read())


def check_it_holds() -> None:
    """Try what must be impossible. Raises LockdownFailed when any of it works."""
    attempts = {
        "list the root folder": lambda: os.listdir("/"),
        "read a file of the system": lambda: os.open("/etc/passwd", os.O_RDONLY),
        "open a socket": lambda: socket.socket().close(),
        "start a process": _try_fork,
    }
    for what, attempt in attempts.items():
        try:
            attempt()
        except OSError:
            continue
        raise LockdownFailed(f"it was still possible to {what}")


def _try_fork() -> None:
    if os.fork() == 0:
        os._exit(0)
