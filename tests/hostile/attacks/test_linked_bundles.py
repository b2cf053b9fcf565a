"""A bundle whose law files are links to gold, so that scoring it shows what they hold in its error messages or records.

Imitates archives that made a judging server publish its own files. More shapes: tests/hostile/test_bundle_files.py and
test_bundle_archives.py.
"""

from __future__ import annotations

import os
import stat
import zipfile
from pathlib import Path

import pytest
from attack_kit import SENTINEL

from scilaws_bench.errors import SubmissionError
from scilaws_bench.submissions.files import read_bundle

GOLD_TEXT = f"TARGET = {SENTINEL!r}\n"


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.py"
    path.write_text(GOLD_TEXT)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "bundle"
    (path / "laws").mkdir(parents=True)
    (path / "submission.json").write_text("{}")
    return path


def absolute(folder: Path, gold: Path) -> None:
    (folder / "laws" / "law.py").symlink_to(gold)


def relative(folder: Path, gold: Path) -> None:
    (folder / "laws" / "law.py").symlink_to(Path("..", "..", gold.name))


def chained(folder: Path, gold: Path) -> None:
    (folder / "laws" / "a").symlink_to(gold)
    (folder / "laws" / "law.py").symlink_to("a")


def through_a_folder(folder: Path, gold: Path) -> None:
    (folder / "laws").rmdir()
    (folder / "laws").symlink_to(gold.parent)
    gold.rename(gold.with_name("law.py"))


def through_proc(folder: Path, gold: Path) -> None:
    (folder / "laws" / "law.py").symlink_to(f"/proc/self/root{gold}")


def through_a_descriptor(folder: Path, gold: Path) -> None:
    handle = os.open(gold, os.O_RDONLY)
    (folder / "laws" / "law.py").symlink_to(f"/proc/self/fd/{handle}")


LINKS = [absolute, relative, chained, through_a_folder, through_proc, through_a_descriptor]


@pytest.mark.parametrize("link", LINKS)
def test_a_link_is_not_followed(folder: Path, gold: Path, link: object) -> None:
    link(folder, gold)  # type: ignore[operator]
    assert (folder / "laws" / "law.py").read_text() == GOLD_TEXT  # the control: plain reading follows it
    found = read_bundle(folder)
    assert set(found.files) == {"submission.json"}
    assert any("link" in str(issue) for issue in found.issues), found.issues
    assert repr(SENTINEL) not in str(found.issues)


def test_a_link_in_an_archive_is_no_file(folder: Path, gold: Path) -> None:
    path = folder.with_suffix(".zip")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("submission.json", "{}")
        entry = zipfile.ZipInfo("laws/law.py")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, str(gold))
        archive.writestr("../gold.py", "x")
        archive.writestr(str(gold), "x")
    found = read_bundle(path)
    assert set(found.files) == {"submission.json"}
    assert len(found.issues) == 3
    assert gold.read_text() == GOLD_TEXT


def test_a_bundle_that_is_a_device(tmp_path: Path) -> None:
    for name in ("/dev/zero", "/dev/stdin", "/proc/self/environ"):
        with pytest.raises(SubmissionError):
            read_bundle(Path(name))


def test_a_file_swapped_for_a_link_while_it_is_read(folder: Path, gold: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The race: it was a plain file when it was looked at, and is a link when it is opened."""
    law = folder / "laws" / "law.py"
    law.write_text("x = 1\n")
    plain = os.open

    def swapped(path: object, flags: int, *rest: int, **options: int) -> int:
        if not law.is_symlink() and flags & os.O_DIRECTORY == 0:
            law.unlink()
            law.symlink_to(gold)
        return plain(path, flags, *rest, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", swapped)
    found = read_bundle(folder)
    assert repr(SENTINEL).encode() not in b"".join(found.files.values())
