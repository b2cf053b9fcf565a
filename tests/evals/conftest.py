"""Evaluations of the demo edition with scripted models, in process and without network."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai", reason="not run: install scilaws-bench[eval]")

from evals_harness import SINGLE, Run
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog

from scilaws_bench.errors import SandboxUnavailableError
from scilaws_bench.sandbox import resolve

# Warnings of Inspect's own making; everything else stays an error, also in here.
_INSPECTS_OWN = (
    "ignore:The 'initial' parameter is deprecated:DeprecationWarning",
    "ignore:Unclosed <MemoryObject:ResourceWarning",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == Path(__file__).parent:
            for text in _INSPECTS_OWN:
                item.add_marker(pytest.mark.filterwarnings(text))


@pytest.fixture(scope="session", autouse=True)
def _isolated() -> None:
    try:
        resolve("auto")
    except SandboxUnavailableError as error:
        pytest.skip(f"this machine can't isolate laws: {error}")


@pytest.fixture
def run(demo_folder: Path, tmp_path: Path) -> Run:
    """Run the task by its registered name and return the one log."""

    def evaluate(
        model: Any, problems: str = SINGLE, *, options: dict[str, Any] | None = None, **arguments: Any
    ) -> EvalLog:
        given = {"release": str(demo_folder), "problems": problems, "max_turns": 4} | arguments
        logs = inspect_eval(
            "scilaws_evals/scilaws_real",
            model=model,
            task_args=given,
            log_dir=str(tmp_path / "logs"),
            display="none",
            **({"log_format": "json"} | (options or {})),
        )
        gc.collect()  # what Inspect left unclosed must warn here, not in another test
        assert len(logs) == 1
        return logs[0]

    return evaluate
