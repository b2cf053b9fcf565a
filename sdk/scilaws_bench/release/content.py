"""A release folder on disk: manifest, tasks, records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scilaws_bench import schemas, strict_json
from scilaws_bench.errors import ReleaseError, SchemaError
from scilaws_bench.hashing import json_hash, table_hash
from scilaws_bench.release.configs import RECORDS_SPLIT, TASKS_SPLIT, records_config, table_path

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Release:
    """An opened release: `path` is its folder, `manifest` the checked manifest."""

    path: Path
    manifest: dict[str, Any]

    @property
    def reference(self) -> dict[str, str]:
        """Name, version, edition and manifest hash: what scores are bound to."""
        return {key: self.manifest[key] for key in ("name", "version", "edition", "manifest_hash")}

    @cached_property
    def tasks(self) -> dict[str, dict[str, Any]]:
        """Public tasks (schema `task`) by task id, in order of id.

        Raises:
            ReleaseError: a tasks table that is not the one the manifest pins.
        """
        found: dict[str, dict[str, Any]] = {}
        for suite in self.manifest["suites"]:
            for text in self.table(suite, TASKS_SPLIT).column("task_json").to_pylist():
                task = strict_json.loads(text, where=f"{suite} tasks")
                found[task["task_id"]] = task
        return dict(sorted(found.items()))

    def task(self, task_id: str) -> dict[str, Any]:
        """One public task; ReleaseError if the release has none of that id."""
        if task_id not in self.tasks:
            raise ReleaseError(f"task {task_id!r}", "a task of this release", "none of that id", "See `task list`.")
        return self.tasks[task_id]

    def records(self, problem_id: str) -> pd.DataFrame:
        """Training records of a SciLaws problem: inputs and target as float64, `group_id` as int64 if any."""
        frame: pd.DataFrame = self.table(records_config(problem_id), RECORDS_SPLIT).to_pandas()
        return frame

    def table(self, config: str, split: str) -> pa.Table:
        """One public table, checked against the manifest's content hash.

        Raises:
            ReleaseError: unknown configuration, missing file, or altered content.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        path = table_path(config, split)
        pinned = {entry["path"]: entry["content_hash"] for entry in self.manifest["tables"]}
        if path not in pinned:
            raise ReleaseError(f"configuration {config!r}", "a configuration of this release", "none of that name")
        try:
            table = pq.read_table(self.path / path, partitioning=None)
            found = table_hash(table)
        except (OSError, ValueError, TypeError, pa.ArrowException) as error:
            raise ReleaseError(
                str(self.path / path), "a parquet file with the columns of the manifest", str(error)[:200],
                "Download the release again.",
            ) from None  # fmt: skip
        if found != pinned[path]:
            raise ReleaseError(path, f"content hash {pinned[path]}", found, "Download the release again.")
        return table


def open_release(path: str | Path, *, revision: str | None = None, manifest_hash: str | None = None) -> Release:
    """Open a release: a folder, or the name `organisation/name` of a dataset on the hub.

    A path that exists is always a folder. A name is fetched into huggingface_hub's cache at
    `revision` (branch, tag or commit; `main` by default). What a revision holds can change, and
    without a network the cache serves the last version it has seen of a branch, so give `manifest_hash`
    to get that very release or an error.

    Raises:
        ReleaseError: no folder, no dataset, no such revision, no manifest, another schema version, a
            manifest whose hash is not that of its content or not `manifest_hash`, or a revision of a folder.
        HubUnavailableError: the hub can't be reached and the cache does not hold that revision.
    """
    from scilaws_bench.release.hub import download_release, is_hub_name

    folder = Path(path)
    if is_hub_name(str(path)) and not folder.exists():
        folder = download_release(str(path), revision)
    elif revision is not None:
        raise ReleaseError(
            f"revision {revision!r}", "the name of a dataset on the hub", f"the path {folder}",
            "A folder has no revisions: leave it out, or name the dataset from a folder that has no such path.",
        )  # fmt: skip
    release = _open_folder(folder)
    found = release.manifest["manifest_hash"]
    if manifest_hash is not None and found != manifest_hash:
        raise ReleaseError(
            f"release {path}" + (f" at revision {revision}" if revision else ""),
            f"manifest hash {manifest_hash}", found,
            "Give the revision that holds it; without a network the cache may hold another one.",
        )  # fmt: skip
    return release


def _open_folder(folder: Path) -> Release:
    file = folder / MANIFEST
    if not file.is_file():
        raise ReleaseError(
            f"release {folder}", f"a folder with {MANIFEST}", "no such file" if folder.is_dir() else "no such folder",
            "Build one with `scilaws-bench release build` or give the path of a downloaded one with --release.",
        )  # fmt: skip
    try:
        manifest: dict[str, Any] = strict_json.read(file)
        schemas.require("manifest", manifest, where=str(file))
    except SchemaError as error:
        raise ReleaseError(error.thing, error.expected, error.found, error.remedy) from None
    except OSError as error:
        raise ReleaseError(str(file), "a readable file", str(error), "Download the release again.") from None
    found = manifest_hash(manifest)
    if found != manifest["manifest_hash"]:
        raise ReleaseError(str(file), f"manifest hash {manifest['manifest_hash']}", found, "Download it again.")
    return Release(folder.resolve(), manifest)


def manifest_hash(manifest: Mapping[str, Any]) -> str:
    """Hash of a manifest's content without its own `manifest_hash`."""
    return json_hash({key: value for key, value in manifest.items() if key != "manifest_hash"})


def diff_manifests(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """What changed between two releases: tables and sealed files added, removed and changed."""
    result: dict[str, Any] = {}
    for part in ("tables", "sealed"):
        before = {entry["path"]: entry["content_hash"] for entry in old[part]}
        after = {entry["path"]: entry["content_hash"] for entry in new[part]}
        result[part] = {
            "added": sorted(set(after) - set(before)),
            "removed": sorted(set(before) - set(after)),
            "changed": sorted(path for path in set(before) & set(after) if before[path] != after[path]),
        }
    result["identical"] = old["manifest_hash"] == new["manifest_hash"]
    return result
