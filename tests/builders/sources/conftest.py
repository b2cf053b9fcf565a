"""Fixtures of the sources' tests: local servers, and a pip that knows nothing else. No test needs a network."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sources_harness import LocalServer


@pytest.fixture(autouse=True)
def _direct_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def server() -> Iterator[LocalServer]:
    running = LocalServer()
    yield running
    running.close()


@pytest.fixture
def closed_port() -> int:
    """A port of this machine nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def links(tmp_path: Path) -> Path:
    """The only folder pip will look for packages in."""
    folder = tmp_path / "links"
    folder.mkdir()
    return folder


@pytest.fixture
def pip_sees_links(links: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """pip without its user's configuration, without an index, with `links`."""
    _bare_pip(monkeypatch)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(links))
    return links


@pytest.fixture
def pip_sees_index(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Point pip, without its user's configuration, at one index address."""

    def use(url: str) -> None:
        _bare_pip(monkeypatch)
        monkeypatch.setenv("PIP_INDEX_URL", url)

    return use


def _bare_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_RETRIES", "0")
