"""Datasets of the local hub: commits of path to blob, branches and tags."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Blob:
    """Content of one file; `large` if it came through large-file storage."""

    content: bytes
    large: bool = False

    @property
    def git_id(self) -> str:
        return hashlib.sha1(b"blob %d\0" % len(self.content) + self.content).hexdigest()

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    @property
    def etag(self) -> str:
        return self.sha256 if self.large else self.git_id


@dataclass
class Repository:
    """A dataset: commits by id, branches and tags."""

    name: str
    private: bool
    commits: dict[str, dict[str, Blob]] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)

    def commit(self, files: dict[str, Blob], branch: str = "main") -> str:
        content = [(path, blob.sha256) for path, blob in sorted(files.items())]
        sha = hashlib.sha1(repr((self.name, len(self.commits), content)).encode()).hexdigest()
        self.commits[sha] = files
        self.branches[branch] = sha
        return sha

    def resolve(self, revision: str) -> str | None:
        sha = self.branches.get(revision) or self.tags.get(revision) or revision
        return sha if sha in self.commits else None

    def files(self, revision: str = "main") -> dict[str, Blob]:
        return self.commits[self.resolve(revision) or ""]

    def rewrite(self, path: str, content: bytes, revision: str = "main") -> None:
        """Alter a file inside an existing commit, as nobody honest would."""
        files = self.files(revision)
        files[path] = Blob(content, files[path].large)
