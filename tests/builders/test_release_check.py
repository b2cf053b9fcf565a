"""`release check`: each way to alter a release or to leak its gold is named (grader pitfalls 43, 50, 53, 66, 73)."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_problems import SmallProblem, only_problems_below

from scilaws_bench import strict_json
from scilaws_bench.hashing import json_hash, table_hash
from scilaws_bench.release import open_release
from scilaws_bench.release.content import manifest_hash
from scilaws_bench.release.gold import open_gold
from scilaws_bench.release.sealing import CANARY, seal
from scilaws_builders.release_build import BuildOptions, build_release, check_release
from scilaws_builders.release_build.tables import task_table

TASK = "scilaws_real/small-multi"
GOLD = f"gold/{TASK}.sealed"
RECORDS = "records/small-multi/train-00000-of-00001.parquet"
TASKS = "scilaws_real/test-00000-of-00001.parquet"
Alter = Callable[[Path], object]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of two small problems, one with a published value. Treat as read-only."""
    root = tmp_path_factory.mktemp("sound")
    single, multi = SmallProblem(root), SmallProblem(root, multi=True, name="small_multi")
    single.write()
    stated = {"law": "local_slope", "published": 0.1, "basis": "pooled", "tolerance": 0.5, "where": "here"}
    multi.write(lambda spec: spec.update(reproduction=stated))
    with only_problems_below(root), ThreadPoolExecutor(1) as pool:
        build_release(BuildOptions("public", root / "out", single.places), executor=pool)
    return root / "out"


@pytest.fixture
def folder(tmp_path: Path, sound: Path) -> Path:
    """A copy of that release, to be altered."""
    return Path(shutil.copytree(sound, tmp_path / "release"))


def _gold(folder: Path) -> dict[str, Any]:
    return open_gold(open_release(folder), TASK)


def _append(name: str, text: Callable[[Path], str]) -> Alter:
    def alter(folder: Path) -> None:
        with (folder / name).open("a", encoding="utf-8") as stream:
            stream.write(text(folder))

    return alter


