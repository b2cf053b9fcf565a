"""A local HTTP server, tiny packages and processes to kill, for the tests of the sources."""

from __future__ import annotations

import base64
import hashlib
import io
import os
import subprocess
import sys
import tarfile
import textwrap
import threading
import zipfile
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

Answer = Callable[[BaseHTTPRequestHandler], None]


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class LocalServer:
    """HTTP on 127.0.0.1; `routes` maps a path to the bytes or the function that answers it."""

    def __init__(self) -> None:
        self.routes: dict[str, bytes | Answer] = {}
        self.hits: Counter[str] = Counter()
        self._server = _QuietServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                owner.hits[self.path] += 1
                answer = owner.routes.get(self.path)
                if answer is None:
                    self.send_error(404)
                elif callable(answer):
                    answer(self)
                else:
                    start(
                        self, len(answer), kind="text/html" if self.path.endswith("/") else "application/octet-stream"
                    )
                    self.wfile.write(answer)

            def log_message(self, *args: object) -> None:
                pass

        return Handler


class _QuietServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A killed client is what some tests are about; its broken pipe is no news."""


def start(handler: BaseHTTPRequestHandler, length: int, kind: str = "application/octet-stream") -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", kind)
    handler.send_header("Content-Length", str(length))
    handler.end_headers()


class Stall:
    """Answers with the first half of `data`, then holds the connection until `release`."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.half_sent = threading.Event()
        self.release = threading.Event()

    def __call__(self, handler: BaseHTTPRequestHandler) -> None:
        half = len(self._data) // 2
        start(handler, len(self._data))
        handler.wfile.write(self._data[:half])
        handler.wfile.flush()
        self.half_sent.set()
        self.release.wait(timeout=20)
        handler.wfile.write(self._data[half:])


def make_wheel(folder: Path, filename: str, files: dict[str, bytes], *, python: str = ">=3") -> Path:
    """A minimal installable wheel; `filename` decides name, version and tags, `python` is its Requires-Python."""
    name, version, tag = filename.removesuffix(".whl").split("-", 2)
    info = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nRequires-Python: {python}\n"
    everything = {
        **files,
        f"{info}/METADATA": metadata.encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: {tag}\n".encode(),
    }
    record = "".join(
        f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}\n"
        for path, data in everything.items()
    )
    path = folder / filename
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, data in {**everything, f"{info}/RECORD": f"{record}{info}/RECORD,,\n".encode()}.items():
            archive.writestr(member, data)
    return path


# A build backend inside the sdist itself, so that making its metadata needs nothing from an index.
_BACKEND = """
from pathlib import Path

def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    {body}
    info = Path(metadata_directory) / "{name}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n")
    return info.name

def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    raise NotImplementedError("nobody may build this")
"""


def make_sdist(folder: Path, name: str, version: str, files: dict[str, bytes], *, body: str = "pass") -> Path:
    """A minimal `.tar.gz` sdist; `body` runs when pip asks it for its metadata."""
    backend = _BACKEND.format(name=name, version=version, body=body)
    project = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
    everything = {
        **files,
        "PKG-INFO": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode(),
        "backend.py": backend.encode(),
        "pyproject.toml": project.encode(),
    }
    path = folder / f"{name}-{version}.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for member, data in everything.items():
            info = tarfile.TarInfo(f"{name}-{version}/{member}")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


def pypi_spec(archive: Path, distribution: str, version: str, members: dict[str, bytes]) -> dict[str, Any]:
    """The `source` block that pins this archive and these members."""
    return {
        "kind": "pypi",
        "distribution": distribution,
        "version": version,
        "archive": {"filename": archive.name, "sha256": sha256(archive.read_bytes())},
        "members": [{"path": path, "sha256": sha256(data)} for path, data in members.items()],
    }


def url_spec(url: str, data: bytes, name: str = "table.csv") -> dict[str, Any]:
    """The `source` block that pins `data` at `url`."""
    return {"kind": "url", "files": [{"name": name, "url": url, "sha256": sha256(data), "bytes": len(data)}]}


def spawn(code: str, *args: str) -> subprocess.Popen[str]:
    """A Python process of its own session that can import what this one can."""
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *args],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


READ_FIRST = """
import json, sys
from pathlib import Path
from scilaws_builders.sources import open_source
files = open_source(json.loads(sys.argv[1]), cache=Path(sys.argv[2]))
sys.stdout.write(files.read(files.names()[0]).decode())
"""
"""Code for `spawn`: open the source block in argument 1 with the cache in argument 2, print its first file."""
