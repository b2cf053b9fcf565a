"""Bundles for tests: a release of two tasks, honest bundles for it, and zip files no zip program would write."""

from __future__ import annotations

import shutil
import signal
import struct
import time
import tracemalloc
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from scilaws_bench import strict_json
from scilaws_bench.baselines import baseline_laws
from scilaws_bench.hashing import bytes_hash, json_hash, table_hash
from scilaws_bench.release import Release, open_release
from scilaws_bench.release.content import manifest_hash
from scilaws_bench.sandbox import Sandbox
from scilaws_bench.scoring import Anchors
from scilaws_bench.submissions import create_submission, load_submission, score_submission, validate_submission
from scilaws_bench.submissions.bundle import SCORECARD, claim_scorecard
from scilaws_builders.release_build.tables import task_table

GOOD = "scilaws_real/bulk-modulus-atomic-volume"
OTHER = "scilaws_real/optical-dispersion"
MEBIBYTE = 1 << 20
OTHER_LAW = f"laws/{OTHER}.py"


@pytest.fixture
def never_hang() -> Iterator[None]:
    """End a test that waits for ever."""
    signal.alarm(60)
    yield
    signal.alarm(0)


@pytest.fixture(scope="session")
def small_release(demo_release: Release, tmp_path_factory: pytest.TempPathFactory) -> Release:
    """The single-group task GOOD and the multi-group task OTHER of the demo edition, as a release of their own."""
    folder = tmp_path_factory.mktemp("small") / "release"
    tasks = [demo_release.tasks[task_id] for task_id in (GOOD, OTHER)]
    manifest = strict_json.read(demo_release.path / "manifest.json")
    configs = {task["records"]["config"] for task in tasks}
    manifest["sealed"] = [entry for entry in manifest["sealed"] if entry["task_id"] in (GOOD, OTHER)]
    manifest["tables"] = [entry for entry in manifest["tables"] if entry["config"] in {"scilaws_real", *configs}]
    for entry in [*manifest["sealed"], *manifest["tables"]]:
        (folder / entry["path"]).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(demo_release.path / entry["path"], folder / entry["path"])
    listed = next(entry for entry in manifest["tables"] if entry["config"] == "scilaws_real")
    pq.write_table(task_table(tasks), folder / listed["path"])
    listed |= {"rows": len(tasks), "content_hash": table_hash(task_table(tasks))}
    manifest["suites"]["scilaws_real"] |= {"tasks": 2, "single": 1, "multi": 1}
    manifest["manifest_hash"] = manifest_hash(manifest)
    strict_json.write(folder / "manifest.json", manifest)
    return open_release(folder)


@pytest.fixture(scope="session")
def anchors() -> dict[str, Anchors]:
    """What the reference laws reach, computed by the first test that needs it."""
    return {}


@pytest.fixture
def bundle(tmp_path: Path, small_release: Release) -> Path:
    """A bundle folder with the naive law for both tasks and one record; nothing claimed."""
    return write_bundle(tmp_path / "bundle", small_release)


