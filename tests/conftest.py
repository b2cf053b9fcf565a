"""Fixtures shared by all tests: one demo release, one sandbox, the mirror where there is one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from scilaws_bench.errors import SandboxUnavailableError
from scilaws_bench.release import Release, open_release
from scilaws_bench.sandbox import Sandbox
from scilaws_builders.release_build import BuildOptions, build_release
from scilaws_builders.release_build.problem_step import Places
from scilaws_builders.sources import default_cache

REPOSITORY = Path(__file__).parents[1]
DEMO_FOLDER = REPOSITORY / "build" / "test" / "demo"


@pytest.fixture(scope="session")
def places() -> Places:
    """Where builds of the tests read and keep things: the user's cache, no mirror."""
    cache = default_cache()
    return Places(cache, cache.parent / "build", None, None, offline=False)


@pytest.fixture(scope="session")
def demo_folder(places: Places) -> Path:
    """Folder of the demo edition, built once for all test processes. Treat as read-only."""
    DEMO_FOLDER.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(DEMO_FOLDER.parent / "demo.lock"):
        run = os.environ.get("PYTEST_XDIST_TESTRUNUID", "")
        stamp = DEMO_FOLDER.parent / "demo.run"
        if not (run and stamp.is_file() and stamp.read_text() == run):
            build_release(BuildOptions("demo", DEMO_FOLDER, places))
            stamp.write_text(run)
    return DEMO_FOLDER


@pytest.fixture(scope="session")
def demo_release(demo_folder: Path) -> Release:
    """The opened demo edition."""
    return open_release(demo_folder)


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    """One sandbox at the best level of this machine."""
    try:
        with Sandbox("auto") as opened:
            yield opened
    except SandboxUnavailableError as error:
        pytest.skip(f"this machine can't isolate laws: {error}")


@pytest.fixture(scope="session")
def mirror() -> Path:
    """Folder with the pinned url files; tests that need it are skipped, visibly, where there is none."""
    for candidate in (os.environ.get("SCILAWS_MIRROR"), REPOSITORY.parent / "shared" / "sources"):
        if candidate and Path(candidate).is_dir():
            return Path(candidate)
    pytest.skip("not run: no mirror of the pinned url files (set SCILAWS_MIRROR)")
