"""What a zygote proves before its first call: the walls of its level hold, and a law can still be fitted inside them.

Detection tries each mechanism once per process, apart from the others. This is the whole stack, in the very process
that will run laws, every time one is started: a mechanism that fails silently there must not pass for isolation.
"""

from __future__ import annotations

import errno

import numpy as np

from .protocol import Level, Limits
from .requests import fit_request
from .results import judge
from .zygote import Zygote, ZygoteLostError, ZygoteNotStartedError

_LIMITS = Limits(wall_seconds=30.0)
_SLOPE = 2.0
_REFUSED: dict[str, tuple[str, int]] = {
    # attempt: (what refuses it, errno)
    "read a folder": ("landlock", errno.EACCES),
    "open a file to write": ("seccomp", errno.EPERM),
    "make a socket": ("seccomp", errno.EPERM),
    "fork": ("seccomp", errno.EPERM),
    "signal the parent": ("seccomp", errno.EPERM),
    "see the host": ("bubblewrap", errno.ENOENT),
}
_HOLDING: dict[Level, tuple[str, ...]] = {
    "full": ("bubblewrap", "landlock", "seccomp"),
    "kernel": ("landlock", "seccomp"),
    "none": (),
}
_LAW = """
import os, socket
from scipy.optimize import curve_fit

def fork():
    if os.fork() == 0:
        os._exit(0)

ATTEMPTS = {
    "read a folder": lambda: os.listdir("/"),
    "open a file to write": lambda: os.close(os.open("/dev/null", os.O_WRONLY)),
    "make a socket": lambda: socket.socket().close(),
    "fork": fork,
    "signal the parent": lambda: os.kill(os.getppid(), 0),
    "see the host": lambda: os.stat("/proc/self"),
}

def outcome(attempt):
    try:
        attempt()
    except OSError as error:
        return float(error.errno or -1)
    return 0.0

def fit(X, y):
    slope = curve_fit(lambda x, a: a * x, X[:, 0], y)[0][0]
    return {name: outcome(attempt) for name, attempt in ATTEMPTS.items()} | {"slope": slope}
"""


def prove(zygote: Zygote, level: Level) -> None:
    """Run the self-test, one ordinary call. Raises ZygoteNotStartedError naming what failed."""
    x = np.arange(1.0, 9.0)
    request = fit_request(_LAW, x.reshape(-1, 1), _SLOPE * x, {}, seed=0)
    try:
        result = judge(zygote.call(request, _LIMITS), request, _LIMITS, level)
    except ZygoteLostError as error:
        raise ZygoteNotStartedError(f"the {level} sandbox ended in its self-test: {error}") from error
    if result.values is None:
        raise ZygoteNotStartedError(f"the {level} sandbox failed its self-test: {result.error}")
    found = result.values
    for attempt, (mechanism, expected) in _REFUSED.items():
        if mechanism in _HOLDING[level] and found[attempt] != expected:
            raise ZygoteNotStartedError(
                f"the {level} sandbox failed its self-test: {mechanism} does not hold, to {attempt} gave "
                f"errno {found[attempt]:g}, expected {expected}"
            )
    if not np.isclose(found["slope"], _SLOPE):
        raise ZygoteNotStartedError(f"the {level} sandbox failed its self-test: a fit gave {found['slope']}")
