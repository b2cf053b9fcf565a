"""Read a bundle, folder or zip, without trusting anything in it.

Nothing is extracted or followed: symlinks, absolute or climbing paths, special files, oversized
files, zip bombs and ambiguous names are refused one by one, and the rest of the bundle is read.
Sizes are checked on the bytes that are really read, not on what an archive header claims.
"""

from __future__ import annotations

import io
import itertools
import os
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from scilaws_bench.errors import SubmissionError
from scilaws_bench.plain_text import printable
from scilaws_bench.schemas import Issue

MANIFEST = "submission.json"
MAX_FILES = 20_000
MAX_FILE_BYTES = 16 << 20
MAX_TOTAL_BYTES = 512 << 20
_MAX_ZIP_DIRECTORY_BYTES = 8 << 20
_BLOCK = 1 << 20
_SHOWN = 200
_ZIP_FAULTS = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    struct.error,
    EOFError,
    RuntimeError,
    ValueError,
    OverflowError,
)


@dataclass(frozen=True)
class BundleFiles:
    """Contents of a bundle by relative path, and the faults of entries that were refused.

    Issue paths are shortened and escaped for printing; `refused` has the same faults by the exact path.
    """

    files: dict[str, bytes]
    issues: tuple[Issue, ...]
    refused: dict[str, str]

    def why_missing(self, path: str) -> str:
        """Why there is no content for a path: it, or a folder above it, was refused, or it is not there."""
        parts = path.split("/")
        above = ("/".join(parts[:end]) for end in range(len(parts), 0, -1))
        return next((self.refused[name] for name in above if name in self.refused), "no such file")


def read_bundle(path: Path) -> BundleFiles:
    """All acceptable files of a bundle.

    `path` itself may lead through symlinks; nothing below it may be one.

    Raises:
        SubmissionError: nothing there, neither folder nor zip, or more than 20,000 entries.
    """
    where = f"submission {printable(str(path), _SHOWN)}"
    try:
        if path.is_dir():
            return _collect(_folder_entries(path), where)
        if not path.is_file():
            found = "something else" if path.exists() else "nothing there"
            raise SubmissionError(where, "a folder or a zip file", found, "Check the path.")
        with _ZipStream(path) as stream, zipfile.ZipFile(stream) as archive:
            return _collect(_zip_entries(archive), where)
    except SubmissionError:
        raise
    except _ZIP_FAULTS as error:
        raise SubmissionError(where, "a folder or a readable zip file", _text(error), "Zip it again.") from None
    except OSError as error:
        raise SubmissionError(where, "a readable folder or zip file", _text(error), "Check the path.") from None


@dataclass(frozen=True)
class _Entry:
    name: str
    fault: str
    size: int = 0
    blocks: Callable[[], Iterator[bytes]] = lambda: iter(())


class _Refused(Exception):  # noqa: N818 - a fault of the bundle, not an error of this program
    """Why an entry is left out."""


def _collect(entries: Iterator[_Entry | None], where: str) -> BundleFiles:
    """Read entries (None: a folder), the manifest first, then small files before large.

    So a bundle that is too large loses its largest files, not its answers.
    """
    found = list(itertools.islice(entries, MAX_FILES + 1))
    if len(found) > MAX_FILES:
        raise SubmissionError(where, f"at most {MAX_FILES:,} files and folders", "more", "Remove some.")
    listed = [entry for entry in found if entry is not None]
    spellings = Counter(_spelling(entry.name) for entry in listed)
    files: dict[str, bytes] = {}
    refused: dict[str, str] = {}
    left = MAX_TOTAL_BYTES
    for entry in sorted(listed, key=lambda entry: (entry.name != MANIFEST, entry.size, entry.name)):
        content = bytearray()
        try:
            if entry.fault:
                raise _Refused(entry.fault)
            if spellings[_spelling(entry.name)] > 1:
                raise _Refused("a name that occurs twice, or twice but for case")
            _fill(content, entry, left)
        except _Refused as reason:
            refused[entry.name] = str(reason)
        else:
            files[entry.name] = bytes(content)
        left -= len(content)
    issues = (
        Issue(printable(name, _SHOWN), "a plain file in the bundle", reason, "Mend or remove it.")
        for name, reason in sorted(refused.items())
    )
    return BundleFiles(files, tuple(issues), refused)


