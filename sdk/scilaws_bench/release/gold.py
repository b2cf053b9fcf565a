"""Grader side: open the sealed gold of a release.

Import this only from scoring, verification and release checks; code that runs beside a solver
must work without it.
"""

from __future__ import annotations

from typing import Any

from scilaws_bench import schemas
from scilaws_bench.errors import ReleaseError, SchemaError
from scilaws_bench.hashing import json_hash
from scilaws_bench.release.configs import sealed_path
from scilaws_bench.release.content import Release
from scilaws_bench.release.sealing import PUBLIC_PHRASE, unseal


def open_gold(release: Release, task_id: str, *, phrase: str = PUBLIC_PHRASE) -> dict[str, Any]:
    """Gold of one task (schema `gold`), checked against the manifest's hash and the public task.

    Raises:
        ReleaseError: no such task, a missing file, gold that is not what the manifest pins, or gold
            of another task or of another version of this one.
        SealError: bytes that do not open.
    """
    path = sealed_path(task_id)
    pinned = {entry["path"]: entry["content_hash"] for entry in release.manifest["sealed"]}
    if path not in pinned:
        raise ReleaseError(f"task {task_id}", "a task of this release", "none of that name", "See `task list`.")
    try:
        sealed = (release.path / path).read_bytes()
    except OSError as error:
        raise ReleaseError(
            str(release.path / path), "a readable file", str(error), "Download the release again."
        ) from None
    document: dict[str, Any] = unseal(sealed, path, phrase=phrase)
    if json_hash(document) != pinned[path]:
        raise ReleaseError(path, f"content hash {pinned[path]}", json_hash(document), "Download the release again.")
    try:
        schemas.require("gold", document, where=path)
    except SchemaError as error:
        raise ReleaseError(error.thing, error.expected, error.found, error.remedy) from None
    bound = (task_id, json_hash(release.task(task_id)))
    if (document["task_id"], document["task_hash"]) != bound:
        raise ReleaseError(
            path, f"gold of {task_id}, task hash {bound[1]}", f"{document['task_id']}, {document['task_hash']}",
            "Build the release again.",
        )  # fmt: skip
    return document
