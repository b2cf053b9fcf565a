"""Zip files that attack the reader: climbing paths, bombs, overlapping, lying, encrypted and ambiguous entries.

Guards against issue 2, "Bad input gets" (path traversal, zip bombs), and pitfall 76 (one broken
item blocks all): the broken entry is named, the good answer beside it stays readable.
"""

from __future__ import annotations

import io
import stat
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from bundle_kit import GOOD, MEBIBYTE, OTHER_LAW, RawZip, check_refused, zip_bundle
from scilaws_bench.errors import SubmissionError
from scilaws_bench.release import Release
from scilaws_bench.submissions import files as bundle_files
from scilaws_bench.submissions import load_submission, validate_submission

pytestmark = pytest.mark.usefixtures("never_hang")


@pytest.mark.parametrize("count", [bundle_files.MAX_FILES + 1])
def test_too_many_files_are_refused_as_a_whole(count: int, bundle: Path, tmp_path: Path) -> None:
    archive = RawZip()
    for number in range(count):
        archive.list(b"records/%d" % number, b"", b"", 0)
    with pytest.raises(SubmissionError, match="at most 20,000 files"):
        load_submission(archive.write(tmp_path / "many.zip"))


def test_a_bundle_that_is_too_large_loses_its_largest_files(
    bundle: Path, small_release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundle_files, "MAX_TOTAL_BYTES", 3 * MEBIBYTE)
    bombs = {f"a-bomb-{number}": b"\0" * MEBIBYTE for number in range(50)}
    check_refused(
        zip_bundle(bundle, tmp_path / "bundle.zip", bombs), small_release, "beyond the 3,145,728 bytes of a bundle"
    )


Attack = Callable[[RawZip], None]
LAW = OTHER_LAW.encode()
DEFLATED = zipfile.ZIP_DEFLATED


def _add(name: bytes, content: bytes = b"x", **stated: int) -> Attack:
    return lambda archive: archive.add(name, content, **stated)


def _doubled(archive: RawZip) -> None:
    archive.add(LAW, b"import os")


def _one_record_listed_often(archive: RawZip) -> None:
    packed = bytes(archive.body)
    for _ in range(1000):
        archive.list(b"records/log.txt", packed, packed, archive.offsets[b"records/log.txt"])


def _overlapping(archive: RawZip) -> None:
    """Each stored record holds all records after it, so that 8 MiB of zeros are read a hundred times."""
    records = RawZip()
    records.add(b"records/99", b"\0" * (8 * MEBIBYTE), method=DEFLATED)
    body, parts = bytes(records.body), []
    for number in reversed(range(99)):
        layer = RawZip()
        layer.add(b"records/%02d" % number, body)
        parts.append((b"records/%02d" % number, body))
        body = bytes(layer.body)
    start = len(archive.body)
    archive.body += body
    for name, content in parts:
        archive.list(name, content, content, start + len(body) - len(content) - 30 - len(name))


def _bomb(method: int) -> Attack:
    def add(archive: RawZip) -> None:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", method) as made:
            made.writestr("x", b"\0" * (64 * MEBIBYTE))
        with zipfile.ZipFile(packed) as made:
            size = made.getinfo("x").compress_size
        content = packed.getvalue()[31 : 31 + size]
        archive.add(b"records/bomb", content, method=method, size=1000)

    return add


ARCHIVES: dict[str, tuple[Attack, str]] = {
    "climbing path": (_add(b"../../etc/cron.d/x"), "a path that leaves the bundle"),
    "climbing inside": (_add(b"laws/../../x"), "a path that leaves the bundle"),
    "absolute path": (_add(b"/etc/passwd"), "a path that leaves the bundle"),
    "drive letter": (_add(b"C:/x"), "a path that leaves the bundle"),
    "backslashes": (_add(b"..\\..\\x"), "a backslash or NUL"),
    "NUL in a name": (_add(LAW + b"\0.txt"), "a backslash or NUL"),
    "link": (_add(b"laws/link.py", b"/etc/passwd", mode=stat.S_IFLNK | 0o777), "a symbolic link"),
    "pipe": (_add(b"laws/pipe.py", mode=stat.S_IFIFO | 0o600), "a special file"),
    "encrypted entry": (_add(b"records/secret", flags=1), "an encrypted entry"),
    "doubled name": (_doubled, "a name that occurs twice"),
    "doubled but for case": (_add(LAW.upper()), "twice but for case"),
    "escapes in a name": (_add(b"\x1b[31mred\n", mode=stat.S_IFIFO), r"\x1b[31mred\n"),
    "1 GB stated": (_add(b"records/large", size=1 << 30), "more than 16,777,216 bytes"),
    "17 MiB packed small": (_add(b"records/large", b"\0" * 17 * MEBIBYTE, method=DEFLATED), "more than 16,777,216"),
    "size stated too small": (_add(b"records/lie", b"\0" * MEBIBYTE, method=DEFLATED, size=10), "unreadable: Bad CRC"),
    "size stated too large": (_add(b"records/lie", b"abc", packed_size=1 << 24, size=1 << 24), "unreadable"),
    "wrong checksum": (_add(b"records/torn", b"abc", crc=1), "unreadable: Bad CRC"),
    "damaged compression": (lambda archive: archive.add(b"records/junk", b"\xff" * 9, method=0x63), "other than"),
    "record listed often": (_one_record_listed_often, "a name that occurs twice"),
    "bzip2 bomb": (_bomb(zipfile.ZIP_BZIP2), "a compression method other than deflate"),
    "lzma bomb": (_bomb(zipfile.ZIP_LZMA), "a compression method other than deflate"),
}


@pytest.mark.parametrize("attack", ARCHIVES)
def test_zip_entry_is_refused_alone(attack: str, bundle: Path, small_release: Release, tmp_path: Path) -> None:
    spoil, expected = ARCHIVES[attack]
    archive = RawZip.of(bundle)
    spoil(archive)
    check_refused(archive.write(tmp_path / "bundle.zip"), small_release, expected)


def test_corrupt_deflate_data_is_refused_alone(bundle: Path, small_release: Release, tmp_path: Path) -> None:
    archive = RawZip.of(bundle)
    archive.add(b"records/noise", bytes(range(256)) * 64, method=DEFLATED)
    archive.body[-200:] = b"\xff" * 200
    check_refused(archive.write(tmp_path / "bundle.zip"), small_release, "unreadable: Error -3")


def test_overlapping_entries_cannot_read_without_end(
    bundle: Path, small_release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundle_files, "MAX_TOTAL_BYTES", 256 << 10)
    archive = RawZip.of(bundle)
    _overlapping(archive)
    read = bundle_files.read_bundle(archive.write(tmp_path / "bundle.zip"))
    assert sum(map(len, read.files.values())) <= 256 << 10
    assert f"laws/{GOOD}.py" in read.files
    assert any(reason.startswith(("beyond the", "unreadable: Overlapped")) for reason in read.refused.values())


def test_nested_bomb_is_kept_as_bytes_and_never_opened(bundle: Path, small_release: Release, tmp_path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", DEFLATED) as archive:
        archive.writestr("inner", b"\0" * (64 * MEBIBYTE))
    path = zip_bundle(bundle, tmp_path / "bundle.zip", {"records/inner.zip": inner.getvalue()})
    tracemalloc.start()
    assert load_submission(path).bundle.files["records/inner.zip"] == inner.getvalue()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * MEBIBYTE
    assert validate_submission(path, small_release) == []
