"""Members of a wheel (zip) or an sdist (tar or zip), read without writing any of them to disk."""

from __future__ import annotations

import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Collection
from pathlib import Path

from scilaws_bench.errors import SourceIntegrityError

MEMBER_LIMIT = 512 * 1024 * 1024
"""Bytes above which a member is refused: no table of records is that large, a decompression bomb is."""

_UNREADABLE = (
    EOFError, NotImplementedError, OSError, RuntimeError, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile,
    zlib.error,
)  # fmt: skip


def read_members(archive: Path, wanted: Collection[str], *, limit: int = MEMBER_LIMIT) -> dict[str, bytes]:
    """The wanted members that are ordinary files in the archive, by their full path inside it.

    A path the archive does not have is absent from the answer. Of several members with one path the last
    counts, as when unpacking. A compressed tar has no directory, so all are read in one pass.

    Args:
        archive: a `.whl` or `.zip` file, or a tar file compressed in any way.
        wanted: paths with `/`, as the archive spells them (an sdist's start with `name-version/`).
        limit: most bytes a single member may have when unpacked.

    Raises:
        SourceIntegrityError: not an archive of its kind, damaged, or a wanted member above `limit`.
    """
    try:
        if archive.suffix in (".whl", ".zip"):
            return _from_zip(archive, wanted, limit)
        return _from_tar(archive, wanted, limit)
    except _UNREADABLE as error:
        raise SourceIntegrityError(
            thing=f"archive {archive.name}",
            expected="a readable zip file" if archive.suffix in (".whl", ".zip") else "a readable tar file",
            found=" ".join(f"{type(error).__name__}: {error}".split()),
            remedy="The pinned archive itself is damaged or of another kind than its name says; pin another.",
        ) from error


def _from_zip(archive: Path, wanted: Collection[str], limit: int) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    with zipfile.ZipFile(archive) as opened:
        present = {info.filename: info for info in opened.infolist() if not info.is_dir()}
        for path in wanted:
            if info := present.get(path):
                _check_size(archive, path, info.file_size, limit)
                # zipfile never yields more than the declared size, so the check above holds for what is read.
                found[path] = opened.read(info)
    return found


def _from_tar(archive: Path, wanted: Collection[str], limit: int) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    with tarfile.open(archive) as opened:
        for info in opened:
            # A link's bytes are another member's; pin that one.
            if info.name in wanted and info.isfile():
                _check_size(archive, info.name, info.size, limit)
                handle = opened.extractfile(info)
                if handle is not None:
                    found[info.name] = handle.read()
    return found


def _check_size(archive: Path, path: str, size: int, limit: int) -> None:
    if size > limit:
        raise SourceIntegrityError(
            thing=f"member {path} of {archive.name}",
            expected=f"at most {limit} bytes",
            found=f"{size} bytes declared",
            remedy="Records of this size do not belong in a package; pin another member.",
        )
