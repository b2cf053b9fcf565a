"""The content-addressed cache: heals altered entries, keeps nothing unfinished, says when it cannot work."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from sources_harness import sha256

from scilaws_bench.errors import SourceIntegrityError, SourceUnavailableError
from scilaws_builders.sources import default_cache
from scilaws_builders.sources.cache import ContentCache

DATA = b"records"
PIN = sha256(DATA)


def write(data: bytes, scratch: Path) -> Path:
    (scratch / "new").write_bytes(data)
    return scratch / "new"


def test_altered_entry_is_healed(tmp_path: Path) -> None:
    cache = ContentCache(tmp_path)
    path = cache.fetch("files", PIN, "data", lambda scratch: write(DATA, scratch))
    path.write_bytes(b"recor")
    assert cache.find("files", PIN, "data") is None
    assert cache.fetch("files", PIN, "data", lambda scratch: write(DATA, scratch)) == path
    assert path.read_bytes() == DATA
    assert [item.name for item in path.parent.iterdir()] == ["data"]


def test_a_failing_heal_does_not_bring_the_altered_entry_back(tmp_path: Path) -> None:
    cache = ContentCache(tmp_path)
    path = cache.fetch("files", PIN, "data", lambda scratch: write(DATA, scratch))
    path.write_bytes(b"recor")
    with pytest.raises(SourceIntegrityError, match=sha256(b"other")):
        cache.fetch("files", PIN, "data", lambda scratch: write(b"other", scratch))
    assert list(path.parent.iterdir()) == []


def test_present_entry_is_not_produced_again(tmp_path: Path) -> None:
    cache = ContentCache(tmp_path)
    cache.fetch("files", PIN, "data", lambda scratch: write(DATA, scratch))
    cache.fetch("files", PIN, "data", lambda scratch: pytest.fail("asked again"))


def test_entry_can_be_read_by_others(tmp_path: Path) -> None:
    path = ContentCache(tmp_path).fetch("files", PIN, "data", lambda scratch: write(DATA, scratch))
    assert path.stat().st_mode & 0o777 == 0o644


def test_threads_of_one_process_exclude_each_other(tmp_path: Path) -> None:
    cache, calls = ContentCache(tmp_path), []
    started = threading.Barrier(4)

    def produce(scratch: Path) -> Path:
        calls.append(scratch)
        return write(DATA, scratch)

    def work() -> None:
        started.wait(timeout=10)
        cache.fetch("files", PIN, "data", produce)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=10)
    assert len(calls) == 1


def test_unusable_folder_and_full_disk(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file, not a folder")
    with pytest.raises(SourceUnavailableError, match="SCILAWS_CACHE"):
        ContentCache(tmp_path / "taken").fetch("files", PIN, "data", lambda scratch: write(DATA, scratch))

    def full(scratch: Path) -> Path:
        raise OSError(28, "No space left on device")

    with pytest.raises(SourceUnavailableError, match="No space left"):
        ContentCache(tmp_path / "c").fetch("files", PIN, "data", full)


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"SCILAWS_CACHE": "/a", "XDG_CACHE_HOME": "/b"}, "/a/sources"),
        ({"XDG_CACHE_HOME": "/b"}, "/b/scilaws-bench/sources"),
        ({"SCILAWS_CACHE": "", "XDG_CACHE_HOME": ""}, "/home/x/.cache/scilaws-bench/sources"),
        ({}, "/home/x/.cache/scilaws-bench/sources"),
    ],
)
def test_default_cache(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], expected: str) -> None:
    monkeypatch.setenv("HOME", "/home/x")
    for name in ("SCILAWS_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert default_cache() == Path(expected)
