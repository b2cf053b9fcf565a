from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from scilaws_bench.sandbox import InProcess, Sandbox, detect


@pytest.fixture(scope="session", params=["full", "kernel"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """A warm sandbox at each level that isolates; skipped, with the reason, where the level cannot be had."""
    missing = detect().missing(request.param)
    if missing:
        pytest.skip(f"level {request.param}: " + "; ".join(f"{row.mechanism}: {row.detail}" for row in missing))
    with Sandbox(request.param) as opened:
        yield opened


@pytest.fixture(scope="session", params=["in process", "full", "kernel", "none"])
def evaluator(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Every implementation of Evaluator."""
    if request.param == "in process":
        yield InProcess()
        return
    missing = detect().missing(request.param)
    if missing:
        pytest.skip(f"level {request.param}: " + "; ".join(f"{row.mechanism}: {row.detail}" for row in missing))
    with Sandbox(request.param) as opened:
        yield opened
