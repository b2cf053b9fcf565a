"""An opened release: what the manifest pins is what is read, altered bytes of any part are an error."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from scilaws_bench import strict_json
from scilaws_bench.errors import ReleaseError
from scilaws_bench.hashing import table_hash
from scilaws_bench.release import Release, diff_manifests, open_release, records_config
from scilaws_bench.release.configs import RECORDS_SPLIT, SUITES, TASKS_SPLIT, sealed_path, table_path
from scilaws_bench.release.content import MANIFEST, manifest_hash

PROBLEM = "optical-dispersion"
TASK = f"scilaws_real/{PROBLEM}"
RECORDS = table_path(records_config(PROBLEM), RECORDS_SPLIT)
TASKS = table_path("scilaws_real", TASKS_SPLIT)


@pytest.fixture
def copied(demo_folder: Path, tmp_path: Path) -> Path:
    """A release folder to spoil."""
    return Path(shutil.copytree(demo_folder, tmp_path / "release"))


def rewritten(folder: Path, **changes: Any) -> None:
    """Change the manifest and give it the hash of its new content, as an attacker would."""
    manifest = strict_json.read(folder / MANIFEST) | changes
    strict_json.write(folder / MANIFEST, manifest | {"manifest_hash": manifest_hash(manifest)})


class TestOpening:
    def test_the_reference_binds_scores_to_name_version_edition_and_hash(self, demo_release: Release) -> None:
        assert set(demo_release.reference) == {"name", "version", "edition", "manifest_hash"}
        assert demo_release.reference["edition"] == "demo"
        assert demo_release.reference["manifest_hash"] == manifest_hash(demo_release.manifest)

    def test_tasks_are_in_order_of_id_and_bound_to_their_records(self, demo_release: Release) -> None:
        assert list(demo_release.tasks) == sorted(demo_release.tasks)
        for task_id, task in demo_release.tasks.items():
            assert task["task_id"] == task_id
            assert demo_release.task(task_id) is task
            records = demo_release.table(task["records"]["config"], RECORDS_SPLIT)
            assert (table_hash(records), records.num_rows) == (task["records"]["content_hash"], task["records"]["rows"])

    def test_records_are_numbers_in_declared_columns(self, demo_release: Release) -> None:
        for task in demo_release.tasks.values():
            frame = demo_release.records(task["problem_id"])
            group = ["group_id"] if task["structure"] == "multi" else []
            assert list(frame.columns) == [*group, *(one["name"] for one in task["inputs"]), task["target"]["name"]]
            assert all(frame[name].dtype == np.float64 for name in frame.columns if name != "group_id")
            assert not group or frame["group_id"].dtype == np.int64

    @pytest.mark.parametrize(
        ("make", "found"),
        [
            (lambda folder: folder / "nowhere", "no such folder"),
            (lambda folder: folder / "gold", "no such file"),
        ],
    )
    def test_no_release_there(self, demo_folder: Path, make: Callable[[Path], Path], found: str) -> None:
        with pytest.raises(ReleaseError, match=found) as caught:
            open_release(make(demo_folder))
        assert "--release" in caught.value.remedy

    def test_another_schema_version_is_named(self, copied: Path) -> None:
        rewritten(copied, schema="scilaws-bench/manifest/2")
        with pytest.raises(ReleaseError, match="'scilaws-bench/manifest/1'; found 'scilaws-bench/manifest/2'"):
            open_release(copied)

    @pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"schema": NaN}', b"\xff\xfe", b'{"a": 1, "a": 2}'])
    def test_a_broken_manifest_is_a_release_error(self, copied: Path, content: bytes) -> None:
        (copied / MANIFEST).write_bytes(content)
        with pytest.raises(ReleaseError, match=MANIFEST):
            open_release(copied)

    @pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
    def test_an_unreadable_manifest_is_a_release_error(self, copied: Path) -> None:
        (copied / MANIFEST).chmod(0)
        with pytest.raises(ReleaseError, match="a readable file"):
            open_release(copied)

    @pytest.mark.parametrize("key", ["version", "tables", "sealed", "suites", "canary", "publishable"])
    def test_no_part_of_the_manifest_can_be_altered(self, copied: Path, key: str) -> None:
        manifest = strict_json.read(copied / MANIFEST)
        value = manifest[key]
        manifest[key] = {
            "version": "9.9", "tables": value[1:] if key == "tables" else None, "canary": "c", "suites": {},
            "sealed": value[:-1] if key == "sealed" else None, "publishable": not value,
        }[key]  # fmt: skip
        strict_json.write(copied / MANIFEST, manifest)
        with pytest.raises(ReleaseError, match="manifest hash"):
            open_release(copied)


class TestTables:
    @pytest.mark.parametrize("name", ["nothing", "records-nothing", "../gold", "manifest.json"])
    def test_only_configurations_of_the_manifest_are_read(self, demo_release: Release, name: str) -> None:
        with pytest.raises(ReleaseError, match="none of that name"):
            demo_release.table(name, RECORDS_SPLIT)

    def test_an_unknown_task_is_a_release_error(self, demo_release: Release) -> None:
        with pytest.raises(ReleaseError, match="none of that id"):
            demo_release.task("scilaws_real/nothing")

    @pytest.mark.parametrize("path", [RECORDS, TASKS])
    def test_a_missing_table_is_named(self, copied: Path, path: str) -> None:
        (copied / path).unlink()
        with pytest.raises(ReleaseError, match="Download the release again") as caught:
            _read(open_release(copied), path)
        assert caught.value.thing.endswith(path)

    @pytest.mark.parametrize(
        "alter",
        [
            lambda table: table.slice(1),
            lambda table: table.take(list(reversed(range(table.num_rows)))),
            lambda table: table.select(table.column_names[1:]),
            lambda table: table.append_column("more", pa.array(range(table.num_rows))),
            lambda table: table.append_column("flag", pa.array([True] * table.num_rows)),
            lambda table: table.rename_columns(["renamed", *table.column_names[1:]]),
            lambda table: _nudged(table),
            lambda table: pa.table({}),
        ],
    )
    def test_an_altered_record_is_noticed(self, copied: Path, alter: Callable[[pa.Table], pa.Table]) -> None:
        pq.write_table(alter(pq.read_table(copied / RECORDS)), copied / RECORDS)
        with pytest.raises(ReleaseError):
            _read(open_release(copied), RECORDS)

    def test_a_table_written_by_another_version_is_the_same(self, copied: Path) -> None:
        """grader_pitfalls 66: byte hashes of tables break at each pyarrow release."""
        before = (copied / RECORDS).read_bytes()
        pq.write_table(pq.read_table(copied / RECORDS), copied / RECORDS, compression="gzip", row_group_size=7)
        assert (copied / RECORDS).read_bytes() != before
        assert len(open_release(copied).records(PROBLEM)) > 0

    @pytest.mark.parametrize("path", [RECORDS, TASKS])
    def test_altered_bytes_never_give_other_values(self, copied: Path, path: str) -> None:
        """A flipped byte is an error, or (in unused metadata) leaves the content as it is; nothing else leaves."""
        release = open_release(copied)
        original = (copied / path).read_bytes()
        expected = table_hash(_read(release, path))
        refused = 0
        for position in range(0, len(original), max(1, len(original) // 150)):
            altered = bytearray(original)
            altered[position] ^= 0xFF
            (copied / path).write_bytes(bytes(altered))
            try:
                found = table_hash(_read(release, path))
            except ReleaseError:
                refused += 1
            else:
                assert found == expected
        assert refused > 40

    @pytest.mark.parametrize("path", [RECORDS, TASKS])
    @pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" * 100, b"not a table"])
    def test_other_files_are_no_tables(self, copied: Path, path: str, content: bytes) -> None:
        (copied / path).write_bytes(content)
        with pytest.raises(ReleaseError, match="a parquet file"):
            _read(open_release(copied), path)

    def test_a_half_written_table_is_refused(self, copied: Path) -> None:
        content = (copied / RECORDS).read_bytes()
        (copied / RECORDS).write_bytes(content[: len(content) // 2])
        with pytest.raises(ReleaseError):
            _read(open_release(copied), RECORDS)

    def test_swapped_tables_are_noticed(self, copied: Path) -> None:
        other = copied / table_path(records_config("bulk-modulus-atomic-volume"), RECORDS_SPLIT)
        shutil.copy(other, copied / RECORDS)
        with pytest.raises(ReleaseError, match="content hash"):
            open_release(copied).records(PROBLEM)


class TestNames:
    """Configurations and paths are public API: they never change."""

    def test_names_are_frozen(self) -> None:
        assert SUITES == ("scilaws_real", "scilaws_parallel", "mechreasoner", "mechhypobench")
        assert (TASKS_SPLIT, RECORDS_SPLIT) == ("test", "train")
        assert records_config("a-b") == "records-a-b"
        assert table_path("records-a-b", "train") == "records/a-b/train-00000-of-00001.parquet"
        assert table_path("scilaws_real", "test") == "scilaws_real/test-00000-of-00001.parquet"
        assert sealed_path("scilaws_real/a-b") == "gold/scilaws_real/a-b.sealed"


class TestDifferences:
    @pytest.mark.parametrize("part", ["tables", "sealed"])
    def test_added_removed_and_changed_parts(self, demo_release: Release, part: str) -> None:
        old = demo_release.manifest
        first, second, *rest = old[part]
        new = old | {part: [first | {"content_hash": "0" * 64}, *rest, second | {"path": "new"}], "manifest_hash": "1"}
        found = diff_manifests(old, new)
        other = "sealed" if part == "tables" else "tables"
        assert found[part] == {"added": ["new"], "removed": [second["path"]], "changed": [first["path"]]}
        assert found[other] == {"added": [], "removed": [], "changed": []}
        assert found["identical"] is False

    def test_a_release_is_identical_to_itself(self, demo_release: Release) -> None:
        found = diff_manifests(demo_release.manifest, dict(demo_release.manifest))
        assert found["identical"] is True
        assert found["tables"] == found["sealed"] == {"added": [], "removed": [], "changed": []}


def _read(release: Release, path: str) -> pa.Table:
    config = records_config(PROBLEM) if path == RECORDS else "scilaws_real"
    return release.table(config, RECORDS_SPLIT if path == RECORDS else TASKS_SPLIT)


def _nudged(table: pa.Table) -> pa.Table:
    name = table.column_names[-1]
    values = table[name].to_numpy().copy()
    values[0] = np.nextafter(values[0], np.inf)
    return table.set_column(table.num_columns - 1, name, pa.array(values))
