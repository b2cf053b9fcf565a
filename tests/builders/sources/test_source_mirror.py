"""Finding pinned bytes in a folder, whatever they are called."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from sources_harness import sha256

from scilaws_bench.errors import SourceUnavailableError
from scilaws_builders.sources import mirror as mirror_module
from scilaws_builders.sources.mirror import Mirror


def test_only_files_of_the_size_are_hashed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    (tmp_path / "b").write_bytes(b"123456")
    hashed: list[str] = []

    def spy(path: Path, size: int, mtime_ns: int) -> str:
        hashed.append(path.name)
        return sha256(path.read_bytes())

    monkeypatch.setattr(mirror_module, "_digest", spy)
    assert Mirror(tmp_path).find_sized(sha256(b"123456"), 6) == tmp_path / "b"
    assert hashed == ["b"]


def test_right_hash_with_wrong_size_is_no_match(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    assert Mirror(tmp_path).find_sized(sha256(b"12345"), 6) is None


def test_a_file_changed_between_two_builds_is_hashed_anew(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    assert Mirror(tmp_path).find_sized(sha256(b"12345"), 5)
    (tmp_path / "a").write_bytes(b"54321")
    os.utime(tmp_path / "a", ns=(1, 1))
    assert Mirror(tmp_path).find_sized(sha256(b"12345"), 5) is None


def test_broken_links_do_not_matter(tmp_path: Path) -> None:
    (tmp_path / "broken").symlink_to(tmp_path / "nowhere")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    (tmp_path / "a").write_bytes(b"12345")
    assert Mirror(tmp_path).find_sized(sha256(b"12345"), 5) is not None


def test_a_file_that_vanishes_is_no_match(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    listed = Mirror(tmp_path)
    (tmp_path / "a").unlink()
    assert listed.find_sized(sha256(b"12345"), 5) is None


@pytest.mark.parametrize("path", ["missing", "file"])
def test_mirror_that_is_no_folder(tmp_path: Path, path: str) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(SourceUnavailableError, match="Correct the path"):
        Mirror(tmp_path / path)
