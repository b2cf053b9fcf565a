"""Read and write files for the host, below /sandbox/work and /tmp only, whatever links a command has planted."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

_WORK = Path("/sandbox/work")
_ROOTS = (_WORK, Path("/tmp"))
_NOT_REGULAR = "not a regular file"


def read(path: str, most: int) -> bytes:
    """Content of a regular file. Raises OSError; EFBIG if it has more than `most` bytes."""
    with os.fdopen(_open(_resolved(path, must_exist=True), os.O_RDONLY), "rb") as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, "larger than the limit")
    return data


def write(path: str, data: bytes) -> None:
    """Replace or make a regular file, its folders included. Raises OSError."""
    place = _resolved(path, must_exist=False)
    place.parent.mkdir(parents=True, exist_ok=True)
    with os.fdopen(_open(place, os.O_WRONLY | os.O_CREAT), "wb") as stream:
        stream.truncate()
        stream.write(data)


def _resolved(path: str, must_exist: bool) -> Path:
    """The path with every link followed. Raises OSError if that leads out of the sample's own folders."""
    place = Path(os.path.realpath(_WORK / path))  # unlike Path.resolve, it never raises for a loop of links
    if any(place.is_relative_to(root) for root in _ROOTS):
        return place
    if must_exist and not place.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    if place.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    raise PermissionError(errno.EACCES, f"outside {' and '.join(map(str, _ROOTS))}")


def _open(place: Path, flags: int) -> int:
    """Open a regular file; no link is followed any more, and no pipe waited for."""
    try:
        descriptor = os.open(place, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o644)
    except OSError as error:
        if error.errno == errno.ENXIO:  # a pipe or a socket
            raise PermissionError(errno.EACCES, _NOT_REGULAR) from error
        raise
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode) and status.st_dev in {root.stat().st_dev for root in _ROOTS}:
        return descriptor
    os.close(descriptor)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    raise PermissionError(errno.EACCES, _NOT_REGULAR)
