"""Members of packages: real pip, tiny packages, every way it can fail."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from sources_harness import READ_FIRST, LocalServer, Stall, make_sdist, make_wheel, pypi_spec, sha256, spawn, start

from scilaws_bench.errors import SchemaError, SourceIntegrityError, SourceUnavailableError
from scilaws_builders.sources import open_source

TABLE = b"x,y\n1,2\n" * 500
WHEEL = "tinydata-1.2-py3-none-any.whl"
MEMBER = "tinydata/table.csv"


def tiny_wheel(folder: Path, filename: str = WHEEL, table: bytes = TABLE) -> dict[str, Any]:
    archive = make_wheel(folder, filename, {MEMBER: table, "tinydata/__init__.py": b"raise SystemExit('imported')"})
    return pypi_spec(archive, "tinydata", "1.2", {MEMBER: table})


@pytest.mark.parametrize(
    "filename",
    [
        WHEEL,
        "tinydata-1.2-py2.py3-none-any.whl",
        "tinydata-1.2-cp39-cp39-win_amd64.whl",
        "tinydata-1.2-cp38-abi3-macosx_11_0_arm64.whl",
        "tinydata-1.2-py3-none-manylinux1_x86_64.manylinux_2_5_x86_64.whl",
        "tinydata-1.2-pp310-pypy310_pp73-manylinux_2_28_aarch64.whl",
    ],
)
def test_wheel_of_any_tags_comes_on_this_machine(pip_sees_links: Path, tmp_path: Path, filename: str) -> None:
    spec = tiny_wheel(pip_sees_links, filename)
    files = open_source(spec, cache=tmp_path / "c")
    assert files.names() == (MEMBER,)
    assert files.read(MEMBER) == TABLE
    (tmp_path / "links" / filename).unlink()
    assert open_source(spec, cache=tmp_path / "c", offline=True).read(MEMBER) == TABLE
    assert [path.name for path in (tmp_path / "c/archives").glob("*/*")] == [filename]


def test_wheel_for_another_python_is_only_read_and_so_comes(pip_sees_links: Path, tmp_path: Path) -> None:
    archive = make_wheel(pip_sees_links, WHEEL, {MEMBER: TABLE}, python="<3")
    files = open_source(pypi_spec(archive, "tinydata", "1.2", {MEMBER: TABLE}), cache=tmp_path / "c")
    assert files.read(MEMBER) == TABLE


def test_sdist_comes_although_a_wheel_is_there(pip_sees_links: Path, tmp_path: Path) -> None:
    tiny_wheel(pip_sees_links)
    archive = make_sdist(pip_sees_links, "tinydata", "1.2", {"tests/table.csv": TABLE})
    path = "tinydata-1.2/tests/table.csv"
    spec = pypi_spec(archive, "tinydata", "1.2", {path: TABLE})
    assert open_source(spec, cache=tmp_path / "c").read(path) == TABLE


def test_sdist_that_cannot_make_metadata_comes_from_the_mirror(pip_sees_links: Path, tmp_path: Path) -> None:
    archive = make_sdist(pip_sees_links, "tinydata", "1.2", {"table.csv": TABLE}, body="import no_such_thing")
    spec = pypi_spec(archive, "tinydata", "1.2", {"tinydata-1.2/table.csv": TABLE})
    with pytest.raises(SourceUnavailableError, match=r"metadata.*no_such_thing.*mirror"):
        open_source(spec, cache=tmp_path / "c")
    archive.rename(tmp_path / "links/renamed.gz")
    files = open_source(spec, cache=tmp_path / "c", mirror=tmp_path / "links")
    assert files.read("tinydata-1.2/table.csv") == TABLE


def test_mirror_comes_before_pip(closed_port: int, tmp_path: Path, pip_sees_index: Callable[[str], None]) -> None:
    pip_sees_index(f"http://127.0.0.1:{closed_port}/simple")
    (tmp_path / "m").mkdir()
    spec = tiny_wheel(tmp_path / "m")
    make_wheel(tmp_path / "m", "other-1-py3-none-any.whl", {"a": b"1"})
    (tmp_path / "m" / WHEEL).rename(tmp_path / "m/zzz.whl")
    assert open_source(spec, cache=tmp_path / "c", mirror=tmp_path / "m").read(MEMBER) == TABLE
    assert not (tmp_path / "c").exists()


def test_index_with_other_bytes(pip_sees_links: Path, tmp_path: Path) -> None:
    spec = tiny_wheel(pip_sees_links)
    tiny_wheel(pip_sees_links, table=b"forged")
    forged = sha256((pip_sees_links / WHEEL).read_bytes())
    with pytest.raises(SourceIntegrityError, match=forged) as caught:
        open_source(spec, cache=tmp_path / "c")
    assert caught.value.expected.endswith(spec["archive"]["sha256"])
    assert list((tmp_path / "c/archives").glob("*/*")) == []


def test_version_that_does_not_exist(pip_sees_links: Path, tmp_path: Path) -> None:
    spec = tiny_wheel(pip_sees_links)
    (pip_sees_links / WHEEL).rename(pip_sees_links / "tinydata-1.3-py3-none-any.whl")
    with pytest.raises(SourceUnavailableError, match=r"a wheel of this version.*from versions: 1\.3"):
        open_source(spec, cache=tmp_path / "c")


@pytest.mark.parametrize("problem", ["closed port", "server error"])
def test_index_that_cannot_be_reached(
    server: LocalServer, closed_port: int, tmp_path: Path, pip_sees_index: Callable[[str], None], problem: str
) -> None:
    server.routes["/simple/tinydata/"] = lambda handler: handler.send_error(503)
    pip_sees_index(f"http://127.0.0.1:{closed_port}/simple" if problem == "closed port" else f"{server.url}/simple")
    with pytest.raises(SourceUnavailableError, match="package index that pip can reach; found Could not fetch URL"):
        open_source(tiny_wheel(tmp_path), cache=tmp_path / "c")


def test_index_that_does_not_know_the_package(
    server: LocalServer, tmp_path: Path, pip_sees_index: Callable[[str], None]
) -> None:
    pip_sees_index(f"{server.url}/simple")
    with pytest.raises(SourceUnavailableError, match="a wheel of this version"):
        open_source(tiny_wheel(tmp_path), cache=tmp_path / "c")


def test_transfer_that_breaks_off(server: LocalServer, tmp_path: Path, pip_sees_index: Callable[[str], None]) -> None:
    spec = tiny_wheel(tmp_path)
    pip_sees_index(indexed(server, tmp_path / WHEEL))
    data = (tmp_path / WHEEL).read_bytes()

    def truncated(handler: BaseHTTPRequestHandler) -> None:
        start(handler, len(data))
        handler.wfile.write(data[:-100])

    server.routes[f"/files/{WHEEL}"] = truncated
    # Older pips do not count the bytes and call it a wrong hash.
    with pytest.raises((SourceUnavailableError, SourceIntegrityError)):
        open_source(spec, cache=tmp_path / "c")
    assert list((tmp_path / "c/archives").glob("*/*")) == []


def test_python_without_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "bare")], check=True)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bare/bin/python"))
    with pytest.raises(SourceUnavailableError, match="ensurepip"):
        open_source(tiny_wheel(tmp_path), cache=tmp_path / "c")


def test_offline_does_not_start_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("pip was started"))
    with pytest.raises(SourceUnavailableError, match="offline"):
        open_source(tiny_wheel(tmp_path), cache=tmp_path / "c", offline=True)


def test_altered_cached_archive_is_fetched_again(pip_sees_links: Path, tmp_path: Path) -> None:
    spec = tiny_wheel(pip_sees_links)
    open_source(spec, cache=tmp_path / "c")
    (entry,) = (tmp_path / "c/archives").glob("*/*")
    entry.write_bytes(entry.read_bytes()[:-100])
    assert open_source(spec, cache=tmp_path / "c").read(MEMBER) == TABLE


def test_member_missing_unpinned_or_altered(tmp_path: Path) -> None:
    spec = tiny_wheel(tmp_path)
    spec["members"] += [{"path": "gone.csv", "sha256": sha256(b"")}]
    spec["members"] += [{"path": "tinydata/__init__.py", "sha256": sha256(b"something else")}]
    files = open_source(spec, cache=tmp_path / "c", mirror=tmp_path)
    assert files.read(MEMBER) == TABLE
    with pytest.raises(SourceIntegrityError, match="no such member"):
        files.read("gone.csv")
    with pytest.raises(SourceIntegrityError, match=sha256(b"something else")):
        files.read("tinydata/__init__.py")
    with pytest.raises(SourceIntegrityError, match="one of the pinned members"):
        files.read("tinydata-1.2.dist-info/METADATA")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("version", "1.3"),
        ("distribution", "otherdata"),
        ("filename", "tinydata-1.2.tar.bz2"),
        ("filename", "../tinydata-1.2.tar.gz"),
        ("filename", "tinydata-1.2-py3.whl"),
    ],
)
def test_block_that_contradicts_itself(tmp_path: Path, key: str, value: str) -> None:
    spec = tiny_wheel(tmp_path)
    (spec if key in spec else spec["archive"])[key] = value
    with pytest.raises(SchemaError, match="filename of a wheel or sdist"):
        open_source(spec, cache=tmp_path / "c", mirror=tmp_path)


def test_member_named_twice_and_unknown_kind(tmp_path: Path) -> None:
    spec = tiny_wheel(tmp_path)
    spec["members"] *= 2
    with pytest.raises(SchemaError, match="named twice"):
        open_source(spec, cache=tmp_path / "c", mirror=tmp_path)
    with pytest.raises(SchemaError, match="pypi, url or upstream"):
        open_source({"kind": "ftp"}, cache=tmp_path / "c")


def indexed(server: LocalServer, archive: Path) -> str:
    """Serve one archive on an index of its own; the index's address."""
    link = f"<a href='/files/{archive.name}#sha256={sha256(archive.read_bytes())}'>{archive.name}</a>"
    server.routes["/simple/tinydata/"] = f"<!DOCTYPE html><html><body>{link}</body></html>".encode()
    server.routes[f"/files/{archive.name}"] = archive.read_bytes()
    return f"{server.url}/simple"


