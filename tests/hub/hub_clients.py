"""Real clients in processes of their own, and changed releases for them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from repositories import Blob, Repository
from server import TOKEN, Hub

from scilaws_bench import strict_json
from scilaws_bench.hashing import table_hash
from scilaws_bench.release import open_release
from scilaws_bench.release.configs import records_config
from scilaws_bench.release.content import MANIFEST, manifest_hash
from scilaws_builders.release_build.card import write_card
from scilaws_builders.release_build.tables import task_table

NAME = "some-org/scilaws-bench"
DROPPED = "tree-height-diameter"


@dataclass(frozen=True)
class Client:
    """Starts clients with one cache: the hub's address and the cache are read when the client is imported."""

    home: Path
    url: str

    def run(self, *command: str, offline: bool = False, token: str | None = None) -> subprocess.CompletedProcess[str]:
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("HF_", "SCILAWS_"))}
        settings = {
            "HF_HOME": str(self.home),
            "HF_ENDPOINT": self.url,
            "HF_HUB_OFFLINE": str(int(offline)),
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_DISABLE_PROGRESS_BARS": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "NO_PROXY": "127.0.0.1",
        }
        if token:
            settings["HF_TOKEN"] = token
        return subprocess.run(
            [sys.executable, *command], env=kept | settings, capture_output=True, text=True, timeout=100
        )

    def cli(self, *arguments: str | Path, offline: bool = False, token: str | None = None) -> tuple[int, Any]:
        """Exit code and JSON document of a `scilaws-bench` command."""
        command = ("-m", "scilaws_bench", *map(str, arguments), "--json")
        done = self.run(*command, offline=offline, token=token)
        assert "Traceback" not in done.stderr, done.stderr
        return done.returncode, json.loads(done.stdout)

    def python(self, code: str, *, offline: bool = False, token: str | None = None) -> Any:
        """What the code leaves in `result`, through JSON."""
        program = f"import json\n{code}\nprint('result', json.dumps(result))"
        done = self.run("-c", program, offline=offline, token=token)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.rpartition("result ")[2])


PUSHING = """
from pathlib import Path
from scilaws_bench.errors import ScilawsError
from scilaws_builders.release_build.push import push_release

result = []
for name, folder, options in CALLS:
    try:
        result.append(push_release(name, Path(folder), allow_demo=True, **options).to_json())
    except ScilawsError as error:
        result.append({"error": type(error).__name__, "thing": error.thing, "found": error.found, "text": str(error)})
"""


def push_all(client: Client, *calls: tuple[str, Path, dict[str, Any]]) -> list[dict[str, Any]]:
    """What `push_release` returns or raises for (dataset, folder, options), one after the other in one process."""
    listed = [(name, str(folder), options) for name, folder, options in calls]
    return list(client.python(f"CALLS = {listed!r}\n{PUSHING}", token=TOKEN))


def fault(report: dict[str, Any]) -> dict[str, str]:
    """The one error of a command's JSON document."""
    (only,) = report["errors"]
    return dict(only)


def change_manifest(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Write a changed manifest as a build would: with its new hash and the card that states it."""
    manifest = strict_json.read(folder / MANIFEST)
    change(manifest)
    manifest["manifest_hash"] = manifest_hash(manifest)
    strict_json.write(folder / MANIFEST, manifest)
    write_card(folder, manifest, list(open_release(folder).tasks.values()))


def newer_release(source: Path, target: Path, version: str) -> Path:
    """A copy of a release under another version, without the problem `DROPPED`."""
    shutil.copytree(source, target)
    tasks = [task for task in open_release(source).tasks.values() if task["problem_id"] != DROPPED]
    table = task_table(tasks)

    def change(manifest: dict[str, Any]) -> None:
        gone = [entry["path"] for entry in manifest["tables"] if entry["config"] == records_config(DROPPED)]
        gone += [entry["path"] for entry in manifest["sealed"] if entry["task_id"].endswith(DROPPED)]
        for part in ("tables", "sealed"):
            manifest[part] = [entry for entry in manifest[part] if entry["path"] not in gone]
        for path in gone:
            (target / path).unlink()
        first = manifest["tables"][0]
        pq.write_table(table, target / first["path"])
        first |= {"rows": table.num_rows, "content_hash": table_hash(table)}
        suite = manifest["suites"]["scilaws_real"]
        suite["tasks"] = len(tasks)
        suite["not_built"].append({"id": DROPPED, "reason": "withdrawn"})
        manifest["sources"] = [entry for entry in manifest["sources"] if entry["problem"] != DROPPED]
        manifest["version"] = version

    change_manifest(target, change)
    return target


def put(hub: Hub, name: str, folder: Path, tag: str | None = None) -> Repository:
    """Put a folder on the hub as the next commit of a dataset, without a client."""
    repository = hub.repositories.setdefault(name, Repository(name, private=False))
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    files = {str(path.relative_to(folder)): Blob(path.read_bytes(), path.suffix == ".parquet") for path in paths}
    commit = repository.commit(files)
    if tag:
        repository.tags[tag] = commit
    return repository
