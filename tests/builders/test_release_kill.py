"""Builds that are killed, run twice at once, or run under other hash seeds (grader pitfalls 66, 70, 74)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from scilaws_bench.release import Release, open_release
from scilaws_builders.release_build import check_release
from scilaws_builders.release_build.problem_step import Places
from scilaws_builders.scilaws.problem import DEMO_PROBLEMS

pytestmark = pytest.mark.xdist_group("release builds")


@pytest.fixture
def empty_cache(tmp_path: Path, places: Places, demo_release: Release) -> Path:
    """A cache with the demo's fetched sources and no built step."""
    cache = tmp_path / "cache"
    cache.mkdir()
    (cache / "sources").symlink_to(places.sources)
    return cache


def _start(cache: Path, output: Path, seed: int, workers: int = 2) -> subprocess.Popen[bytes]:
    """The real command, in a process group of its own."""
    command = ["-m", "scilaws_bench", "release", "build", "--edition", "demo", "--offline", "--output", str(output)]
    command += ["--workers", str(workers)]
    return subprocess.Popen(
        [sys.executable, *command],
        env=os.environ | {"SCILAWS_CACHE": str(cache), "PYTHONHASHSEED": str(seed)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def _finish(build: subprocess.Popen[bytes]) -> None:
    _, errors = build.communicate(timeout=120)
    assert build.returncode == 0, errors.decode()


def _all_gone(group: int) -> bool:
    """Whether every process of a killed build's group ends by itself; those that do not are ended here."""
    deadline = time.monotonic() + 20
    try:
        while time.monotonic() < deadline:
            os.killpg(group, 0)
            time.sleep(0.02)
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return True
    return False


def _visible_and_hidden(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("kills", [1, pytest.param(4, marks=pytest.mark.slow)])
def test_killed_builds_go_on_and_end_as_a_clean_one(
    tmp_path: Path, empty_cache: Path, demo_release: Release, kills: int
) -> None:
    """kill -9 at random moments: no half release, no lost step, no process or rubbish left behind.

    The clean one was made under another PYTHONHASHSEED.
    """
    output, store = tmp_path / "releases" / "demo", empty_cache / "build"
    kept: set[str] = set()
    for delay in np.random.default_rng(20260731).uniform(0.5, 2.5, kills):
        build = _start(empty_cache, output, seed=1)
        assert build.stderr is not None
        time.sleep(delay)
        build.send_signal(signal.SIGKILL)
        build.wait()
        build.stderr.close()
        assert _all_gone(build.pid), "workers outlive the build"
        finished = {path.name for path in store.glob("[!.]*")}
        assert kept <= finished, "a finished step is never lost"
        kept = finished
        assert not output.exists() or check_release(output) == []
    _finish(_start(empty_cache, output, seed=1))
    assert open_release(output).manifest == demo_release.manifest
    assert check_release(output) == []
    assert _visible_and_hidden(output.parent) == ["demo"]
    steps = [name.rsplit("-", 1)[0] for name in _visible_and_hidden(store)]
    assert steps == sorted(DEMO_PROBLEMS)


@pytest.mark.slow
def test_two_builds_at_once_under_two_hash_seeds(tmp_path: Path, empty_cache: Path, demo_release: Release) -> None:
    """They share store and output, and each is as good as a clean one."""
    output = tmp_path / "releases" / "demo"
    builds = [_start(empty_cache, output, seed, workers=1) for seed in (2, 3)]
    for build in builds:
        _finish(build)
    assert open_release(output).manifest == demo_release.manifest
    assert check_release(output) == []
    assert _visible_and_hidden(output.parent) == ["demo"]
    assert len(_visible_and_hidden(empty_cache / "build")) == len(DEMO_PROBLEMS)


def test_unchanged_build_makes_nothing_again(
    demo_folder: Path, tmp_path: Path, empty_cache: Path, places: Places
) -> None:
    """Everything comes from the store: without any source the same release appears."""
    (empty_cache / "sources").unlink()
    (empty_cache / "build").symlink_to(places.store)
    _finish(_start(empty_cache, tmp_path / "demo", seed=4))
    assert open_release(tmp_path / "demo").manifest == open_release(demo_folder).manifest
