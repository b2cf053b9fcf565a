"""Bundles whose files attack the reader: links, pipes, climbing paths, and what is no bundle at all.

Guards against what issue 2 lists under "Bad input gets" and against pitfall 76 (one broken item
blocks all): the broken entry is named, the good answer beside it stays readable.
"""

from __future__ import annotations

import os
import socket
import stat
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bundle_kit import MEBIBYTE, OTHER_LAW, RawZip, check_refused, edit_answer
from scilaws_bench.release import Release
from scilaws_bench.submissions import files as bundle_files
from scilaws_bench.submissions import validate_submission

pytestmark = pytest.mark.usefixtures("never_hang")


def _sparse_gigabyte(file: Path) -> None:
    file.unlink()
    with file.open("wb") as stream:
        stream.truncate(1 << 30)


def _fifo(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def _socket(file: Path) -> None:
    file.unlink()
    here = Path.cwd()
    os.chdir(file.parent)  # socket addresses are short
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(file.name)
    finally:
        os.chdir(here)


def _device(file: Path) -> None:
    file.unlink()
    try:
        os.mknod(file, stat.S_IFCHR | 0o600, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("not run: this user can't make device files")


def _link(target: str) -> Callable[[Path], None]:
    def put(file: Path) -> None:
        file.unlink()
        file.symlink_to(target)

    return put


def _deep_folder(file: Path) -> None:
    file.unlink()
    here = os.open(file.parent, os.O_RDONLY)
    for _ in range(40):
        os.mkdir("d" * 200, dir_fd=here)
        below = os.open("d" * 200, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)


FOLDERS: dict[str, tuple[Callable[[Path], None], str]] = {
    "1 GB answer": (_sparse_gigabyte, "more than 16,777,216 bytes"),
    "pipe": (_fifo, "a special file"),
    "socket": (_socket, "a special file"),
    "endless device": (_device, "a special file"),
    "link to a secret": (_link("/etc/passwd"), "a symbolic link"),
    "link to an endless device": (_link("/dev/zero"), "a symbolic link"),
    "link inside the bundle": (_link("../../submission.json"), "a symbolic link"),
    "link to itself": (_link(Path(OTHER_LAW).name), "a symbolic link"),
    "folder beyond the longest path": (_deep_folder, "unreadable: File name too long"),
}


@pytest.mark.parametrize("attack", FOLDERS)
def test_folder_entry_is_refused_alone(attack: str, bundle: Path, small_release: Release) -> None:
    spoil, expected = FOLDERS[attack]
    spoil(bundle / OTHER_LAW)
    check_refused(bundle, small_release, expected, memory=4 * MEBIBYTE)


def test_linked_folder_is_refused_and_its_answers_say_why(bundle: Path, small_release: Release) -> None:
    outside = bundle.parent / "outside"
    (bundle / "laws").rename(outside)
    (bundle / "laws").symlink_to(outside)
    issues = [str(issue) for issue in validate_submission(bundle, small_release)]
    assert issues[0].startswith("laws: expected a plain file in the bundle; found a symbolic link")
    assert all("found a symbolic link" in issue for issue in issues)
    assert len(issues) == 3


def test_unreadable_folder_is_named_not_passed_over(small_release: Release) -> None:
    """`Path.rglob` skips what it may not read without a word."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "records" / "locked").mkdir(parents=True)
        folder.chmod(0o755)
        (folder / "records" / "locked").chmod(0)
        user = os.geteuid()
        if user == 0:
            os.seteuid(65534)
        try:
            found = bundle_files.read_bundle(folder)
        finally:
            os.seteuid(user)
        (folder / "records" / "locked").chmod(0o700)
    assert found.refused == {"records/locked": "unreadable: Permission denied"}


@pytest.mark.parametrize("exchange", [_link("/etc/passwd"), _fifo], ids=["link", "pipe"])
def test_file_exchanged_between_listing_and_reading_is_refused(
    exchange: Callable[[Path], None], bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = bundle_files._folder_entries

    def then_exchanged(folder: Path) -> Iterator[object]:
        yield from list(listed(folder))
        exchange(bundle / OTHER_LAW)

    monkeypatch.setattr(bundle_files, "_folder_entries", then_exchanged)
    read = bundle_files.read_bundle(bundle)
    assert OTHER_LAW not in read.files
    assert read.refused[OTHER_LAW] in ("unreadable: Too many levels of symbolic links", "a special file")


def test_file_names_that_are_no_text_are_escaped(bundle: Path, small_release: Release) -> None:
    folder = os.fsencode(bundle)
    for name in (b"\xff\xfe", b"\x1b[2Jgone", b"two\nlines"):
        os.mkfifo(folder + b"/" + name)
    shown = {issue.path for issue in validate_submission(bundle, small_release)}
    assert shown == {r"\udcff\udcfe", r"\x1b[2Jgone", r"two\nlines"}


def _long_directory(file: Path) -> None:
    """A list of files as long as a zip file may have: 64 MiB here, in a file that takes no space."""
    end = b"PK\5\6" + b"\0" * 4 + b"\1\0\1\0" + (64 * MEBIBYTE).to_bytes(4, "little") + b"\0" * 6
    with file.open("wb") as stream:
        stream.truncate(64 * MEBIBYTE)
        stream.seek(0, os.SEEK_END)
        stream.write(end)


WHOLE: dict[str, Callable[[Path], object]] = {
    "nothing there": lambda file: None,
    "empty file": lambda file: file.write_bytes(b""),
    "text": lambda file: file.write_text("submission.json"),
    "noise": lambda file: file.write_bytes(bytes(range(256)) * 40),
    "end without directory": lambda file: file.write_bytes(b"PK\5\6" + b"\xff" * 18),
    "name that is not UTF-8": lambda file: _raw(file, b"\xff\xfe", flags=0x800),
    "endless list of files": _long_directory,
    "pipe": os.mkfifo,
    "dangling link": lambda file: file.symlink_to("nowhere"),
    "empty folder": lambda file: file.mkdir(),
    "manifest is a folder": lambda file: (file / "submission.json").mkdir(parents=True),
    "manifest is a link": lambda file: (file.mkdir(), (file / "submission.json").symlink_to("/etc/passwd")),
    "two manifests": lambda file: (
        file.mkdir(),
        (file / "submission.json").touch(),
        (file / "Submission.json").touch(),
    ),
}


def _raw(file: Path, name: bytes, **stated: int) -> None:
    archive = RawZip()
    archive.add(name, b"x", **stated)
    archive.write(file)


@pytest.mark.parametrize("what", WHOLE)
def test_what_is_no_bundle_is_one_clear_issue(what: str, small_release: Release, tmp_path: Path) -> None:
    WHOLE[what](tmp_path / "it")
    tracemalloc.start()
    (issue,) = validate_submission(tmp_path / "it", small_release)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 * MEBIBYTE
    assert all(issue.to_json().values()), issue
    assert str(issue).isprintable()


@pytest.mark.parametrize("path", ["x" * 5000, "a/" * 3000, "nul\0byte", "\x1b[2J"])
def test_paths_that_cannot_be_are_one_clear_issue(path: str, small_release: Release) -> None:
    (issue,) = validate_submission(Path(path), small_release)
    assert str(issue).isprintable()
    assert len(issue.path) < 300


def test_paths_in_the_manifest_never_leave_the_bundle(bundle: Path, small_release: Release) -> None:
    for path in ("../../../etc/passwd", "/etc/passwd", "laws/../../x.py", "laws//x.py", "laws/x.py\n", "C:\\x.py", ""):
        edit_answer(bundle, path=path)
        check_refused(bundle, small_release, "submission.json at $.answers[1].path")
