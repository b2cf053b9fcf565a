"""The solver's side of a run: a release's public records and a sandbox to look at them in.

Agents and tools find their desk by the manifest hash in the session, so that their own arguments,
which Inspect writes to the log, stay plain. Nothing here opens gold.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import anyio.to_thread
import numpy as np
from inspect_ai.util import concurrency

from scilaws_bench.laws import Contract, LawFault, declarations_of, static_findings, syntax_fault
from scilaws_bench.release import Release
from scilaws_bench.sandbox import CallResult, Limits, Sandbox, resolve
from scilaws_bench.sandbox.protocol import Level, LevelChoice

if TYPE_CHECKING:
    import pandas as pd

PYTHON_SECONDS = 100
PYTHON_LIMITS = Limits(wall_seconds=PYTHON_SECONDS, memory_bytes=4 << 30)
LEVELS: tuple[str, ...] = get_args(LevelChoice)
WORKERS = max(1, min(4, os.cpu_count() or 1))

_T = TypeVar("_T")
_sandboxes: dict[Level, Sandbox] = {}
_desks: dict[tuple[str, Level], Desk] = {}


class Desk:
    """Public records of one release, and untrusted code run on them at one isolation level."""

    def __init__(self, release: Release, level: Level) -> None:
        self.release = release
        self.level = level
        self._records: dict[str, pd.DataFrame] = {}

    def run_python(self, task_id: str, code: str) -> CallResult:
        """Run a script that sees the training records of a task (values: see `Evaluator.run_python`)."""
        task = self.release.task(task_id)
        problem_id = task["problem_id"]
        if problem_id not in self._records:
            self._records[problem_id] = self.release.records(problem_id)
        frame = self._records[problem_id]
        names = [column["name"] for column in task["inputs"]]
        target = task["target"]["name"]
        return sandbox_at(self.level).run_python(
            code,
            frame[names].to_numpy(dtype=np.float64),
            frame[target].to_numpy(dtype=np.float64),
            [*names, target],
            frame["group_id"].to_numpy(dtype=np.int64) if task["group"] else None,
            PYTHON_LIMITS,
        )

    def law_fault(self, task_id: str, source: str) -> str:
        """Why a law can't be used for a task (syntax, import, declarations); "" if it can.

        Runs the module's top level in the sandbox, never `predict` or `fit`.
        """
        fault = syntax_fault(source)
        if fault:
            return fault
        described = sandbox_at(self.level).describe(source)
        if not described.ok:
            return described.error
        try:
            declarations_of(described.values, contract_of(self.release.task(task_id)))
        except LawFault as failed:
            return failed.reason
        return ""


def open_desk(release: Release, isolation: LevelChoice) -> Desk:
    """The desk for a release; opened once a process. Raises SandboxUnavailableError, ValueError for another word."""
    level = resolve(isolation)
    return _desks.setdefault((release.reference["manifest_hash"], level), Desk(release, level))


def desk_of(manifest_hash: str, level: str) -> Desk:
    """The desk that this process opened. Raises RuntimeError if the task's setup did not run here."""
    for (opened, at), desk in _desks.items():
        if (opened, at) == (manifest_hash, level):
            return desk
    raise RuntimeError("no release is open for this sample; the tools work inside a scilaws_evals task only")


def opened_release(manifest_hash: str) -> Release | None:
    """A release this process opened, by its manifest hash."""
    return next((desk.release for (opened, _), desk in _desks.items() if opened == manifest_hash), None)


def sandbox_at(level: Level) -> Sandbox:
    """The process's sandbox at a level, started with the first call and closed when the process ends."""
    if level not in _sandboxes:
        _sandboxes[level] = Sandbox(level, workers=WORKERS)
        atexit.register(_sandboxes[level].close)
    return _sandboxes[level]


async def in_sandbox(call: Callable[..., _T], *arguments: Any) -> _T:
    """Run a blocking sandbox call in a thread, as many at once as there are sandboxes."""
    async with concurrency("scilaws sandbox", WORKERS):
        return await anyio.to_thread.run_sync(lambda: call(*arguments), abandon_on_cancel=True)


def contract_of(task: dict[str, Any]) -> Contract:
    """The side of a public task that a law has to fit."""
    caps = task["caps"]
    return Contract(
        tuple(column["name"] for column in task["inputs"]),
        task["structure"] == "multi",
        caps["law_constants"],
        caps["local_params"],
        caps["init_size"],
    )


def refused_imports(code: str) -> tuple[str, ...]:
    """Modules outside the white-list of Appendix B.2 that a script imports by name; a courtesy, not a boundary."""
    if syntax_fault(code):
        return ()
    return tuple(flag.removeprefix("import:") for flag in static_findings(code) if flag.startswith("import:"))
