"""Process 1 of a sample's namespace: serves one request of the host at a time and lives as long as the sample.

Between two requests nothing else runs here: what a command left behind is killed with it. So files are read and
written without a race, by a process that sees no file of the host and has no capability.
"""

from __future__ import annotations

import ctypes
import os
import signal
from typing import Any, BinaryIO

from . import commands, files, frames

_PR_SET_DUMPABLE = 4


def main() -> None:
    """Serve until the host closes the pipe; the namespace ends with this process."""
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0):  # nobody may trace or look into it
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_DUMPABLE) failed")
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # process 1 gets no signal it has no handler for
    os.umask(0o022)
    # Unbuffered: a stop that arrives during a run must stay in the pipe, where the run looks for it.
    with os.fdopen(os.dup(0), "rb", buffering=0) as requests, os.fdopen(os.dup(1), "wb") as replies:
        _send(replies, {"ready": True})
        while (message := frames.receive(requests)) is not None:
            header, body = message
            if header["do"] != "stop":  # else it came too late: the run it was meant for has ended by itself
                _send(replies, *_serve(header, body, requests))


def _serve(header: dict[str, Any], body: bytes, requests: BinaryIO) -> tuple[dict[str, Any], bytes]:
    try:
        if header["do"] == "run":
            return commands.run(header, body, requests)
        if header["do"] == "read":
            return {}, files.read(header["path"], header["most"])
        files.write(header["path"], body)
        return {}, b""
    except OSError as error:
        return {"errno": error.errno, "reason": error.strerror}, b""
    except ValueError as error:  # a name that no file can have
        return {"errno": 22, "reason": str(error)}, b""


def _send(stream: BinaryIO, header: dict[str, Any], body: bytes = b"") -> None:
    stream.write(frames.encode(header, body))
    stream.flush()
