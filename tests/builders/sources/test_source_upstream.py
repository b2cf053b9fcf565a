"""A downloaded upstream release, read as it lies there."""

from __future__ import annotations

from pathlib import Path

import pytest

from scilaws_bench.errors import SourceIntegrityError, SourceUnavailableError
from scilaws_builders.sources import open_source


@pytest.fixture
def release(tmp_path: Path) -> Path:
    folder = tmp_path / "release/optics__index"
    (folder / "extra").mkdir(parents=True)
    for name in ("train.csv", "test.csv", "metadata.yaml", "extra/note.md"):
        (folder / name).write_bytes(name.encode())
    (tmp_path / "release/README.md").write_text("x")
    return tmp_path / "release"


def spec(problem: str) -> dict[str, str]:
    return {"kind": "upstream", "problem": problem}


def test_lists_and_reads_the_files_of_the_problem(release: Path, tmp_path: Path) -> None:
    files = open_source(spec("optics__index"), cache=tmp_path / "c", upstream=release, offline=True)
    assert files.names() == ("extra/note.md", "metadata.yaml", "test.csv", "train.csv")
    assert [files.read(name) for name in files.names()] == [name.encode() for name in files.names()]
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize("name", ["../README.md", "extra", "gone.csv"])
def test_reads_nothing_else(release: Path, tmp_path: Path, name: str) -> None:
    files = open_source(spec("optics__index"), cache=tmp_path, upstream=release)
    with pytest.raises(SourceIntegrityError, match=r"one of extra/note\.md"):
        files.read(name)


@pytest.mark.parametrize("problem", ["unknown", "..", "../release/optics__index", "README.md"])
def test_no_such_problem(release: Path, tmp_path: Path, problem: str) -> None:
    with pytest.raises(SourceUnavailableError, match="one folder a problem"):
        open_source(spec(problem), cache=tmp_path, upstream=release)


def test_no_folder_given(tmp_path: Path) -> None:
    with pytest.raises(SourceUnavailableError, match="import-upstream FOLDER"):
        open_source(spec("optics__index"), cache=tmp_path)


def test_file_that_vanished(release: Path, tmp_path: Path) -> None:
    files = open_source(spec("optics__index"), cache=tmp_path, upstream=release)
    (release / "optics__index/train.csv").unlink()
    with pytest.raises(SourceUnavailableError, match="No such file"):
        files.read("train.csv")
