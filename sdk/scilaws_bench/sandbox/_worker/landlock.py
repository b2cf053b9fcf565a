"""Landlock: a process that may read below a few paths and touch nothing else of the file system.

Raw system calls, because no library is assumed. A rule set is made once per zygote; each forked child enters it.
Source: Documentation/userspace-api/landlock.rst of the kernel (ABI 1 to 7).
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterable

from . import syscalls
from .seccomp import PR_SET_NO_NEW_PRIVS

_VERSION_FLAG = 1
_RULE_PATH_BENEATH = 1
_ACCESS_READ_FILE, _ACCESS_READ_DIR = 1 << 2, 1 << 3
_ACCESS_ALL_ABI_1 = (1 << 13) - 1
_ACCESS_REFER_ABI_2, _ACCESS_TRUNCATE_ABI_3, _ACCESS_IOCTL_ABI_5 = 1 << 13, 1 << 14, 1 << 15
_NETWORK_TCP_ABI_4 = 0b11  # bind, connect
_SCOPE_ABI_6 = 0b11  # abstract Unix sockets, signals


def _call(libc: ctypes.CDLL, name: str, *arguments: object) -> int:
    number = syscalls.number(name, syscalls.architecture())
    return int(libc.syscall(ctypes.c_long(number or 0), *arguments))


def abi(libc: ctypes.CDLL) -> int:
    """Version of Landlock in the running kernel; 0 where it is not compiled in or not enabled at boot."""
    return max(0, _call(libc, "landlock_create_ruleset", None, ctypes.c_size_t(0), ctypes.c_uint(_VERSION_FLAG)))


def _attributes(version: int) -> bytes:
    """struct landlock_ruleset_attr: everything this kernel can restrict is restricted."""
    access = _ACCESS_ALL_ABI_1
    access |= _ACCESS_REFER_ABI_2 if version >= 2 else 0
    access |= _ACCESS_TRUNCATE_ABI_3 if version >= 3 else 0
    access |= _ACCESS_IOCTL_ABI_5 if version >= 5 else 0
    fields = [access]
    if version >= 4:
        fields.append(_NETWORK_TCP_ABI_4)
    if version >= 6:
        fields.append(_SCOPE_ABI_6)
    return struct.pack(f"<{len(fields)}Q", *fields)


def ruleset(libc: ctypes.CDLL, readable: Iterable[str]) -> int:
    """File descriptor of a rule set that lets files and folders below `readable` be read, and nothing else.

    Raises OSError if Landlock is missing or a path cannot be opened: a rule that silently fails would only show as a
    puzzling ImportError in a law.
    """
    version = abi(libc)
    if version < 1:
        raise OSError("Landlock is not available in this kernel")
    attributes = _attributes(version)
    rules = _call(libc, "landlock_create_ruleset", attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint(0))
    if rules < 0:
        raise OSError(ctypes.get_errno(), "landlock_create_ruleset failed")
    for path in readable:
        _allow(libc, rules, path)
    return rules


def _allow(libc: ctypes.CDLL, rules: int, path: str) -> None:
    handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        is_folder = stat.S_ISDIR(os.fstat(handle).st_mode)
        access = _ACCESS_READ_FILE | (_ACCESS_READ_DIR if is_folder else 0)
        rule = struct.pack("<Qi", access, handle)
        if _call(libc, "landlock_add_rule", rules, _RULE_PATH_BENEATH, rule, ctypes.c_uint(0)):
            raise OSError(ctypes.get_errno(), f"landlock_add_rule failed for {path}")
    finally:
        os.close(handle)


def enter(libc: ctypes.CDLL, rules: int) -> None:
    """Restrict the calling process to `rules` for good. Raises OSError if the kernel refuses."""
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_NO_NEW_PRIVS) failed")
    if _call(libc, "landlock_restrict_self", rules, ctypes.c_uint(0)):
        raise OSError(ctypes.get_errno(), "landlock_restrict_self failed")
