"""Try one mechanism on the calling process and check that it bites; an exception says that it does not."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable

from . import landlock as _landlock
from . import lockdown
from . import seccomp as _seccomp
from .syscalls import architecture


def landlock(readable: list[str]) -> None:
    """Enter a rule set made from `readable`; this file, which is not among them, must then be refused."""
    libc = lockdown.c_library()
    _landlock.enter(libc, _landlock.ruleset(libc, readable))
    _must_be_refused("Landlock", lambda: os.close(os.open(__file__, os.O_RDONLY)))


def seccomp(_readable: list[str]) -> None:
    """Load the filter; a socket must then be refused."""
    _seccomp.load(lockdown.c_library(), architecture())
    _must_be_refused("seccomp", lambda: socket.socket().close())


def _must_be_refused(mechanism: str, action: Callable[[], None]) -> None:
    try:
        action()
    except PermissionError:
        return
    raise OSError(f"{mechanism} was accepted by the kernel but does not restrict")
