"""Fixtures of the builders' tests: small problems, and a package that holds only such."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from small_problems import SmallProblem, only_problems_below


@pytest.fixture
def single(tmp_path: Path) -> SmallProblem:
    """A single-group problem, not written yet."""
    return SmallProblem(tmp_path)


@pytest.fixture
def multi(tmp_path: Path) -> SmallProblem:
    """A multi-group problem, not written yet."""
    return SmallProblem(tmp_path, multi=True, name="small_multi")


@pytest.fixture
def only_small_problems(tmp_path: Path) -> Iterator[None]:
    """The package's problems are those written below `tmp_path`."""
    with only_problems_below(tmp_path):
        yield