def _rehashed(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the manifest and give it the hash of its new content, as someone who means it would."""
    manifest = strict_json.read(folder / "manifest.json")
    change(manifest)
    manifest["manifest_hash"] = manifest_hash(manifest)
    strict_json.write(folder / "manifest.json", manifest)


def _rewritten(folder: Path, name: str, table: pa.Table, *, rehash: bool) -> None:
    pq.write_table(table, folder / name)

    def change(manifest: dict[str, Any]) -> None:
        entry = next(entry for entry in manifest["tables"] if entry["path"] == name)
        entry.update(content_hash=table_hash(table), rows=table.num_rows)

    if rehash:
        _rehashed(folder, change)


def _one_value_more(folder: Path) -> None:
    table = pq.read_table(folder / RECORDS, partitioning=None)
    values = table.column("y").to_numpy().copy()
    values[7] = np.nextafter(values[7], np.inf)
    _rewritten(folder, RECORDS, table.set_column(2, "y", pa.array(values)), rehash=False)


def _held_out_group_in_training(folder: Path) -> None:
    table = pq.read_table(folder / RECORDS, partitioning=None)
    group = _gold(folder)["groups"][0]["group"]
    numbers = table.column("group_id").to_pylist()
    moved = pa.array([group, *numbers[1:]], type=pa.int64())
    _rewritten(folder, RECORDS, table.set_column(0, "group_id", moved), rehash=True)


def _changed_task(change: Callable[[Path, dict[str, Any]], object], *, rehash: bool, rebind: bool = True) -> Alter:
    """A task that is changed, its table and gold pinned anew or not."""

    def alter(folder: Path) -> None:
        gold, tasks = _gold(folder), open_release(folder).tasks
        change(folder, tasks[TASK])
        _rewritten(folder, TASKS, task_table(list(tasks.values())), rehash=rehash)
        if rehash and rebind:
            _reseal(folder, gold | {"task_hash": json_hash(tasks[TASK])})

    return alter


def _reseal(folder: Path, gold: dict[str, Any], *, rehash: bool = True) -> None:
    (folder / GOLD).write_bytes(seal(gold, GOLD))

    def change(manifest: dict[str, Any]) -> None:
        entry = next(entry for entry in manifest["sealed"] if entry["path"] == GOLD)
        entry["content_hash"] = json_hash(gold)

    if rehash:
        _rehashed(folder, change)


def _other_median(folder: Path) -> None:
    gold = _gold(folder)
    _reseal(folder, gold | {"train_median": gold["train_median"] + 1.0}, rehash=False)


def _flipped(name: str) -> Alter:
    def alter(folder: Path) -> None:
        content = bytearray((folder / name).read_bytes())
        content[-20] ^= 1
        (folder / name).write_bytes(content)

    return alter


def _other_gold(folder: Path) -> None:
    (folder / GOLD).write_bytes((folder / "gold/scilaws_real/small-single.sealed").read_bytes())


def _linked(folder: Path) -> None:
    """The very same bytes, kept outside."""
    shutil.move(folder / RECORDS, folder.parent / "outside.parquet")
    (folder / RECORDS).symlink_to(folder.parent / "outside.parquet")


def _without_canary(name: str) -> Alter:
    return lambda folder: (folder / name).write_text((folder / name).read_text().replace(CANARY, "tweet"))


def _other_title(folder: Path, task: dict[str, Any]) -> None:
    task["title"] = "Another title"


def _cited(folder: Path, manifest: dict[str, Any]) -> None:
    source = next(entry for entry in manifest["sources"] if entry["problem"] == "small-multi")
    source["licence"]["statement"] = "As in:\n" + _gold(folder)["references"][0]["source"]


def _not_reproduced(manifest: dict[str, Any]) -> None:
    manifest["suites"]["scilaws_real"]["reproduction_results"][0]["measured"] += 9.0


def _reference(key: str) -> Callable[[Path], str]:
    return lambda folder: "\n" + str(_gold(folder)["references"][0][key])


def _told(key: str) -> Callable[[Path, dict[str, Any]], None]:
    return lambda folder, task: task["inputs"][0].update(meaning="Hint: " + _reference(key)(folder))


FAULTS: dict[str, tuple[Alter, str, str]] = {
    "table with one last bit altered": (_one_value_more, RECORDS, "content hash"),
    "table that is no parquet": (lambda folder: (folder / RECORDS).write_text("x"), RECORDS, "a parquet file"),
    "task altered": (_changed_task(_other_title, rehash=False), TASKS, "content hash"),
    "task and manifest altered": (_changed_task(_other_title, rehash=True, rebind=False), TASK, "task hash"),
    "task that breaks its schema": (
        _changed_task(lambda _, task: task.update(metric="mae"), rehash=True), f"{TASKS}.metric", "'mae'",
    ),
    "gold with one bit flipped": (_flipped(GOLD), TASK, "do not authenticate"),
    "gold of another task": (_other_gold, TASK, "do not authenticate"),
    "gold sealed anew": (_other_median, TASK, "content hash"),
    "gold of another version of the task": (
        lambda folder: _reseal(folder, _gold(folder) | {"task_hash": "0" * 64}), TASK, "task hash",
    ),
    "manifest altered": (_flipped("manifest.json"), "", "manifest"),
    "foreign file": (lambda folder: (folder / "notes.txt").write_text("x"), "notes.txt", "another file"),
    "hidden foreign file": (lambda folder: (folder / "gold" / ".x").write_text("x"), "gold/.x", "another file"),
    "foreign link": (lambda folder: (folder / "x").symlink_to("/etc"), "x", "a symbolic link"),
    "foreign pipe": (lambda folder: os.mkfifo(folder / "x"), "x", "a special file"),
    "table behind a link": (_linked, RECORDS, "a symbolic link"),
    "missing table": (lambda folder: (folder / RECORDS).unlink(), RECORDS, "found none"),
    "missing gold": (lambda folder: (folder / GOLD).unlink(), GOLD, "found none"),
    "missing card": (lambda folder: (folder / "README.md").unlink(), "README.md", "found none"),
    "missing attributions": (lambda folder: (folder / "ATTRIBUTION.md").unlink(), "ATTRIBUTION.md", "found none"),
    "missing manifest": (lambda folder: (folder / "manifest.json").unlink(), "", "no such file"),
    "law source on the card": (_append("README.md", _reference("source")), "README.md", "law source of"),
    "law equation on the card": (_append("README.md", _reference("equation")), "README.md", "law equation of"),
    "law id in the attributions": (_append("ATTRIBUTION.md", _reference("id")), "ATTRIBUTION.md", "law id of"),
    "rubric text, wrapped": (
        _append("README.md", lambda folder: "\n\n" + "\n ".join(_gold(folder)["rubric"][0]["text"].split())),
        "README.md", "rubric text of",
    ),
    "law source in the manifest": (
        lambda folder: _rehashed(folder, lambda manifest: _cited(folder, manifest)), "manifest.json", "law source of",
    ),
    "law source in a task": (_changed_task(_told("source"), rehash=True), TASKS, "law source of"),
    "law title in a task": (_changed_task(_told("title"), rehash=True), TASKS, "law title of"),
    "held-out group in training": (_held_out_group_in_training, TASK, "no training row of a held-out group"),
    "card without canary": (_without_canary("README.md"), "README.md", "the canary string"),
    "task without canary": (
        _changed_task(lambda _, task: task.update(canary="tweet"), rehash=True), TASK, "the canary string",
    ),
    "published value not reproduced": (
        lambda folder: _rehashed(folder, _not_reproduced), "reproduction of small-multi", "within 0.5",
    ),
}  # fmt: skip


def test_sound_release_has_no_fault(sound: Path, demo_folder: Path) -> None:
    assert check_release(sound) == []
    assert check_release(demo_folder) == []


@pytest.mark.parametrize(("alter", "path", "words"), FAULTS.values(), ids=FAULTS.keys())
def test_fault_is_named(folder: Path, alter: Alter, path: str, words: str) -> None:
    alter(folder)
    issues = check_release(folder)
    assert [issue for issue in issues if words in str(issue) and (not path or issue.path == path)], issues
    assert all(issue.expected and issue.remedy for issue in issues)


def test_faults_in_two_places_are_both_named(folder: Path) -> None:
    _one_value_more(folder)
    _flipped(GOLD)(folder)
    assert {issue.path for issue in check_release(folder)} == {RECORDS, TASK}


def test_folder_that_is_missing_is_an_issue(tmp_path: Path) -> None:
    assert "no such folder" in str(check_release(tmp_path / "none")[0])


def test_every_file_of_a_release_is_watched(folder: Path) -> None:
    """Whatever file loses its end, the check finds out."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    assert len(files) == 8
    for file in files:
        if file.name == "ATTRIBUTION.md":
            continue  # prose, bound to nothing but its presence
        content = file.read_bytes()
        file.write_bytes(content[: len(content) // 4])
        assert check_release(folder), file
        file.write_bytes(content)
    assert check_release(folder) == []
