"""The process that waits inside the sandbox with numpy and scipy loaded and forks one child per call.

It talks to the host over one SOCK_SEQPACKET socket (file descriptor 0), in small JSON messages. A call brings two file
descriptors: a sealed memory file with the request and the write end of the result pipe. Only the child reads the one
and writes the other, so this process never holds a source text, a data row or a result: nothing of a call can be
found in the memory of the next, and nothing a law wrote is ever parsed here.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import time
from typing import Any, NoReturn

from . import landlock, lockdown
from .call import execute
from .wire import MAX_CONTROL_BYTES, Request

_CONTROL = 0
_PRELOADED = ("numpy", "scipy.optimize", "scipy.special", "scipy.integrate")
_EXIT_NOT_CONFINED = 70


def main() -> None:
    """Read the configuration, import, report ready, serve until the host hangs up."""
    libc = lockdown.c_library()
    with socket.socket(fileno=os.dup(_CONTROL)) as control:
        configuration = json.loads(control.recv(1 << 20))
        lockdown.set_undumpable(libc)
        if configuration["parent"] is not None:
            lockdown.die_with_parent(libc, configuration["parent"])
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, _CONTROL)
        for module in _PRELOADED:
            importlib.import_module(module)
        rules = landlock.ruleset(libc, configuration["readable"]) if configuration["landlock"] else None
        how = lockdown.Confinement(rules, configuration["seccomp"], namespaced=os.getpid() == 1)
        gc.collect()
        gc.freeze()  # a child's garbage collections then leave the shared pages alone
        control.send(json.dumps({"ready": True}).encode())
        os.dup2(null, 2)  # what was written there so far explains a failed start; from here on nothing may
        while True:
            message, descriptors, _, _ = socket.recv_fds(control, MAX_CONTROL_BYTES, 2)
            if not message:
                return
            if not descriptors:
                continue  # the host stopped a call; its message was the signal, see _wait
            control.send(json.dumps(_serve(libc, how, control, json.loads(message), descriptors)).encode())


def _serve(
    libc: ctypes.CDLL, how: lockdown.Confinement, control: socket.socket, limits: dict[str, Any], descriptors: list[int]
) -> dict[str, Any]:
    """Run one call in a child and report how the child ended; it and all it started are gone on return."""
    payload, result = descriptors
    zygote, started = os.getpid(), time.monotonic()
    child = os.fork()
    if child == 0:
        _run(libc, how, zygote, payload, result, limits)
    os.close(payload)
    os.close(result)
    timed_out = _wait(child, control, limits["wall_seconds"])
    _kill_all(child)
    status, usage = os.wait4(child, 0)[1:]
    with contextlib.suppress(ChildProcessError):  # orphans that process 1 of the namespace inherited
        while os.getpid() == 1:
            os.waitpid(-1, 0)
    return {
        "timed_out": timed_out,
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0,
        "exit_code": os.WEXITSTATUS(status) if os.WIFEXITED(status) else 0,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "wall_seconds": time.monotonic() - started,
    }


def _wait(child: int, control: socket.socket, wall_seconds: float) -> bool:
    """Wait until the child ends, the host says anything or hangs up, or the time is over; True in the last case."""
    handle = os.pidfd_open(child)
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        poll.register(control, select.POLLIN)
        return not poll.poll(wall_seconds * 1000)
    finally:
        os.close(handle)


def _kill_all(child: int) -> None:
    """Kill the child and everything it may have started: all of the pid namespace, or its process group."""
    os.kill(child, signal.SIGKILL)  # not reaped yet, so the number is still its own
    with contextlib.suppress(ProcessLookupError):
        if os.getpid() == 1:
            os.kill(-1, signal.SIGKILL)
        else:
            os.killpg(child, signal.SIGKILL)


def _run(
    libc: ctypes.CDLL, how: lockdown.Confinement, zygote: int, payload: int, result: int, limits: dict[str, Any]
) -> NoReturn:
    """The child: lock down, run, write the result, leave without running any hook. Never returns."""
    try:
        os.setsid()
        lockdown.die_with_parent(libc, zygote)
        with open(payload, "rb") as stream:
            data = stream.read()
        lockdown.confine(libc, how, result, limits["cpu_seconds"], limits["memory_bytes"])
    except BaseException:  # noqa: BLE001 - whatever went wrong, the law must not run
        os._exit(_EXIT_NOT_CONFINED)
    try:
        frame = memoryview(execute(Request.decode(data)))
        while frame:
            frame = frame[os.write(result, frame) :]
    finally:
        os._exit(0)


if __name__ == "__main__":
    sys.exit("start through scilaws_bench.sandbox")
