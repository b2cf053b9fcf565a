"""Fuzzing of the doors that take foreign bytes; part of `make test-slow`."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _never_hang() -> Iterator[None]:
    """End a test that waits for ever."""
    signal.alarm(240)
    yield
    signal.alarm(0)