def _fill(content: bytearray, entry: _Entry, left: int) -> None:
    """Append the bytes of an entry; what was read counts against the bundle even if the entry is refused."""
    too_large = f"more than {MAX_FILE_BYTES:,} bytes"
    too_much = f"beyond the {MAX_TOTAL_BYTES:,} bytes of a bundle"
    if entry.size > MAX_FILE_BYTES:
        raise _Refused(too_large)
    if entry.size > left:
        raise _Refused(too_much)
    try:
        for block in entry.blocks():
            content += block
            if len(content) > MAX_FILE_BYTES:
                raise _Refused(too_large)
            if len(content) > left:
                raise _Refused(too_much)
    except (*_ZIP_FAULTS, OSError) as error:
        raise _Refused(f"unreadable: {_text(error)}") from None


def _folder_entries(folder: Path) -> Iterator[_Entry | None]:
    waiting = [folder]
    while waiting:
        parent = waiting.pop()
        try:
            with os.scandir(parent) as listing:
                found = sorted(itertools.islice(listing, MAX_FILES + 1), key=lambda item: item.name)
        except OSError as error:
            if parent == folder:
                raise
            yield _Entry(parent.relative_to(folder).as_posix(), f"unreadable: {_text(error)}")
            continue
        for item in found:
            path = Path(item.path)
            if item.is_dir(follow_symlinks=False):
                waiting.append(path)
                yield None
            else:
                yield _folder_entry(path, path.relative_to(folder).as_posix())


def _folder_entry(path: Path, name: str) -> _Entry:
    try:
        status = path.lstat()
    except OSError as error:
        return _Entry(name, f"unreadable: {_text(error)}")
    if stat.S_ISLNK(status.st_mode):
        return _Entry(name, "a symbolic link")
    if not stat.S_ISREG(status.st_mode):
        return _Entry(name, "a special file")
    return _Entry(name, "", status.st_size, lambda: _file_blocks(path))


def _file_blocks(path: Path) -> Iterator[bytes]:
    """Blocks of a regular file; it may have been exchanged since it was listed, so links and pipes are refused here."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as stream:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise _Refused("a special file")
        while block := stream.read(_BLOCK):
            yield block


class _ZipStream(io.FileIO):
    """A zip file whose list of entries, which zipfile reads in one piece, can't fill the memory."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)

    def read(self, size: int | None = -1, /) -> bytes:
        """As FileIO, and BadZipFile where more is asked for than the list of 20,000 files takes."""
        if size is not None and size > _MAX_ZIP_DIRECTORY_BYTES:
            raise zipfile.BadZipFile("a list of files that is too long")
        return super().read(size) or b""


def _zip_entries(archive: zipfile.ZipFile) -> Iterator[_Entry | None]:
    for info in archive.infolist():
        # not is_dir(), which raises IndexError for an empty name
        yield None if info.filename.endswith("/") else _zip_entry(archive, info)


def _zip_entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> _Entry:
    return _Entry(info.orig_filename, _zip_fault(info), info.file_size, lambda: _zip_blocks(archive, info))


def _zip_fault(info: zipfile.ZipInfo) -> str:
    name, kind = info.orig_filename, stat.S_IFMT(info.external_attr >> 16)
    if stat.S_ISLNK(kind):
        return "a symbolic link"
    if kind and not stat.S_ISREG(kind):
        return "a special file"
    if "\0" in name or "\\" in name:
        return "a name with a backslash or NUL character"
    if name.startswith("/") or ":" in name.split("/")[0] or any(part in ("", ".", "..") for part in name.split("/")):
        return "a path that leaves the bundle"
    if info.flag_bits & 0x1:
        return "an encrypted entry"
    # bzip2 and lzma unpack a whole input block at once, however large it becomes
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "a compression method other than deflate"
    return ""


def _zip_blocks(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    with archive.open(info) as stream:
        while block := stream.read(_BLOCK):
            yield block


def _spelling(name: str) -> str:
    """Names that are one file on some file systems have one spelling."""
    return unicodedata.normalize("NFC", name).casefold()


def _text(error: BaseException) -> str:
    text = (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
    return printable(text, _SHOWN)
