"""Host side of one sample's sandbox: start it, exchange messages with its keeper, end it.

What comes back is bytes from a process that untrusted code shares a namespace with: bounded in length, parsed as
JSON, never run or unpickled.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
from dataclasses import dataclass, field
from typing import Any

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from . import layout
from ._inside import frames
from .readiness import Setup

_START_SECONDS = 60.0
_SEND_SECONDS = 120.0
_FILE_SECONDS = 120.0
_GRACE_SECONDS = 30.0  # beyond a command's own limit, for a keeper on a loaded machine to kill and answer
_END_SECONDS = 5.0
_HEADER_BYTES = 64 << 10
_BROKEN = (
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
    anyio.EndOfStream,
    anyio.IncompleteRead,
    ConnectionError,
    ValueError,
)

LIMITS = {
    "cpu_seconds": 3600,  # each process
    "file_bytes": layout.WORK_BYTES,
    "memory": 4 << 30,  # bytes: address space of each process, resident memory of all together
    "processes": 512,  # with their threads
    "files": 50_000,
    "sockets": 512,
}


class MachineLostError(OSError):
    """The namespace is gone, and the sample's files with it."""


@dataclass(frozen=True)
class Command:
    """A command to run. folder: absolute or below the working folder; seconds: wall time; most: bytes a stream."""

    arguments: list[str]
    most: int
    input: bytes | None = None
    folder: str = "."
    environment: dict[str, str] = field(default_factory=dict)
    seconds: float | None = None


@dataclass(frozen=True)
class Ended:
    """How a command ended. why: "" by itself, else the limit that ended it: timeout, output or one of LIMITS."""

    code: int
    why: str
    stdout: bytes
    stderr: bytes


