"""Run one command for the host, with limits, and leave nothing of it running."""

from __future__ import annotations

import contextlib
import os
import resource
import selectors
import signal
import subprocess
import time
from pathlib import Path
from typing import IO, Any, BinaryIO

_WORK = Path("/sandbox/work")
_PROC = Path("/proc")
_FOLDERS = (_WORK, Path("/tmp"), Path("/dev/shm"))
_TICK_SECONDS = 0.05
_CHUNK = 1 << 16
_NICENESS = 5
_OPEN_FILES = 1024
_MOST_REASON = 1000
_PAGE = os.sysconf("SC_PAGE_SIZE")
_NOT_FOUND, _NOT_RUNNABLE, _SIGNALLED = 127, 126, 128  # a shell's exit codes


def run(request: dict[str, Any], data: bytes, control: BinaryIO) -> tuple[dict[str, Any], bytes]:
    """Run `request["command"]` to its end, to a limit, or until anything arrives on `control`.

    Returns a header with `code`, `why` it was ended ("" if by itself) and `split`, and both outputs, stdout first.
    Raises OSError (EACCES, EPERM) if the command may not be executed.
    """
    folder = _WORK / request["folder"]
    no_folder = f"{request['folder']}: no such folder in the sandbox, or no permission"
    if not (os.access(folder, os.X_OK) and folder.is_dir()):
        return _failed(_NOT_RUNNABLE, no_folder)
    try:
        process = subprocess.Popen(
            request["command"],
            cwd=folder,
            env=request["environment"],
            stdin=subprocess.DEVNULL if request["input"] is False else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
            preexec_fn=lambda: _limit(request["limits"]),
        )
    except PermissionError as error:
        if error.filename != folder:
            raise
        return _failed(_NOT_RUNNABLE, no_folder)  # open to the keeper alone, such as /proc/1/cwd
    except FileNotFoundError:
        return _failed(_NOT_FOUND, f"{request['command'][0]}: command not found")
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return _failed(_NOT_RUNNABLE, f"{request['command'][0]}: {error}")
    return _Run(process, request, data, control).to_the_end()


def _failed(code: int, reason: str) -> tuple[dict[str, Any], bytes]:
    return {"code": code, "why": "", "split": 0}, f"{reason[:_MOST_REASON]}\n".encode("utf-8", "replace")


