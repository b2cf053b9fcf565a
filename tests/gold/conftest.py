"""The releases whose gold is put to the proof."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from scilaws_bench.release import Release, open_release
from scilaws_bench.release.gold import open_gold
from scilaws_bench.sandbox import Sandbox
from scilaws_bench.scoring import Anchors, NumericGold, anchors_of
from scilaws_builders.release_build import BuildOptions, build_release
from scilaws_builders.release_build.problem_step import Places


@pytest.fixture(scope="session")
def full_release(places: Places, mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> Release:
    """All twelve problems; needs the mirror."""
    folder = tmp_path_factory.mktemp("full") / "release"
    build_release(BuildOptions("public", folder, replace(places, mirror=mirror)))
    return open_release(folder)


@pytest.fixture(scope="session")
def anchored(sandbox: Sandbox) -> Any:
    """`anchored(release, task_id)` is the task's gold and its anchors, computed once in the sandbox."""

    @cache
    def compute(path: Path, task_id: str) -> tuple[NumericGold, Anchors]:
        release = open_release(path)
        gold = NumericGold.from_json(open_gold(release, task_id), release.task(task_id))
        return gold, anchors_of(gold, sandbox)

    return lambda release, task_id: compute(release.path, task_id)