def test_killed_pip_leaves_nothing_that_counts(
    server: LocalServer, tmp_path: Path, pip_sees_index: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "system").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "system"))
    spec = tiny_wheel(tmp_path)
    pip_sees_index(indexed(server, tmp_path / WHEEL))
    stall = Stall((tmp_path / WHEEL).read_bytes())
    server.routes[f"/files/{WHEEL}"] = stall
    child = spawn(READ_FIRST, json.dumps(spec), str(tmp_path / "c"))
    assert stall.half_sent.wait(timeout=20)
    # The session is the child's own: this ends the child and its pip, nothing else.
    os.killpg(child.pid, signal.SIGKILL)
    child.communicate()
    stall.release.set()
    assert list((tmp_path / "system").iterdir()) == []
    with pytest.raises(SourceUnavailableError, match="offline"):
        open_source(spec, cache=tmp_path / "c", offline=True)

    server.routes[f"/files/{WHEEL}"] = (tmp_path / WHEEL).read_bytes()
    assert open_source(spec, cache=tmp_path / "c").read(MEMBER) == TABLE
    assert [path.name for path in (tmp_path / "c/archives").glob("*/*")] == [WHEEL]


def test_two_processes_start_one_pip(
    server: LocalServer, tmp_path: Path, pip_sees_index: Callable[[str], None]
) -> None:
    spec = json.dumps(tiny_wheel(tmp_path))
    pip_sees_index(indexed(server, tmp_path / WHEEL))
    children = [spawn(READ_FIRST, spec, str(tmp_path / "c")) for _ in range(2)]
    for child in children:
        out, err = child.communicate(timeout=30)
        assert (out, err) == (TABLE.decode(), "")
    assert server.hits[f"/files/{WHEEL}"] == 1
