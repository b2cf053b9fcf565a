"""Verdicts of a scoring run that has not ended, so that a killed run goes on where it stopped.

One file of JSON lines a run, below the user's own cache and never inside the bundle: what a
stranger sends must not be able to bring its verdicts along. The file's name is the hash of all that
a verdict depends on, and it is removed when the scorecard is written.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import scilaws_bench
from scilaws_bench import schemas, strict_json
from scilaws_bench.errors import SchemaError
from scilaws_bench.hashing import json_hash
from scilaws_bench.release import Release
from scilaws_bench.sandbox.packages import cache_folder
from scilaws_bench.scoring.numeric import NUMERIC_VERSION
from scilaws_bench.submissions.bundle import Submission


class Unfinished:
    """The verdicts one run has reached so far. A cache that can't be written costs the resuming, not the run."""

    def __init__(self, file: Path) -> None:
        """`file` may be missing, or end in half a line."""
        self._file = file
        self._verdicts = {verdict["task_id"]: verdict for verdict in _read(file)}

    @classmethod
    def of(cls, submission: Submission, release: Release, isolation: str, cache: Path | None = None) -> Unfinished:
        """The run that scores these answers against this release with this code at this isolation level."""
        answers = sorted(submission.answers.items())
        code = [scilaws_bench.__version__, NUMERIC_VERSION, isolation]
        key = json_hash([submission.manifest["name"], answers, release.reference, code])
        return cls((cache or cache_folder()) / "scoring" / f"{key}.jsonl")

    def __len__(self) -> int:
        return len(self._verdicts)

    def find(self, task_id: str, answer_hash: str) -> dict[str, Any] | None:
        """The verdict of an earlier run on this very answer, if there is one."""
        verdict = self._verdicts.get(task_id)
        return verdict if verdict is not None and verdict["answer_hash"] == answer_hash else None

    def add(self, verdict: dict[str, Any]) -> None:
        """Keep a verdict, unless it is an infrastructure failure: those are worth another try."""
        if verdict["failure"] == "infrastructure":
            return
        with contextlib.suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with self._file.open("ab", buffering=0) as stream:
                stream.write(b"\n" + strict_json.canonical_bytes(verdict) + b"\n")  # after a torn line, a new one

    def clear(self) -> None:
        """Forget the run: its scorecard is written."""
        with contextlib.suppress(OSError):
            self._file.unlink(missing_ok=True)


def _read(file: Path) -> list[dict[str, Any]]:
    try:
        lines = file.read_bytes().splitlines()
    except OSError:
        return []
    verdicts = []
    for line in lines:
        with contextlib.suppress(SchemaError):  # the last line of a killed run may be torn
            verdict = strict_json.loads(line, where=str(file))
            schemas.require("verdict", verdict, where=str(file))
            verdicts.append(verdict)
    return verdicts
