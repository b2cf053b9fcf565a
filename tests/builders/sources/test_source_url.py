"""Files behind URLs: pinned, capped, retried once, never half there."""

from __future__ import annotations

import json
import os
import signal
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from sources_harness import READ_FIRST, LocalServer, Stall, sha256, spawn, start, url_spec

from scilaws_bench.errors import SchemaError, SourceIntegrityError, SourceUnavailableError
from scilaws_builders.sources import open_source, url

DATA = b"temperature,pressure\n" + b"300.0,101.3\n" * 2000


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(url, "RETRY_WAIT_S", 0.0)


def entries(cache: Path) -> list[str]:
    """Everything in the cache but locks and folders of hashes."""
    return sorted(path.name for path in cache.glob("*/*/*"))


def test_downloads_once_and_then_reads_from_the_cache(server: LocalServer, tmp_path: Path) -> None:
    server.routes["/t.csv"] = DATA
    spec = url_spec(server.url + "/t.csv", DATA)
    files = open_source(spec, cache=tmp_path / "c")
    assert files.names() == ("table.csv",)
    assert files.read("table.csv") == DATA
    assert open_source(spec, cache=tmp_path / "c", offline=True).read("table.csv") == DATA
    assert server.hits["/t.csv"] == 1
    assert entries(tmp_path / "c") == ["data"]


def test_same_bytes_under_two_names_are_fetched_once(server: LocalServer, tmp_path: Path) -> None:
    server.routes["/t.csv"] = DATA
    one, two = url_spec(server.url + "/t.csv", DATA, "a"), url_spec(server.url + "/t.csv", DATA, "b")
    files = open_source({"kind": "url", "files": one["files"] + two["files"]}, cache=tmp_path)
    assert files.names() == ("a", "b")
    assert files.read("a") == files.read("b") == DATA
    assert server.hits["/t.csv"] == 1


@pytest.mark.parametrize(
    ("served", "found"),
    [
        pytest.param(
            DATA.replace(b"3", b"4"),
            f"{len(DATA)} bytes with sha256 {sha256(DATA.replace(b'3', b'4'))}",
            id="same size, other bytes",
        ),
        pytest.param(DATA[:-1], f"{len(DATA) - 1} bytes", id="shorter"),
        pytest.param(DATA + b"x" * 10_000_000, f"more than {len(DATA)} bytes", id="much longer"),
    ],
)
def test_wrong_bytes_are_refused_and_not_kept(server: LocalServer, tmp_path: Path, served: bytes, found: str) -> None:
    server.routes["/t.csv"] = served
    with pytest.raises(SourceIntegrityError, match=found) as caught:
        open_source(url_spec(server.url + "/t.csv", DATA), cache=tmp_path)
    assert sha256(DATA) in caught.value.expected
    assert entries(tmp_path) == []
    assert server.hits["/t.csv"] == 1