def _limit(limits: dict[str, int]) -> None:
    """In the child, before the command: its limits. A lower one of the host stays."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.nice(_NICENESS)  # the keeper and the evaluator come first, also under a fork bomb
    wanted = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: _OPEN_FILES,
        resource.RLIMIT_CPU: limits["cpu_seconds"],
        resource.RLIMIT_AS: limits["memory"],
        resource.RLIMIT_FSIZE: limits["file_bytes"],
        resource.RLIMIT_NPROC: limits["processes"],  # not counted for a process of host root: see _Run._excess
    }
    for kind, value in wanted.items():
        hard = resource.getrlimit(kind)[1]
        bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (bound, bound))


class _Run:
    """A started command, its streams and its limits."""

    def __init__(
        self, process: subprocess.Popen[bytes], request: dict[str, Any], data: bytes, control: BinaryIO
    ) -> None:
        self._process, self._control = process, control
        self._limits: dict[str, int] = request["limits"]
        self._most: int = request["most"]
        self._ends = time.monotonic() + request["seconds"] if request["seconds"] is not None else None
        self._unsent = memoryview(data)
        self._outputs: dict[IO[bytes], bytearray] = {}
        self._code: int | None = None
        self._why = ""

    def to_the_end(self) -> tuple[dict[str, Any], bytes]:
        with selectors.DefaultSelector() as selector:
            selector.register(self._control, selectors.EVENT_READ)
            for stream in (self._process.stdout, self._process.stderr):
                assert stream is not None
                os.set_blocking(stream.fileno(), False)
                self._outputs[stream] = bytearray()
                selector.register(stream, selectors.EVENT_READ)
            if self._process.stdin is not None:
                os.set_blocking(self._process.stdin.fileno(), False)
                selector.register(self._process.stdin, selectors.EVENT_WRITE)
            next_check = time.monotonic()
            while self._code is None and not self._why:
                for key, _ in selector.select(_TICK_SECONDS):
                    self._transfer(selector, key.fileobj)
                self._reap()
                now = time.monotonic()
                if now >= next_check:
                    self._why = self._why or self._excess(now)
                    next_check = now + _TICK_SECONDS
            self._kill_everything()
            for stream in self._outputs:  # every writer is dead: what is left is in the pipe, then comes its end
                with contextlib.suppress(BlockingIOError):  # or a writing end that is hidden in a socket
                    while not stream.closed:
                        self._transfer(selector, stream)
        for pipe in (self._process.stdin, *self._outputs):
            if pipe is not None:
                pipe.close()
        return self._result()

    def _transfer(self, selector: selectors.BaseSelector, stream: Any) -> None:
        if stream is self._control:
            self._why = self._why or "stopped"  # the message itself is read, and ignored, by the keeper
        elif stream is self._process.stdin and self._process.stdin is not None:
            self._feed(selector, self._process.stdin)
        else:
            chunk = os.read(stream.fileno(), _CHUNK)
            if chunk:
                kept = self._outputs[stream]
                if len(kept) + len(chunk) > self._most:
                    self._why = self._why or "output"
                kept += chunk[: self._most - len(kept)]
            else:
                selector.unregister(stream)
                stream.close()

    def _feed(self, selector: selectors.BaseSelector, stream: IO[bytes]) -> None:
        try:
            sent = os.write(stream.fileno(), self._unsent[:_CHUNK]) if self._unsent else 0
            self._unsent = self._unsent[sent:]
            if self._unsent:
                return
        except BlockingIOError:
            return
        except BrokenPipeError:
            pass  # the command does not want it
        selector.unregister(stream)
        stream.close()

    def _reap(self) -> None:
        """Collect whatever has ended, orphans included; note the command's own exit code."""
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                self._note(*ended)

    def _note(self, process: int, status: int) -> None:
        if process == self._process.pid:
            code = os.waitstatus_to_exitcode(status)
            self._process.returncode = code  # for Popen, which would wait for it too
            self._code = code if code >= 0 else _SIGNALLED - code

    def _kill_everything(self) -> None:
        """Signal -1 reaches every process of the namespace but this one; a fork cannot slip through."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while True:
                self._note(*os.waitpid(-1, 0))

    def _excess(self, now: float) -> str:
        """Which limit is passed: wall time, processes, memory of all of them together, number of files."""
        if self._ends is not None and now >= self._ends:
            return "timeout"
        processes = [path for path in _PROC.iterdir() if path.name.isdigit()]
        if len(processes) > self._limits["processes"]:  # before each is looked at: there may be very many
            return "processes"
        sizes = [_threads_and_memory(path) for path in processes]
        used = {
            "processes": sum(threads for threads, _ in sizes),
            "memory": sum(resident for _, resident in sizes),
            "files": sum(status.f_files - status.f_ffree for status in map(os.statvfs, _FOLDERS)),
            "sockets": _sockets(),
        }
        return next((name for name, count in used.items() if count > self._limits[name]), "")

    def _result(self) -> tuple[dict[str, Any], bytes]:
        stdout, stderr = (bytes(kept) for kept in self._outputs.values())
        return {"code": self._code, "why": self._why, "split": len(stdout)}, stdout + stderr


def _threads_and_memory(process: Path) -> tuple[int, int]:
    """Number of threads and resident bytes, from fields 20 and 24 of proc_pid_stat(5)."""
    try:
        fields = (process / "stat").read_bytes().rpartition(b")")[2].split()  # a name may hold spaces and brackets
        return int(fields[17]), int(fields[21]) * _PAGE
    except (OSError, IndexError):  # it has just ended
        return 0, 0


def _sockets() -> int:
    """Sockets of this network namespace; their buffers are memory that belongs to no process."""
    words = (_PROC / "net" / "sockstat").read_text().split()
    return int(words[2])  # "sockets: used N"
