"""A content-addressed folder of fetched files that never shows a partial or altered one.

Layout: `<root>/<section>/<sha256>/<filename>` beside `<root>/<section>/<sha256>.lock`. Under the lock of a
hash, everything in its folder except the finished file is the rubbish of a fetch that was killed.
"""

from __future__ import annotations

import contextlib
import fcntl
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from scilaws_bench.errors import ScilawsError, SourceIntegrityError, SourceUnavailableError
from scilaws_builders.sources.hashing import sha256_of_file


@dataclass(frozen=True)
class ContentCache:
    """The cache below `root`; made when first written to, so that a complete one may be read-only."""

    root: Path

    def find(self, section: str, sha256: str, filename: str) -> Path | None:
        """Path of the entry if it is there with the pinned sha256, else None. Writes nothing.

        Raises:
            SourceUnavailableError: the entry is there and cannot be read.
        """
        path = self._folder(section, sha256) / filename
        try:
            return path if sha256_of_file(path) == sha256 else None
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unusable(error) from error

    def fetch(self, section: str, sha256: str, filename: str, produce: Callable[[Path], Path]) -> Path:
        """Path of the entry; when it is missing or altered, `produce` is asked for it first.

        `produce` gets an empty scratch folder in the entry's own folder (so that the last step is an atomic
        rename), writes there and returns the path of the finished file. Of several processes that want the
        same hash one produces, the others wait and find.

        Raises:
            SourceIntegrityError: the produced file has another sha256; nothing of it is kept.
            SourceUnavailableError: the cache folder cannot be written, or is full.
            Whatever `produce` raises; nothing is kept then either.
        """
        path = self._folder(section, sha256) / filename
        with self._locked(section, sha256):
            if found := self.find(section, sha256, filename):
                return found
            try:
                with _scratch(path.parent) as scratch:
                    fresh = produce(scratch)
                    _check(fresh, sha256, filename)
                    # Temporary files are private to their maker; a cache may be shared by a group.
                    fresh.chmod(0o644)
                    fresh.replace(path)
            except ScilawsError:
                raise
            except OSError as error:
                raise self._unusable(error) from error
        return path

    def _folder(self, section: str, sha256: str) -> Path:
        return self.root / section / sha256

    @contextlib.contextmanager
    def _locked(self, section: str, sha256: str) -> Iterator[None]:
        folder = self._folder(section, sha256)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            handle = folder.with_name(f"{sha256}.lock").open("ab")
        except OSError as error:
            raise self._unusable(error) from error
        with handle:
            try:
                # The kernel gives the lock back when its holder dies, however it dies.
                fcntl.flock(handle, fcntl.LOCK_EX)
            except OSError as error:
                raise self._unusable(error) from error
            yield

    def _unusable(self, error: OSError) -> SourceUnavailableError:
        return SourceUnavailableError(
            thing=f"source cache {self.root}",
            expected="a folder that can be read and written",
            found=str(error),
            remedy="Free some space there, give another cache folder, or set SCILAWS_CACHE to one you own.",
        )


@contextlib.contextmanager
def _scratch(folder: Path) -> Iterator[Path]:
    for item in folder.iterdir():
        # An altered entry, or what killed fetches left.
        if item.is_dir() and not item.is_symlink():
            shutil.rmtree(item)
        else:
            item.unlink()
    scratch = Path(tempfile.mkdtemp(dir=folder, prefix="partial-"))
    try:
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _check(fresh: Path, sha256: str, filename: str) -> None:
    digest = sha256_of_file(fresh)
    if digest != sha256:
        raise SourceIntegrityError(
            thing=f"fetched file {filename}",
            expected=f"sha256 {sha256}",
            found=f"{digest} ({fresh.stat().st_size} bytes)",
            remedy="The place it came from serves other bytes than those pinned; nothing was kept.",
        )
