"""Folders that appear whole or not at all: written beside their place, then renamed into it."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_MARK = "scilaws-work"
_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


@contextmanager
def work_folder(parent: Path, name: str) -> Iterator[Path]:
    """A new empty folder inside `parent` (made if missing), removed at the end unless renamed away.

    A living writer holds a lock on its folder that the kernel gives back however it dies, so what
    killed writers of the same `name` left behind is recognised and removed first.
    """
    parent.mkdir(parents=True, exist_ok=True)
    prefix = f".{name}.{_MARK}-"
    for left in sorted(parent.glob(f"{prefix}*")):
        _remove_if_abandoned(left)
    work, lock = _claimed(parent, prefix)
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)
        os.close(lock)


def put_in_place(work: Path, final: Path) -> None:
    """Rename a finished folder to its name; if another build was faster, its result stays."""
    try:
        work.rename(final)
    except OSError:
        if not final.is_dir():
            raise


def swap_in(work: Path, final: Path) -> None:
    """Put a finished folder at `final`; an older one there ends up at `work`.

    A reader, also after a kill at any moment, sees the old folder or the new one. Only where the
    file system can't exchange two names (some network ones) is there a moment without either; the
    old one then waits under the name that `recover` looks for.
    """
    while True:
        try:
            work.rename(final)
            return
        except OSError as error:
            # EEXIST or ENOTEMPTY: an older folder stands there, also one that a build put there just now.
            if error.errno not in (errno.EEXIST, errno.ENOTEMPTY):
                raise
        try:
            _exchange(work, final)
            return
        except FileNotFoundError:
            continue
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP):
                raise
        _swap_by_steps(work, final)
        return


def recover(final: Path) -> None:
    """Bring back a folder that `swap_in` had to put aside when it was killed."""
    aside = _aside(final)
    if aside.is_dir() and not final.exists():
        aside.rename(final)
    shutil.rmtree(aside, ignore_errors=True)


def _exchange(first: Path, second: Path) -> None:
    """Exchange two names in one step of the kernel (OSError ENOSYS where the C library has no such call)."""
    function = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if function is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    if function(_AT_FDCWD, os.fsencode(first), _AT_FDCWD, os.fsencode(second), _RENAME_EXCHANGE) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), str(second))


def _swap_by_steps(work: Path, final: Path) -> None:
    aside = _aside(final)
    shutil.rmtree(aside, ignore_errors=True)
    final.rename(aside)
    try:
        work.rename(final)
    except OSError:
        aside.rename(final)
        raise
    aside.rename(work)


def _aside(final: Path) -> Path:
    return final.with_name(f".{final.name}.scilaws-previous")


def _claimed(parent: Path, prefix: str) -> tuple[Path, int]:
    """A locked new folder; made again if another writer took the still unlocked one for rubbish."""
    while True:
        work = Path(tempfile.mkdtemp(dir=parent, prefix=prefix))
        try:
            lock = os.open(work, os.O_RDONLY)
        except FileNotFoundError:
            continue
        # A file system without locks has no rubbish removed: nothing can be locked there by others either.
        with suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX)
        if work.is_dir():
            return work, lock
        os.close(lock)


def _remove_if_abandoned(folder: Path) -> None:
    try:
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    except OSError:
        return  # its writer lives
    finally:
        os.close(lock)