class Machine:
    """A running namespace. Calls wait for each other: between two of them nothing of the sample runs."""

    def __init__(self, process: Process, environment: dict[str, str]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process, self._requests = process, process.stdin
        self._replies = BufferedByteReceiveStream(process.stdout)
        self._environment = environment
        self._announced: int | None = None
        self._lost = ""
        self._lock = anyio.Lock()

    @classmethod
    async def start(cls, setup: Setup) -> Machine:
        """Start a namespace with empty folders (a tenth of a second). Raises MachineLostError with bwrap's reason.

        To be called in the event loop's thread: the kernel ends the namespace when the thread that made it ends.
        """
        environment = layout.environment(setup.view, setup.programs)
        reader, writer = os.pipe()
        try:
            with os.fdopen(writer, "wb") as stream:
                stream.write(setup.filter)
            process = await anyio.open_process(
                layout.command(setup.bwrap, setup.view, setup.programs, reader),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd="/",
                env=environment,
                pass_fds=(reader,),
                start_new_session=True,
            )
        except OSError as error:
            raise MachineLostError(f"the sandbox did not start: {error}") from error
        finally:
            os.close(reader)
        machine = cls(process, environment)
        try:
            with anyio.fail_after(_START_SECONDS):
                await machine._receive(_HEADER_BYTES)
        except (*_BROKEN, TimeoutError) as error:
            reason = await machine._last_words()
            await machine.close()
            raise MachineLostError(f"the sandbox did not start: {reason}") from error
        except BaseException:
            await machine.close()
            raise
        return machine

    async def run(self, command: Command) -> Ended:
        """Run a command and kill whatever it leaves. Raises MachineLostError, PermissionError for no program."""
        header = {
            "do": "run",
            "command": command.arguments,
            "folder": command.folder,
            "environment": self._environment | command.environment,
            "input": command.input is not None,
            "seconds": command.seconds,
            "most": command.most,
            "limits": LIMITS,
        }
        guard = None if command.seconds is None else command.seconds + _GRACE_SECONDS
        reply, body = await self._exchange(header, command.input or b"", 2 * command.most, guard)
        if reply.get("errno"):
            raise PermissionError(reply["errno"], reply["reason"], command.arguments[0])
        split = reply["split"]
        return Ended(reply["code"], reply["why"], body[:split], body[split:])

    async def read(self, path: str, most: int) -> bytes:
        """Content of a regular file below the sample's folders. Raises OSError, with EFBIG if it is larger."""
        reply, body = await self._exchange({"do": "read", "path": path, "most": most}, b"", most, _FILE_SECONDS)
        _raise_for(reply, path)
        return body

    async def write(self, path: str, data: bytes) -> None:
        """Write a file below the sample's folders, which are made. Raises OSError."""
        reply, _ = await self._exchange({"do": "write", "path": path}, data, 0, _FILE_SECONDS)
        _raise_for(reply, path)

    async def close(self) -> None:
        """End the namespace: every process and every file in it. Never raises, also while being cancelled."""
        self._lost = self._lost or "it was closed"
        with anyio.CancelScope(shield=True):
            with contextlib.suppress(*_BROKEN):
                await self._requests.aclose()  # the keeper ends at the end of its input
            with anyio.move_on_after(_END_SECONDS):
                await self._end()
            if self._process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    self._process.kill()  # bwrap's end kills the keeper, that kills the rest
                with anyio.move_on_after(_END_SECONDS):
                    await self._end()
            await self._process.aclose()

    async def _end(self) -> None:
        """Wait until the keeper, the other holder of the pipe, and bwrap are gone."""
        with contextlib.suppress(*_BROKEN):
            while True:
                await self._replies.receive()
        await self._process.wait()

    async def _exchange(
        self, header: dict[str, Any], body: bytes, most: int, seconds: float | None
    ) -> tuple[dict[str, Any], bytes]:
        """One request and its reply of at most `most` bytes. Cancelling ends the command, not the namespace."""
        async with self._lock:
            if self._lost:
                raise MachineLostError(f"the sample's sandbox is gone, and its files with it: {self._lost}")
            try:
                await self._send(header, body)
                with anyio.fail_after(seconds):
                    return await self._receive(most + _HEADER_BYTES)
            except anyio.get_cancelled_exc_class():
                with anyio.CancelScope(shield=True):
                    await self._stop(most)
                raise
            except TimeoutError as error:
                raise await self._give_up(f"no answer for {seconds or _SEND_SECONDS:.0f} s") from error
            except _BROKEN as error:
                raise await self._give_up(str(error) or type(error).__name__) from error

    async def _send(self, header: dict[str, Any], body: bytes = b"") -> None:
        """All or nothing: half a message could not be taken back."""
        with anyio.CancelScope(shield=True), anyio.fail_after(_SEND_SECONDS):
            await self._requests.send(frames.encode(header, body))

    async def _receive(self, most: int) -> tuple[dict[str, Any], bytes]:
        """The next reply. Being cancelled loses nothing: a later call goes on where this one stopped."""
        if self._announced is None:
            length = frames.announced(await self._replies.receive_exactly(8))
            if length > most:
                raise ValueError(f"a reply of {length:,} bytes, more than the {most:,} asked for")
            self._announced = length
        rest = await self._replies.receive_exactly(self._announced)
        self._announced = None
        return frames.decode(rest)

    async def _stop(self, most: int) -> None:
        """End the running command and take its reply off the pipe."""
        try:
            await self._send({"do": "stop"})
            with anyio.fail_after(_GRACE_SECONDS):
                await self._receive(most + _HEADER_BYTES)
        except (*_BROKEN, TimeoutError) as error:
            await self._give_up(f"a cancelled command could not be ended ({type(error).__name__})")

    async def _give_up(self, reason: str) -> MachineLostError:
        self._lost = reason
        await self.close()
        return MachineLostError(f"the sample's sandbox is gone, and its files with it: {reason}")

    async def _last_words(self) -> str:
        """The last line on stderr of a machine that did not start."""
        text = b""
        with anyio.move_on_after(_END_SECONDS), contextlib.suppress(*_BROKEN):
            while self._process.stderr is not None and len(text) < _HEADER_BYTES:
                text += await self._process.stderr.receive()
        lines = text.decode(errors="replace").strip().splitlines()
        return lines[-1][:500] if lines else "bwrap said nothing"


def _raise_for(reply: dict[str, Any], path: str) -> None:
    """The keeper's error as the built-in of its errno, with the path as it was asked for."""
    if reply.get("errno"):
        raise OSError(reply["errno"], reply["reason"], path)
