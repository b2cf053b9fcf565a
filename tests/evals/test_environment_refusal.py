"""Without a working bubblewrap `sandbox="scilaws"` refuses, with the remedy, and runs nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from evals_harness import saying, scripted
from inspect_ai import Task
from inspect_ai import eval as inspect_eval

from scilaws_bench.sandbox import Mechanism, Report
from scilaws_evals.agent_sandbox import programs, readiness
from scilaws_evals.environment import ScilawsSandbox
from scilaws_evals.errors import EvalSetupError

_ROWS = ("packages", "bubblewrap", "landlock", "seccomp")


@pytest.fixture(params=["packages", "bubblewrap", "seccomp"])
def missing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The mechanism that this machine is made to lack."""
    rows = tuple(
        Mechanism(name, name != request.param, f"{name} seen", f"install {name}" if name == request.param else "")
        for name in _ROWS
    )
    bwrap = None if request.param == "bubblewrap" else Path("/usr/bin/false")
    monkeypatch.setattr(readiness, "detect", lambda: Report(rows, bwrap))
    readiness.require_ready.cache_clear()
    yield request.param
    readiness.require_ready.cache_clear()


def test_the_refusal_names_what_is_missing_and_the_remedy(missing: str) -> None:
    with pytest.raises(EvalSetupError) as caught:
        anyio.run(ScilawsSandbox.task_init, "test", None)
    message = str(caught.value)
    assert "never runs them without isolation" in message
    assert f"found {missing}: {missing} seen. {missing}: install {missing}" in message
    with pytest.raises(EvalSetupError):
        anyio.run(ScilawsSandbox.sample_init, "test", None, {})


def test_an_evaluation_does_not_start(missing: str, tmp_path: Path) -> None:
    with pytest.raises(EvalSetupError, match=f"install {missing}"):
        inspect_eval(
            Task(sandbox="scilaws"), model=scripted(saying("done")), log_dir=str(tmp_path / "logs"), display="none"
        )


def test_no_shell_no_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "_PATH", "/nowhere")
    programs.find_programs.cache_clear()
    readiness.require_ready.cache_clear()
    try:
        with pytest.raises(OSError, match="install bash, coreutils"):
            readiness.require_ready()
    finally:
        programs.find_programs.cache_clear()
        readiness.require_ready.cache_clear()
