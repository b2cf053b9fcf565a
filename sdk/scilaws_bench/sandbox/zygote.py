"""Host side of one zygote: start it, send it one call at a time, judge how the child ended, kill it."""

from __future__ import annotations

import concurrent.futures
import fcntl
import functools
import json
import os
import select
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import bubblewrap
from ._worker.wire import MAX_CONTROL_BYTES, Request
from .protocol import Level, Limits
from .view import INTERPRETER_FLAGS, WORKER_FOLDER, View

_BOOT_SECONDS = 60.0
_GRACE_SECONDS = 5.0  # beyond the wall limit, for a zygote on a loaded machine to fork, kill and answer
_CHUNK = 1 << 20
_SEALS = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
_START = "import sys; sys.path[:0] = {paths!r}; from _worker.zygote import main; del sys.path[0]; main()"


class ZygoteNotStartedError(OSError):
    """The zygote never reported ready; the message holds the last line it wrote."""


class ZygoteLostError(OSError):
    """The zygote died or stopped answering during a call."""


@dataclass(frozen=True)
class Ending:
    """How a child ended, as its zygote saw it. data: what it wrote, None if more than the request allows."""

    data: bytes | None
    timed_out: bool
    signal: int
    exit_code: int
    cpu_seconds: float


@functools.cache
def _spawner(process: int) -> concurrent.futures.ThreadPoolExecutor:
    """The one thread of process `process` that starts zygotes: the kernel's death signal for them fires when the
    *thread* that made them ends. Per process, since a fork copies this cache but not the thread."""
    return concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="scilaws-zygotes")


class Zygote:
    """A started zygote. Not thread-safe: one call at a time."""

    def __init__(self, level: Level, view: View, program: Path | None) -> None:
        """Start and wait until ready (about a second). program: bwrap, None for the levels without it.

        Raises ZygoteNotStartedError.
        """
        self._closed = False
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._folder = tempfile.TemporaryDirectory(prefix="scilaws-sandbox-")  # the empty working folder
        self._process: subprocess.Popen[bytes] | None = None
        try:
            with tempfile.TemporaryFile() as log:
                with theirs:  # closed here once the zygote has it, so that its death reads as end of file
                    start = functools.partial(self._start, view, program, theirs.fileno(), log.fileno())
                    self._process = _spawner(os.getpid()).submit(start).result()
                if not self._boot(level, view, program):
                    raise ZygoteNotStartedError(f"the {level} sandbox did not start: {_last_line(log.fileno())}")
        except BaseException:
            self.close()
            raise

    def _start(self, view: View, program: Path | None, control: int, log: int) -> subprocess.Popen[bytes]:
        packages, worker = view.packages, WORKER_FOLDER
        prefix: list[str] = []
        if program is not None:
            prefix, packages, worker = (
                bubblewrap.command(program, view),
                bubblewrap.INSIDE_PACKAGES,
                bubblewrap.INSIDE_WORKER,
            )
        code = _START.format(paths=[str(worker.parent), str(packages)])
        try:
            return subprocess.Popen(
                [*prefix, str(view.executable), *INTERPRETER_FLAGS, "-c", code],
                env=view.environment(),
                cwd=self._folder.name,
                stdin=control,
                stdout=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,
            )
        except OSError as error:
            raise ZygoteNotStartedError(f"cannot start {prefix[0] if prefix else view.executable}: {error}") from error

    def _boot(self, level: Level, view: View, program: Path | None) -> bool:
        """Send the configuration, wait for ready. False if the process ended or is silent."""
        paths = [*view.readable(), WORKER_FOLDER]
        if program is not None:
            paths = [bubblewrap.inside(path, view) for path in paths]
        configuration = {
            "landlock": level != "none",
            "seccomp": level != "none",
            "readable": [str(path) for path in paths],
            "parent": None if program else os.getpid(),
        }
        try:
            self._control.send(json.dumps(configuration).encode())
            self._control.settimeout(_BOOT_SECONDS)
            return bool(self._control.recv(MAX_CONTROL_BYTES))
        except OSError:
            return False

    def is_usable(self) -> bool:
        """Whether the next call may go here: not closed, and the process still there."""
        return not self._closed and self._process is not None and self._process.poll() is None

    def call(self, request: Request, limits: Limits) -> Ending:
        """Run one request in a fresh child. Raises ZygoteLostError.

        Whatever exception ends a call also ends the zygote, KeyboardInterrupt included: its late answer would
        otherwise be taken for that to the next call.
        """
        try:
            return self._exchange(request, limits)
        except BaseException:
            self.close()
            raise

    def _exchange(self, request: Request, limits: Limits) -> Ending:
        reader, writer = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        os.set_blocking(writer, True)
        try:
            message = {
                "wall_seconds": limits.wall_seconds,
                "cpu_seconds": limits.cpu_bound,
                "memory_bytes": limits.memory_bytes,
            }
            payload = _sealed(request.encode())
            try:
                socket.send_fds(self._control, [json.dumps(message).encode()], [payload, writer])
            except OSError as error:
                raise ZygoteLostError(f"the sandbox process is gone: {error}") from error
            finally:
                os.close(payload)
                os.close(writer)
            return self._collect(reader, request.result_limit, time.monotonic() + limits.wall_seconds + _GRACE_SECONDS)
        finally:
            os.close(reader)

    def _collect(self, reader: int, limit: int, deadline: float) -> Ending:
        """Read the result pipe while waiting for the zygote's word that the child is gone, then drain the pipe."""
        received = bytearray()
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        poll.register(reader, select.POLLIN)
        while True:
            ready = dict(poll.poll(max(0.0, deadline - time.monotonic()) * 1000))
            if not ready:
                raise ZygoteLostError("the sandbox process stopped answering")
            if reader in ready and not _read_some(reader, received, limit):
                poll.unregister(reader)
                if len(received) > limit:
                    self._control.send(b"{}")  # a message without descriptors stops the running call
            if self._control.fileno() in ready:
                break
        reply = self._reply()
        while len(received) <= limit and _read_some(reader, received, limit):
            pass
        return Ending(bytes(received) if len(received) <= limit else None, **reply)

    def _reply(self) -> dict[str, Any]:
        try:
            reply = json.loads(self._control.recv(MAX_CONTROL_BYTES))
            return {
                "timed_out": bool(reply["timed_out"]),
                "signal": int(reply["signal"]),
                "exit_code": int(reply["exit_code"]),
                "cpu_seconds": float(reply["cpu_seconds"]),
            }
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ZygoteLostError("the sandbox process died during the call") from error

    def close(self) -> None:
        """Kill the zygote and everything below it. Safe to call twice."""
        self._closed = True
        self._control.close()
        if self._process is not None:
            # Killing bwrap is enough: its child, process 1 of the namespace, dies with it, and the namespace with that.
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()


def _last_line(log: int) -> str:
    """Last line a process wrote to the file `log`."""
    lines = os.pread(log, _CHUNK, 0).decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else "no reason given"


def _sealed(data: bytes) -> int:
    """A memory file with `data` at its start that nobody can change any more, positioned at 0."""
    handle = os.memfd_create("request", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]
    os.lseek(handle, 0, os.SEEK_SET)
    fcntl.fcntl(handle, fcntl.F_ADD_SEALS, _SEALS)
    return handle


def _read_some(reader: int, received: bytearray, limit: int) -> bool:
    """Append what the pipe has now. False when nothing more should be read: at its end, or beyond `limit` bytes."""
    try:
        chunk = os.read(reader, min(_CHUNK, limit + 1 - len(received)))
    except BlockingIOError:
        return False
    received += chunk
    return bool(chunk) and len(received) <= limit