def truncated(handler: BaseHTTPRequestHandler) -> None:
    start(handler, len(DATA))
    handler.wfile.write(DATA[: len(DATA) // 2])


def busy(handler: BaseHTTPRequestHandler) -> None:
    handler.send_error(503)


@pytest.mark.parametrize("answer", [truncated, busy])
def test_broken_transfer_is_retried_once(server: LocalServer, tmp_path: Path, answer: object) -> None:
    spec = url_spec(server.url + "/t.csv", DATA)
    server.routes["/t.csv"] = answer  # type: ignore[assignment]
    with pytest.raises(SourceUnavailableError, match="mirror"):
        open_source(spec, cache=tmp_path)
    assert server.hits["/t.csv"] == 2
    assert entries(tmp_path) == []

    def recovering(handler: BaseHTTPRequestHandler) -> None:
        server.routes["/t.csv"] = DATA
        answer(handler)  # type: ignore[operator]

    server.routes["/t.csv"] = recovering
    assert open_source(spec, cache=tmp_path).read("table.csv") == DATA


def test_missing_file_is_not_asked_for_again(server: LocalServer, tmp_path: Path) -> None:
    with pytest.raises(SourceUnavailableError, match="404"):
        open_source(url_spec(server.url + "/gone.csv", DATA), cache=tmp_path)
    assert server.hits["/gone.csv"] == 1


def test_no_network(closed_port: int, tmp_path: Path) -> None:
    with pytest.raises(SourceUnavailableError, match=r"ConnectionError.*mirror"):
        open_source(url_spec(f"http://127.0.0.1:{closed_port}/t.csv", DATA), cache=tmp_path)


def test_silent_server_times_out(server: LocalServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(url, "TIMEOUT_S", 0.1)
    stall = Stall(DATA)
    server.routes["/t.csv"] = stall
    with pytest.raises(SourceUnavailableError, match="timed out"):
        open_source(url_spec(server.url + "/t.csv", DATA), cache=tmp_path)
    stall.release.set()


def test_offline_never_asks(server: LocalServer, tmp_path: Path) -> None:
    server.routes["/t.csv"] = DATA
    with pytest.raises(SourceUnavailableError, match="offline"):
        open_source(url_spec(server.url + "/t.csv", DATA), cache=tmp_path, offline=True)
    assert server.hits.total() == 0
    assert list(tmp_path.iterdir()) == []


def test_mirror_serves_renamed_bytes_without_network(closed_port: int, tmp_path: Path) -> None:
    (tmp_path / "m/deep").mkdir(parents=True)
    (tmp_path / "m/same-size").write_bytes(DATA.replace(b"3", b"4"))
    (tmp_path / "m/deep/renamed.bin").write_bytes(DATA)
    spec = url_spec(f"http://127.0.0.1:{closed_port}/t.csv", DATA)
    files = open_source(spec, cache=tmp_path / "c", mirror=tmp_path / "m")
    assert files.read("table.csv") == DATA
    assert not (tmp_path / "c").exists()


def test_altered_after_opening_is_noticed_at_reading(closed_port: int, tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(DATA)
    files = open_source(url_spec(f"http://127.0.0.1:{closed_port}/", DATA), cache=tmp_path / "c", mirror=tmp_path)
    (tmp_path / "t").write_bytes(DATA[::-1])
    with pytest.raises(SourceIntegrityError, match=sha256(DATA[::-1])):
        files.read("table.csv")
    (tmp_path / "t").unlink()
    with pytest.raises(SourceUnavailableError, match="No such file"):
        files.read("table.csv")


def test_unknown_and_repeated_names(server: LocalServer, tmp_path: Path) -> None:
    server.routes["/t.csv"] = DATA
    spec = url_spec(server.url + "/t.csv", DATA)
    with pytest.raises(SourceIntegrityError, match=r"one of table\.csv"):
        open_source(spec, cache=tmp_path).read("other.csv")
    with pytest.raises(SchemaError, match=r"two files called table\.csv"):
        open_source({"kind": "url", "files": spec["files"] * 2}, cache=tmp_path)


def test_killed_download_leaves_nothing_that_counts(server: LocalServer, tmp_path: Path) -> None:
    stall = Stall(DATA)
    server.routes["/t.csv"] = stall
    spec = url_spec(server.url + "/t.csv", DATA)
    child = spawn(READ_FIRST, json.dumps(spec), str(tmp_path))
    assert stall.half_sent.wait(timeout=20)
    os.kill(child.pid, signal.SIGKILL)
    child.communicate()
    stall.release.set()
    (leftover,) = entries(tmp_path)
    assert leftover.startswith("partial-")
    with pytest.raises(SourceUnavailableError, match="offline"):
        open_source(spec, cache=tmp_path, offline=True)

    server.routes["/t.csv"] = DATA
    assert open_source(spec, cache=tmp_path).read("table.csv") == DATA
    assert entries(tmp_path) == ["data"]


def test_two_processes_share_one_download(server: LocalServer, tmp_path: Path) -> None:
    stall = Stall(DATA)
    server.routes["/t.csv"] = stall
    spec = json.dumps(url_spec(server.url + "/t.csv", DATA))
    children = [spawn(READ_FIRST, spec, str(tmp_path)) for _ in range(2)]
    assert stall.half_sent.wait(timeout=20)
    stall.release.set()
    for child in children:
        out, err = child.communicate(timeout=20)
        assert (out, err) == (DATA.decode(), "")
    assert server.hits["/t.csv"] == 1