@pytest.fixture(scope="session")
def _scored(
    small_release: Release, sandbox: Sandbox, anchors: dict[str, Anchors], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = write_bundle(tmp_path_factory.mktemp("scored") / "bundle", small_release)
    claim_scorecard(folder, score_submission(load_submission(folder), small_release, sandbox, anchors=anchors))
    return folder


@pytest.fixture
def scored_bundle(_scored: Path, tmp_path: Path) -> Path:
    """A copy of an honestly scored bundle, for the test to spoil."""
    return Path(shutil.copytree(_scored, tmp_path / "scored"))


def write_bundle(folder: Path, release: Release, laws: dict[str, str] | None = None, name: str = "honest") -> Path:
    """Write a bundle folder; the naive law everywhere unless told otherwise."""
    create_submission(
        folder,
        release,
        baseline_laws("naive", release) if laws is None else laws,
        name=name,
        system={"name": "median", "kind": "baseline", "details": ""},
        submitter={"name": "tests", "contact": ""},
        created="2025-01-31",
        records={"log.txt": (b"what happened\n", "log")},
    )
    return folder


def edit_manifest(folder: Path, **changes: Any) -> dict[str, Any]:
    """Change top-level keys of a bundle's `submission.json`; returns the new manifest."""
    manifest: dict[str, Any] = strict_json.read(folder / "submission.json") | changes
    (folder / "submission.json").write_text(strict_json.dumps(manifest))
    return manifest


def edit_answer(folder: Path, answer_to: str = OTHER, **changes: Any) -> None:
    """Change the entry of one answer in the manifest."""
    manifest = strict_json.read(folder / "submission.json")
    next(answer for answer in manifest["answers"] if answer["task_id"] == answer_to).update(changes)
    (folder / "submission.json").write_text(strict_json.dumps(manifest))


def replace_law(folder: Path, content: bytes, task_id: str = OTHER) -> None:
    """Put another law into a bundle, with its right hash in the manifest."""
    (folder / f"laws/{task_id}.py").write_bytes(content)
    edit_answer(folder, task_id, sha256=bytes_hash(content))


def edit_scorecard(folder: Path, **changes: Any) -> dict[str, Any]:
    """Change top-level keys of a claimed scorecard and claim the changed one."""
    scorecard: dict[str, Any] = strict_json.read(folder / SCORECARD) | changes
    claim_scorecard(folder, scorecard)
    return scorecard


def zip_bundle(folder: Path, target: Path, extra: dict[str, bytes] | None = None) -> Path:
    """An ordinary zip of a bundle folder, with extra entries at its end."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            archive.write(file, file.relative_to(folder).as_posix())
        for name, content in (extra or {}).items():
            archive.writestr(name, content)
    return target


@dataclass
class RawZip:
    """A zip file written entry by entry, with whatever the headers are told to say."""

    body: bytearray = field(default_factory=bytearray)
    directory: bytearray = field(default_factory=bytearray)
    count: int = 0
    offsets: dict[bytes, int] = field(default_factory=dict)

    @classmethod
    def of(cls, folder: Path) -> RawZip:
        """One with the files of a bundle folder in it, honestly."""
        archive = cls()
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            archive.add(file.relative_to(folder).as_posix().encode(), file.read_bytes())
        return archive

    def add(self, name: bytes, content: bytes, **stated: int) -> None:
        """Add a local record and its entry; `stated` overrides method, size, packed_size, crc, flags, mode."""
        method = stated.get("method", zipfile.ZIP_STORED)
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        packed = packer.compress(content) + packer.flush() if method == zipfile.ZIP_DEFLATED else content
        self.offsets[name] = len(self.body)
        self.body += self._local(name, content, packed, stated) + packed
        self.list(name, content, packed, self.offsets[name], **stated)

    def list(self, name: bytes, content: bytes, packed: bytes, offset: int, **stated: int) -> None:
        """Add a directory entry that points to a record anywhere."""
        fixed = (0x031E, 20, *self._fields(content, packed, stated), len(name), 0, 0, 0, 0)
        entry = struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, *fixed, stated.get("mode", 0) << 16, offset)
        self.directory += entry + name
        self.count += 1

    def write(self, target: Path) -> Path:
        """Write the file."""
        end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, *(self.count,) * 2, len(self.directory), len(self.body), 0)
        target.write_bytes(self.body + self.directory + end)
        return target

    def _local(self, name: bytes, content: bytes, packed: bytes, stated: dict[str, int]) -> bytes:
        return struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, *self._fields(content, packed, stated), len(name), 0) + name

    @staticmethod
    def _fields(content: bytes, packed: bytes, stated: dict[str, int]) -> tuple[int, ...]:
        return (
            stated.get("flags", 0),
            stated.get("method", zipfile.ZIP_STORED),
            0,
            0,
            stated.get("crc", zlib.crc32(content)),
            stated.get("packed_size", len(packed)),
            stated.get("size", len(content)),
        )


def check_refused(
    path: Path, release: Release, expected: str, memory: int = 40 * MEBIBYTE, seconds: float = 10.0
) -> None:
    """The fault is among the issues, the good answer is readable, and neither took long or much."""
    tracemalloc.start()
    started = time.monotonic()
    submission = load_submission(path)
    assert time.monotonic() - started < 10.0
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < memory
    issues = [str(issue) for issue in validate_submission(path, release)]
    assert any(expected in issue for issue in issues), issues
    assert all(issue.isprintable() for issue in issues)
    assert "def predict" in submission.law(submission.answers[GOOD])


def task_hash_of(release: Release, task_id: str) -> str:
    """Hash of a public task, as manifests state it."""
    return json_hash(release.tasks[task_id])
