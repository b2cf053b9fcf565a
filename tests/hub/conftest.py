"""A hub with two versions of the demo edition on it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hub_clients import NAME, Client, newer_release, put
from repositories import Repository
from server import Hub, serve


@pytest.fixture
def hub() -> Iterator[Hub]:
    """A hub with nothing on it."""
    with serve() as served:
        yield served


@pytest.fixture
def client(hub: Hub, tmp_path: Path) -> Client:
    """A client of `hub` with a fresh cache."""
    return Client(tmp_path / "home", hub.url)


@pytest.fixture
def release_copy(demo_folder: Path, tmp_path: Path) -> Path:
    """A copy of the demo edition that a test may change."""
    return Path(shutil.copytree(demo_folder, tmp_path / "release"))


@pytest.fixture(scope="session")
def newer_folder(demo_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Version 0.2.0 of the demo edition, with one problem less. Treat as read-only."""
    return newer_release(demo_folder, tmp_path_factory.mktemp("newer") / "release", "0.2.0")


@pytest.fixture
def published(hub: Hub, demo_folder: Path, newer_folder: Path) -> Repository:
    """The dataset `NAME` on `hub` with 0.1.0 and then 0.2.0, both tagged; `main` is the newer."""
    for version, folder in (("v0.1.0", demo_folder), ("v0.2.0", newer_folder)):
        repository = put(hub, NAME, folder, tag=version)
    return repository
