"""A hub of datasets on loopback for tests: what `datasets` and `huggingface_hub` ask for, nothing more.

Repositories are kept in memory as commits (path to blob). As on a real hub a new dataset starts with a
`.gitattributes`, parquet files go through large-file storage, a `.gitignore` makes clients leave files
out, writes need a token, and whoever may not see a dataset is told it isn't there. Clients must be
started with `HF_HUB_DISABLE_XET=1`: the chunked transfer protocol is not here.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from fnmatch import fnmatch
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from repositories import Blob, Repository

TOKEN = "hf_token_of_the_local_hub"


class RefusedError(Exception):
    """An answer other than success."""

    def __init__(self, status: int, code: str = "", message: str = "") -> None:
        self.status, self.code, self.message = status, code, message


class Hub:
    """State of the hub and its address.

    `requests` is what it was asked and answered, as `METHOD path status`; a function under
    `before[action]` runs first whenever that action is asked for, and may raise RefusedError.
    """

    def __init__(self) -> None:
        self.repositories: dict[str, Repository] = {}
        self.large_files: dict[str, bytes] = {}
        self.requests: list[str] = []
        self.before: dict[str, Callable[[], None]] = {}
        self.lock = threading.RLock()
        self.url = ""


@contextmanager
def serve() -> Iterator[Hub]:
    """A hub on a free loopback port for as long as the block lasts."""
    hub = Hub()

    class Handler(_Handler):
        state = hub

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        hub.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield hub
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    state: Hub

    def log_message(self, *args: Any) -> None:
        """Keep the test output clean."""

    def _handle(self) -> None:
        body = self._body()
        split = urlsplit(self.path)
        self.query = {key: values[0] for key, values in parse_qs(split.query).items()}
        try:
            with self.state.lock if self.command in ("POST", "PUT") else nullcontext():
                self._answer(split.path, body)
        except RefusedError as refused:
            headers = {"X-Error-Code": refused.code} if refused.code else {}
            headers |= {"X-Error-Message": refused.message} if refused.message else {}
            self._send(b"{}", refused.status, headers)

    def _answer(self, path: str, body: bytes) -> None:
        for pattern, methods, action in _ROUTES:
            found = re.fullmatch(pattern, path)
            if found and self.command in methods:
                self.state.before.get(action.__name__, lambda: None)()
                parts = {key: unquote(value or "") for key, value in found.groupdict().items()}
                action(self, body=body, **parts)
                return
        raise RefusedError(404, message="no such endpoint")

    do_GET = do_HEAD = do_POST = do_PUT = _handle  # noqa: N815

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        chunks = []
        while size := int(self.rfile.readline(), 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)

    def _send(self, content: bytes, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self.state.requests.append(f"{self.command} {urlsplit(self.path).path} {status}")
        self.send_response(status)
        for key, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def _send_json(self, value: Any) -> None:
        self._send(json.dumps(value).encode())

    def _authorised(self) -> bool:
        return self.headers.get("Authorization") == f"Bearer {TOKEN}"

    def _require_token(self) -> None:
        if not self._authorised():
            raise RefusedError(401, message="Invalid username or password.")

    def _repository(self, name: str) -> Repository:
        repository = self.state.repositories.get(name)
        if repository is None or (repository.private and not self._authorised()):
            raise RefusedError(404 if self._authorised() else 401, "RepoNotFound", "Repository not found")
        return repository

    def _commit_of(self, repository: Repository, revision: str) -> tuple[str, dict[str, Blob]]:
        sha = repository.resolve(revision or "main")
        if sha is None:
            raise RefusedError(404, "RevisionNotFound", f"Invalid rev id: {revision}")
        return sha, repository.commits[sha]

    # Reading

    def resolve(self, name: str, revision: str, path: str, body: bytes) -> None:
        sha, files = self._commit_of(self._repository(name), revision)
        if path not in files:
            self._send(b"{}", 404, {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": sha})
            return
        blob = files[path]
        headers = {
            "X-Repo-Commit": sha,
            "ETag": f'"{blob.etag}"',
            "Accept-Ranges": "bytes",
            "Content-Type": "application/octet-stream",
        }
        if blob.large:
            headers |= {"X-Linked-ETag": f'"{blob.etag}"', "X-Linked-Size": str(len(blob.content))}
        wanted = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        if not wanted:
            self._send(blob.content, headers=headers)
            return
        size = len(blob.content)
        first, last = wanted.groups()
        start = int(first) if first else max(size - int(last), 0)
        end = min(int(last), size - 1) if first and last else size - 1
        if start > end:
            self._send(b"", 416, headers | {"Content-Range": f"bytes */{size}"})
        else:
            ranged = headers | {"Content-Range": f"bytes {start}-{end}/{size}"}
            self._send(blob.content[start : end + 1], 206, ranged)

    def info(self, name: str, body: bytes, revision: str = "") -> None:
        repository = self._repository(name)
        sha, files = self._commit_of(repository, revision)
        self._send_json(
            {
                "id": name,
                "sha": sha,
                "private": repository.private,
                "gated": False,
                "disabled": False,
                "tags": [],
                "downloads": 0,
                "likes": 0,
                "lastModified": "2026-01-01T00:00:00.000Z",
                "siblings": [{"rfilename": path} for path in sorted(files)],
            }
        )

    def refs(self, name: str, body: bytes) -> None:
        repository = self._repository(name)

        def listed(kind: str, refs: dict[str, str]) -> list[dict[str, str]]:
            return [{"name": ref, "ref": f"refs/{kind}/{ref}", "targetCommit": sha} for ref, sha in refs.items()]

        self._send_json(
            {
                "branches": listed("heads", repository.branches),
                "tags": listed("tags", repository.tags),
                "converts": [],
            }
        )

    def tree(self, name: str, revision: str, body: bytes, path: str = "") -> None:
        _, files = self._commit_of(self._repository(name), revision)
        prefix = f"{path}/" if path else ""
        entries: dict[str, dict[str, Any]] = {}
        for file, blob in sorted(files.items()):
            if not file.startswith(prefix):
                continue
            inner = file.removeprefix(prefix).split("/")
            for depth in range(1, len(inner)):
                folder = prefix + "/".join(inner[:depth])
                entries[folder] = {"type": "directory", "path": folder, "oid": "0" * 40, "size": 0}
            entries[file] = {"type": "file", "path": file, "oid": blob.git_id, "size": len(blob.content)}
            if blob.large:
                entries[file]["lfs"] = {"oid": blob.sha256, "size": len(blob.content), "pointerSize": 134}
        if path and not entries:
            raise RefusedError(404, "EntryNotFound", f"{path} does not exist")
        if self.query.get("recursive", "").lower() not in ("true", "1"):
            entries = {key: entry for key, entry in entries.items() if "/" not in key.removeprefix(prefix)}
        self._send_json(list(entries.values()))

    # Writing

    def create(self, body: bytes) -> None:
        self._require_token()
        wanted = json.loads(body)
        name = f"{wanted['organization']}/{wanted['name']}"
        if name in self.state.repositories:
            self._send(json.dumps({"url": f"{self.state.url}/datasets/{name}"}).encode(), 409)
            return
        repository = Repository(name, wanted.get("visibility") == "private")
        repository.commit({".gitattributes": Blob(b"*.parquet filter=lfs diff=lfs merge=lfs -text\n")})
        self.state.repositories[name] = repository
        self._send_json({"url": f"{self.state.url}/datasets/{name}"})

    def validate_yaml(self, body: bytes) -> None:
        content = json.loads(body)["content"]
        errors = [] if content.startswith("---\n") else [{"message": "no YAML header"}]
        self._send_json({"errors": errors, "warnings": []})

    def preupload(self, name: str, revision: str, body: bytes) -> None:
        self._require_token()
        _, files = self._commit_of(self._repository(name), revision)
        ignored = files[".gitignore"].content.decode().split() if ".gitignore" in files else []
        answers = []
        for file in json.loads(body)["files"]:
            path = file["path"]
            answers.append(
                {
                    "path": path,
                    "uploadMode": "lfs" if path.endswith(".parquet") else "regular",
                    "shouldIgnore": any(fnmatch(path, pattern) for pattern in ignored),
                    **({"oid": files[path].etag} if path in files else {}),
                }
            )
        self._send_json({"files": answers})

    def batch(self, name: str, body: bytes) -> None:
        self._require_token()
        self._repository(name)
        objects = []
        for wanted in json.loads(body)["objects"]:
            entry = {"oid": wanted["oid"], "size": wanted["size"]}
            if wanted["oid"] not in self.state.large_files:
                entry["actions"] = {"upload": {"href": f"{self.state.url}/large/{wanted['oid']}"}}
            objects.append(entry)
        self._send_json({"transfer": "basic", "objects": objects})

    def large(self, oid: str, body: bytes) -> None:
        if hashlib.sha256(body).hexdigest() != oid:
            raise RefusedError(400, message="content and object id differ")
        self.state.large_files[oid] = body
        self._send(b"")

    def commit(self, name: str, revision: str, body: bytes) -> None:
        self._require_token()
        repository = self._repository(name)
        head, files = self._commit_of(repository, revision)
        files = dict(files)
        for line in body.splitlines():
            item = json.loads(line)
            key, value = item["key"], item["value"]
            if key == "header":
                if value.get("parentCommit", head) != head:
                    raise RefusedError(412, message="A commit has happened since. Please refresh and try again.")
            elif key == "file":
                files[value["path"]] = Blob(base64.b64decode(value["content"]))
            elif key == "lfsFile":
                files[value["path"]] = Blob(self.state.large_files[value["oid"]], large=True)
            elif key == "deletedFile":
                if files.pop(value["path"], None) is None:
                    raise RefusedError(404, "EntryNotFound", f"{value['path']} does not exist")
            else:
                raise RefusedError(400, message=f"unknown operation {key}")
        sha = repository.commit(files, revision)
        self._send_json(
            {"success": True, "commitOid": sha, "commitUrl": f"{self.state.url}/datasets/{name}/commit/{sha}"}
        )

    def tag(self, name: str, revision: str, body: bytes) -> None:
        self._require_token()
        repository = self._repository(name)
        sha, _ = self._commit_of(repository, revision)
        wanted = json.loads(body)["tag"]
        if wanted in repository.tags:
            raise RefusedError(409, message=f"Tag {wanted} already exists")
        repository.tags[wanted] = sha
        self._send_json({})


_REPOSITORY = r"(?P<name>[^/]+/[^/]+?)"
_API = rf"/api/datasets/{_REPOSITORY}"
_REVISION = r"(?P<revision>[^/]+)"
_ROUTES: list[tuple[str, tuple[str, ...], Callable[..., None]]] = [
    (rf"/datasets/{_REPOSITORY}/resolve/{_REVISION}/(?P<path>.+)", ("GET", "HEAD"), _Handler.resolve),
    (_API, ("GET",), _Handler.info),
    (rf"{_API}/revision/{_REVISION}", ("GET",), _Handler.info),
    (rf"{_API}/refs", ("GET",), _Handler.refs),
    (rf"{_API}/tree/{_REVISION}(?:/(?P<path>.+))?", ("GET",), _Handler.tree),
    (r"/api/repos/create", ("POST",), _Handler.create),
    (r"/api/validate-yaml", ("POST",), _Handler.validate_yaml),
    (rf"{_API}/preupload/{_REVISION}", ("POST",), _Handler.preupload),
    (rf"/datasets/{_REPOSITORY}\.git/info/lfs/objects/batch", ("POST",), _Handler.batch),
    (r"/large/(?P<oid>[0-9a-f]{64})", ("PUT",), _Handler.large),
    (rf"{_API}/commit/{_REVISION}", ("POST",), _Handler.commit),
    (rf"{_API}/tag/{_REVISION}", ("POST",), _Handler.tag),
]
