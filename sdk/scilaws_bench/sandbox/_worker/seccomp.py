"""The system call allow-list of a law's process, as a classic BPF filter loaded through prctl.

Everything not listed fails with EPERM: exec, fork, sockets, signals to others, ptrace, namespaces, mounts, keyrings,
bpf, io_uring, memfd, opening for write, changing the file system, limits or dumpability. Threads of the own process
work. System calls of another ABI (i386, x32) kill the process.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from typing import NamedTuple

from . import syscalls

PR_SET_NO_NEW_PRIVS = 38
PR_SET_SECCOMP = 22
SECCOMP_MODE_FILTER = 2

_RET_KILL_PROCESS = 0x80000000
_RET_ERRNO = 0x00050000
_RET_ALLOW = 0x7FFF0000
_LOAD_WORD, _AND, _JUMP_EQUAL, _JUMP_GREATER_EQUAL, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_OFFSET_NUMBER, _OFFSET_ARCH, _OFFSET_ARGUMENTS = 0, 4, 16
_LOW, _HIGH = 0, 4  # both architectures are little-endian

_ALWAYS_TEXT = (
    "read write close stat fstat lstat poll lseek mmap mprotect munmap brk rt_sigaction rt_sigprocmask rt_sigreturn "
    "pread64 readv writev access select sched_yield mremap mincore madvise dup nanosleep getpid exit uname getcwd "
    "readlink gettimeofday getrlimit getrusage sysinfo times getuid getgid geteuid getegid getppid sigaltstack "
    "arch_prctl gettid time futex sched_getaffinity getdents64 set_tid_address restart_syscall fadvise64 "
    "clock_gettime clock_getres clock_nanosleep exit_group newfstatat readlinkat faccessat pselect6 ppoll "
    "set_robust_list get_robust_list getcpu getrandom membarrier statx rseq faccessat2"
)
ALWAYS = tuple(_ALWAYS_TEXT.split())

# libc falls back to an older call when it sees ENOSYS, and gives up when it sees EPERM.
ABSENT = ("clone3", "openat2", "futex_waitv")

_ALL_BITS = 0xFFFFFFFF
_WRITING = os.O_ACCMODE | os.O_CREAT | os.O_TRUNC | os.O_APPEND | 0o20000000  # the last one is the bit of O_TMPFILE
_CLONE_THREAD, _CLONE_NEW_NAMESPACES = 0x10000, 0x7E020080
_FCNTL_HARMLESS = (0, 1, 2, 3, 1030)  # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC
_IOCTL_HARMLESS = (0x5401, 0x5413, 0x5450, 0x5451)  # TCGETS, TIOCGWINSZ, FIONCLEX, FIOCLEX
_PRCTL_HARMLESS = (15, 16, 0x53564D41)  # PR_SET_NAME, PR_GET_NAME, PR_SET_VMA (malloc names its arenas)


class _Check(NamedTuple):
    """One word of one argument, under `mask`, must equal `value`."""

    argument: int
    value: int
    mask: int = _ALL_BITS
    word: int = _LOW


def _conditional(process: int) -> list[tuple[str, list[_Check]]]:
    """System calls that are allowed only with the given arguments; a call may have several alternatives."""
    rules = [
        ("open", [_Check(1, 0, _WRITING)]),
        ("openat", [_Check(2, 0, _WRITING)]),
        ("clone", [_Check(0, _CLONE_THREAD, _CLONE_THREAD | _CLONE_NEW_NAMESPACES)]),
        ("tgkill", [_Check(0, process)]),  # abort() and raise() of the own process
        ("prlimit64", [_Check(0, 0), _Check(2, 0), _Check(2, 0, word=_HIGH)]),  # own limits, reading only
    ]
    rules += [("fcntl", [_Check(1, command)]) for command in _FCNTL_HARMLESS]
    rules += [("ioctl", [_Check(1, request)]) for request in _IOCTL_HARMLESS]
    rules += [("prctl", [_Check(0, option)]) for option in _PRCTL_HARMLESS]
    return rules


def _instruction(code: int, if_true: int, if_false: int, operand: int) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, operand)


def _return(value: int) -> bytes:
    return _instruction(_RETURN, 0, 0, value)


def _checked_block(number: int, checks: list[_Check]) -> bytes:
    """Allow system call `number` if every check holds; otherwise fall through to the next rule."""
    body: list[bytes] = []
    for check in checks:
        body.append(_instruction(_LOAD_WORD, 0, 0, _OFFSET_ARGUMENTS + 8 * check.argument + check.word))
        if check.mask != _ALL_BITS:
            body.append(_instruction(_AND, 0, 0, check.mask))
        body.append(_instruction(_JUMP_EQUAL, 0, 0, check.value))
    for position, instruction in enumerate(body):
        if struct.unpack("<H", instruction[:2])[0] == _JUMP_EQUAL:
            past_block = len(body) - position  # the remaining checks and the return
            body[position] = instruction[:3] + bytes([past_block]) + instruction[4:]
    load_number = _instruction(_LOAD_WORD, 0, 0, _OFFSET_NUMBER)
    return load_number + _instruction(_JUMP_EQUAL, 0, len(body) + 1, number) + b"".join(body) + _return(_RET_ALLOW)


def build(machine: str, process: int) -> bytes:
    """The filter for a process with id `process` on `machine`: 8-byte instructions, little-endian."""
    parts = [
        _instruction(_LOAD_WORD, 0, 0, _OFFSET_ARCH),
        _instruction(_JUMP_EQUAL, 1, 0, syscalls.AUDIT_ARCH[machine]),
        _return(_RET_KILL_PROCESS),
        _instruction(_LOAD_WORD, 0, 0, _OFFSET_NUMBER),
    ]
    if machine == "x86_64":
        parts += [_instruction(_JUMP_GREATER_EQUAL, 0, 1, syscalls.X32_SYSCALL_BIT), _return(_RET_KILL_PROCESS)]
    for names, verdict in ((ALWAYS, _RET_ALLOW), (ABSENT, _RET_ERRNO | errno.ENOSYS)):
        for name in names:
            number = syscalls.number(name, machine)
            if number is not None:
                parts += [_instruction(_JUMP_EQUAL, 0, 1, number), _return(verdict)]
    for name, checks in _conditional(process):
        number = syscalls.number(name, machine)
        if number is not None:
            parts.append(_checked_block(number, checks))
    parts.append(_return(_RET_ERRNO | errno.EPERM))
    return b"".join(parts)


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]


def load(libc: ctypes.CDLL, machine: str) -> None:
    """Put the calling, single-threaded process under the filter for good. Raises OSError if the kernel refuses."""
    code = build(machine, os.getpid())
    buffer = ctypes.create_string_buffer(code, len(code))
    program = _Program(len(code) // 8, ctypes.addressof(buffer))
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_NO_NEW_PRIVS) failed")
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0):
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_SECCOMP) failed: the kernel lacks CONFIG_SECCOMP_FILTER")
