"""A local folder that may hold pinned files under any names; found by their bytes, never written to."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path, PurePosixPath

from scilaws_bench.errors import SourceUnavailableError
from scilaws_builders.sources.hashing import sha256_of_file


@dataclass(frozen=True)
class Mirror:
    """The files below `folder`, listed once.

    Raises:
        SourceUnavailableError: `folder` is not a folder that can be listed.
    """

    folder: Path
    _files: tuple[tuple[int, Path], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        try:
            # rglob of a missing folder is silently empty, and "not in the mirror" would be the wrong message.
            next(self.folder.iterdir(), None)
            paths = [path for path in sorted(self.folder.rglob("*")) if path.is_file()]
            listed = tuple((path.stat().st_size, path) for path in paths)
        except OSError as error:
            raise SourceUnavailableError(
                thing=f"mirror {self.folder}",
                expected="a folder with copies of the pinned files",
                found=str(error),
                remedy="Correct the path, or leave the mirror out.",
            ) from error
        object.__setattr__(self, "_files", listed)

    def find_sized(self, sha256: str, size: int) -> Path | None:
        """Path of a file of exactly `size` bytes with this sha256, whatever its name; only such sizes are hashed."""
        return _first(sha256, [path for length, path in self._files if length == size])

    def find_archive(self, sha256: str, filename: str) -> Path | None:
        """Path of an archive with this sha256: files called `filename` are tried first, then its kind.

        An archive is pinned without a size, so its suffix decides what is worth hashing.
        """
        suffix = PurePosixPath(filename).suffix
        alike = [path for _, path in self._files if path.suffix == suffix]
        return _first(sha256, sorted(alike, key=lambda path: path.name != filename))


def _first(sha256: str, candidates: list[Path]) -> Path | None:
    for path in candidates:
        try:
            about = path.stat()
            if _digest(path, about.st_size, about.st_mtime_ns) == sha256:
                return path
        except OSError:
            # A file one may not read, or that was just removed, cannot serve; another may.
            continue
    return None


@lru_cache(maxsize=4096)
def _digest(path: Path, size: int, mtime_ns: int) -> str:
    """Hash remembered across sources of one build; `size` and `mtime_ns` make a changed file a new key."""
    return sha256_of_file(path)
