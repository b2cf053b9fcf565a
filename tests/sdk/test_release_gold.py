"""Gold of a release: sealed, pinned, and bound to its task; wrong bytes, paths, phrases or tasks do not open."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scilaws_bench import strict_json
from scilaws_bench.errors import ReleaseError, SealError
from scilaws_bench.hashing import json_hash
from scilaws_bench.release import Release, open_release
from scilaws_bench.release.configs import sealed_path
from scilaws_bench.release.content import MANIFEST, manifest_hash
from scilaws_bench.release.gold import open_gold
from scilaws_bench.release.sealing import seal

TASK = "scilaws_real/optical-dispersion"
OTHER = "scilaws_real/bulk-modulus-atomic-volume"


@pytest.fixture
def copied(demo_folder: Path, tmp_path: Path) -> Path:
    """A release folder to spoil."""
    return Path(shutil.copytree(demo_folder, tmp_path / "release"))


def resealed(folder: Path, gold: dict[str, Any], task_id: str = TASK, *, pin: bool = True) -> Release:
    """Put other gold in the place of a task's, and (if `pin`) pin it in a manifest with a right hash."""
    path = sealed_path(task_id)
    (folder / path).write_bytes(seal(gold, path))
    manifest = strict_json.read(folder / MANIFEST)
    for entry in manifest["sealed"]:
        if entry["path"] == path and pin:
            entry["content_hash"] = json_hash(gold)
    strict_json.write(folder / MANIFEST, manifest | {"manifest_hash": manifest_hash(manifest)})
    return open_release(folder)


def test_gold_of_every_task_opens_and_is_bound_to_it(demo_release: Release) -> None:
    assert len(demo_release.tasks) == 6
    for task_id, task in demo_release.tasks.items():
        gold = open_gold(demo_release, task_id)
        assert (gold["task_id"], gold["task_hash"]) == (task_id, json_hash(task))
        rows = sum(len(group["scored"]["target"]) for group in gold["groups"])
        assert rows == task["scored"]["rows"]


def test_an_unknown_task_has_no_gold(demo_release: Release) -> None:
    with pytest.raises(ReleaseError, match="none of that name"):
        open_gold(demo_release, "scilaws_real/nothing")


def test_a_missing_file_is_named(copied: Path) -> None:
    (copied / sealed_path(TASK)).unlink()
    with pytest.raises(ReleaseError, match=r"optical-dispersion\.sealed.*a readable file"):
        open_gold(open_release(copied), TASK)


def test_altered_bytes_do_not_open(copied: Path) -> None:
    file = copied / sealed_path(TASK)
    content = file.read_bytes()
    release = open_release(copied)
    opened = []
    for position in [*range(80), *range(80, len(content), 97), *range(len(content) - 17, len(content))]:
        file.write_bytes(content[:position] + bytes([content[position] ^ 1]) + content[position + 1 :])
        try:
            open_gold(release, TASK)
        except SealError:
            continue
        opened.append(position)
    assert opened == []


def test_swapped_sealed_files_do_not_open(copied: Path) -> None:
    one, two = copied / sealed_path(TASK), copied / sealed_path(OTHER)
    first, second = one.read_bytes(), two.read_bytes()
    one.write_bytes(second)
    two.write_bytes(first)
    for task_id in (TASK, OTHER):
        with pytest.raises(SealError, match="sealed for this path"):
            open_gold(open_release(copied), task_id)


def test_a_wrong_phrase_does_not_open(demo_release: Release) -> None:
    with pytest.raises(SealError, match="give its phrase"):
        open_gold(demo_release, TASK, phrase="another")


def test_gold_that_is_sealed_again_is_not_the_pinned_one(copied: Path, demo_release: Release) -> None:
    gold = open_gold(demo_release, TASK) | {"train_median": 0.0}
    with pytest.raises(ReleaseError, match="content hash"):
        open_gold(resealed(copied, gold, pin=False), TASK)


@pytest.mark.parametrize("source", [TASK, OTHER])
def test_pinned_gold_of_another_task_or_version_is_refused(copied: Path, demo_release: Release, source: str) -> None:
    """grader_pitfalls 47: scores copied to the wrong board."""
    gold = open_gold(demo_release, source)
    assert open_gold(resealed(copied, open_gold(demo_release, TASK)), TASK)["task_id"] == TASK
    spoiled = gold | {"task_hash": "0" * 64} if source == TASK else gold
    with pytest.raises(ReleaseError, match=f"gold of {TASK}"):
        open_gold(resealed(copied, spoiled), TASK)


@pytest.mark.parametrize("change", [{"metric": "mae"}, {"more": 1}, {"schema": "scilaws-bench/gold/2"}, {"groups": []}])
def test_pinned_gold_that_breaks_its_schema_is_a_release_error(
    copied: Path, demo_release: Release, change: dict[str, Any]
) -> None:
    with pytest.raises(ReleaseError, match=r"optical-dispersion\.sealed at"):
        open_gold(resealed(copied, open_gold(demo_release, TASK) | change), TASK)


def test_no_file_of_a_release_shows_a_reference_law(demo_folder: Path, demo_release: Release) -> None:
    """grader_pitfalls 43, 53, the original harness: answer keys beside the tasks, readable."""
    sources = [
        law["source"] for task_id in demo_release.tasks for law in open_gold(demo_release, task_id)["references"]
    ]
    needles = [line.encode() for source in sources for line in source.splitlines() if len(line) > 30]
    assert len(needles) > 50
    for file in sorted(demo_folder.rglob("*")):
        content = file.read_bytes() if file.is_file() else b""
        assert not [needle for needle in needles if needle in content], file


@pytest.mark.parametrize("module", ["scilaws_bench.release", "scilaws_bench.laws", "scilaws_bench.sandbox"])
def test_the_solver_side_never_loads_the_reader_of_gold(module: str) -> None:
    code = f"import sys, {module}; print([name for name in sys.modules if name.endswith(('.gold', '.sealing'))])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
