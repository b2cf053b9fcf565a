"""What a forked child does to itself before it runs a law: limits, no privileges, Landlock, seccomp.

Order matters: Landlock before its rule set's descriptor is closed, seccomp last, since it forbids the other steps.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import struct
from dataclasses import dataclass

from . import landlock, seccomp, syscalls

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP = 1, 4, 24
_CAPABILITY_VERSION_3 = 0x20080522
_CAPABILITIES = 64  # more than any kernel has; dropping an unknown one fails harmlessly
_OPEN_FILES = 256
_PROCESSES = 512


@dataclass(frozen=True)
class Confinement:
    """Which mechanisms a child applies. `rules` is a Landlock rule set or None; `namespaced`: inside bubblewrap."""

    rules: int | None
    filtered: bool
    namespaced: bool


def c_library() -> ctypes.CDLL:
    """The C library of this process, with errno kept."""
    return ctypes.CDLL(None, use_errno=True)


def set_undumpable(libc: ctypes.CDLL) -> None:
    """No core, no ptrace and no /proc/PID/mem by other processes of the same user."""
    if libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_DUMPABLE) failed")


def die_with_parent(libc: ctypes.CDLL, parent: int) -> None:
    """Be killed when `parent`, the process that forked this one, ends; also if it ended before this call."""
    if libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG) failed")
    if os.getppid() != parent:
        os._exit(1)


def _drop_capabilities(libc: ctypes.CDLL) -> None:
    """Leave nothing of root but the user id: an evaluator started by root must not lend its powers to a law."""
    for capability in range(_CAPABILITIES):
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    header = struct.pack("<Ii", _CAPABILITY_VERSION_3, 0)
    nothing = struct.pack("<6I", 0, 0, 0, 0, 0, 0)
    number = syscalls.number("capset", syscalls.architecture())
    if libc.syscall(ctypes.c_long(number or 0), header, nothing):
        raise OSError(ctypes.get_errno(), "capset failed")


def _limit(kind: int, value: int) -> None:
    """Lower a limit; a hard limit of the host that is lower already stays, since raising it needs privileges."""
    hard = resource.getrlimit(kind)[1]
    bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (bound, bound))


def limit_resources(cpu_seconds: int, memory_bytes: int, namespaced: bool) -> None:
    """Bound CPU seconds, address space (bytes), files, core dumps and, where they are counted apart, processes."""
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_NOFILE, _OPEN_FILES)
    _limit(resource.RLIMIT_CPU, cpu_seconds)
    _limit(resource.RLIMIT_AS, memory_bytes)
    if namespaced:  # elsewhere the kernel counts every process of the user, so that a busy desktop would fail laws
        _limit(resource.RLIMIT_NPROC, _PROCESSES)


def keep_only(descriptor: int) -> None:
    """Close every file descriptor but the standard ones and `descriptor`."""
    highest = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    os.closerange(3, descriptor)
    os.closerange(descriptor + 1, highest if highest != resource.RLIM_INFINITY else 1 << 20)


def confine(libc: ctypes.CDLL, how: Confinement, result: int, cpu_seconds: int, memory_bytes: int) -> None:
    """Lock the calling process down for good, keeping only the file descriptor `result` to write to.

    Raises OSError if a mechanism that `how` asks for fails: the caller must then not run the law.
    """
    if how.rules is not None:
        _drop_capabilities(libc)
        landlock.enter(libc, how.rules)
    keep_only(result)
    limit_resources(cpu_seconds, memory_bytes, how.namespaced)
    if how.filtered:
        seccomp.load(libc, syscalls.architecture())
