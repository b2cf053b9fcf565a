"""Publish a release folder on the hub: one commit with exactly the manifest's files, then a tag."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from scilaws_bench import schemas, strict_json
from scilaws_bench.errors import ReleaseError, SchemaError
from scilaws_bench.hashing import file_hash
from scilaws_bench.release import Release, open_release
from scilaws_bench.release.content import MANIFEST, manifest_hash
from scilaws_bench.release.hub import hub_errors
from scilaws_builders.release_build.check import CARDS, check_release

if TYPE_CHECKING:
    from huggingface_hub import HfApi
    from huggingface_hub.hf_api import RepoFile

_BRANCH = "main"
_KIND = "dataset"


@dataclass(frozen=True)
class PushFile:
    """One file that a push uploads.

    `content_hash` is the manifest's for tables and sealed gold (logical content, not bytes), the
    manifest hash for the manifest, and the SHA-256 of the bytes for the two texts beside them.
    """

    path: str
    size: int
    content_hash: str


@dataclass(frozen=True)
class Push:
    """What a push did, or in a dry run would do; `commit` is the commit the tag is on."""

    repo: str
    tag: str
    manifest_hash: str
    status: Literal["dry run", "pushed", "unchanged"]
    commit: str | None
    files: tuple[PushFile, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain dictionary for `--json` output."""
        return asdict(self)


def push_release(
    repo: str,
    folder: Path,
    *,
    tag: str | None = None,
    private: bool = False,
    allow_demo: bool = False,
    dry_run: bool = False,
) -> Push:
    """Publish a release folder as dataset `repo` and tag it, `v<version>` by default.

    Files of an older release that the new one does not have are removed in the same commit; files
    that no release brought are left alone. The tag is set only after the hub is seen to hold every
    file as it is here, so an interrupted push leaves no tag and can be repeated. If the tag is
    there already with this manifest, nothing is done. A dry run sends no request.

    Raises:
        ReleaseError: a release that may not be published (faults, not publishable, edition demo), a
            tag that holds something else, a public dataset where a private one was asked for, or a
            hub that kept other bytes.
        HubUnavailableError: the hub can't be reached, or refuses.
    """
    release = _publishable(folder, allow_demo)
    files = tuple(_files(release))
    tag = tag or f"v{release.manifest['version']}"
    identity = release.manifest["manifest_hash"]
    if dry_run:
        return Push(repo, tag, identity, "dry run", None, files)

    from huggingface_hub import HfApi

    api = HfApi()
    with hub_errors(repo):
        branches, tags = _refs(api, repo, private)
        if tag in tags:
            _require_same(_manifest_at(api, repo, tags[tag]), identity, f"tag {tag} of dataset {repo}")
            return Push(repo, tag, identity, "unchanged", tags[tag], files)
        commit = _commit(api, repo, branches.get(_BRANCH), release, files)
        _require_uploaded(api, repo, commit, release, files)
        api.create_tag(repo, tag=tag, revision=commit, repo_type=_KIND)
    return Push(repo, tag, identity, "pushed", commit, files)


def _publishable(folder: Path, allow_demo: bool) -> Release:
    folder = folder.resolve()  # a relative path that isn't there must not be looked up on the hub
    issues = check_release(folder)
    if issues:
        more = f" and {len(issues) - 1} more" if len(issues) > 1 else ""
        raise ReleaseError(
            f"release {folder}", "no fault", f"{issues[0]}{more}", "See `release check`; build it again."
        )
    release = open_release(folder)
    if not release.manifest["publishable"]:
        raise ReleaseError(
            f"release {folder}", "a publishable release", "tables whose licence is unverified",
            "Build one with `release build --publishable`.",
        )  # fmt: skip
    if release.manifest["edition"] == "demo" and not allow_demo:
        raise ReleaseError(
            f"release {folder}", "an edition to publish", "the demo edition", "Give --allow-demo if you mean it."
        )
    return release


def _files(release: Release) -> Iterable[PushFile]:
    hashes = {MANIFEST: release.manifest["manifest_hash"]}
    hashes |= {name: file_hash(release.path / name) for name in CARDS}
    hashes |= {entry["path"]: entry["content_hash"] for entry in _entries(release.manifest)}
    for path, content_hash in sorted(hashes.items()):
        yield PushFile(path, (release.path / path).stat().st_size, content_hash)


def _entries(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [*manifest["tables"], *manifest["sealed"]]


def _refs(api: HfApi, repo: str, private: bool) -> tuple[dict[str, str], dict[str, str]]:
    """Commits by branch and by tag of a dataset, which is created if there is none."""
    from huggingface_hub.errors import RepositoryNotFoundError

    try:
        visible = not api.dataset_info(repo).private
    except RepositoryNotFoundError:
        # Without --private the hub's own default holds: an organisation may want new datasets private.
        api.create_repo(repo, repo_type=_KIND, private=private or None, exist_ok=True)
        visible = not api.dataset_info(repo).private
    if private and visible:
        raise ReleaseError(
            f"dataset {repo}", "a private dataset, as --private asks", "a public one",
            "Make it private on the hub, or leave --private out.",
        )  # fmt: skip
    refs = api.list_repo_refs(repo, repo_type=_KIND)
    return (
        {ref.name: ref.target_commit for ref in refs.branches},
        {ref.name: ref.target_commit for ref in refs.tags},
    )


def _manifest_at(api: HfApi, repo: str, commit: str) -> dict[str, Any] | None:
    """The manifest of a commit, None if it holds none that can be read."""
    from huggingface_hub.errors import RemoteEntryNotFoundError

    try:
        manifest = strict_json.read(Path(api.hf_hub_download(repo, MANIFEST, repo_type=_KIND, revision=commit)))
    except (RemoteEntryNotFoundError, SchemaError):
        return None
    return None if schemas.problems_with("manifest", manifest, path=MANIFEST) else manifest


def _require_same(there: dict[str, Any] | None, identity: str, place: str) -> None:
    found = manifest_hash(there) if there else None
    if found != identity:
        raise ReleaseError(
            place, f"manifest hash {identity}", found or "no release",
            "A published tag is never moved: give the release a new version, or another --tag.",
        )  # fmt: skip


def _commit(api: HfApi, repo: str, head: str | None, release: Release, files: tuple[PushFile, ...]) -> str:
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

    older = (_manifest_at(api, repo, head) if head else None) or {"tables": [], "sealed": []}
    gone = {entry["path"] for entry in _entries(older)} - {file.path for file in files}
    if gone:
        gone &= set(api.list_repo_files(repo, repo_type=_KIND, revision=head))
    manifest = release.manifest
    return api.create_commit(
        repo,
        [
            *(CommitOperationDelete(path) for path in sorted(gone)),
            *(CommitOperationAdd(file.path, release.path / file.path) for file in files),
        ],
        commit_message=f"{manifest['name']} {manifest['version']} ({manifest['edition']} edition)",
        commit_description=f"manifest hash {manifest['manifest_hash']}",
        repo_type=_KIND,
        revision=_BRANCH,
        parent_commit=head,  # refused if somebody else pushed since the tags were read
    ).oid


def _require_uploaded(api: HfApi, repo: str, commit: str, release: Release, files: tuple[PushFile, ...]) -> None:
    """Every file is in the commit, byte for byte: an ignore list on the hub makes the client drop files silently."""
    from huggingface_hub.hf_api import RepoFile

    tree = api.list_repo_tree(repo, recursive=True, revision=commit, repo_type=_KIND)
    there = {entry.path: entry for entry in tree if isinstance(entry, RepoFile)}
    for file in files:
        if file.path not in there or not _same_bytes(there[file.path], release.path / file.path):
            raise ReleaseError(
                f"{file.path} of dataset {repo} at commit {commit}", "the bytes of the release folder",
                "other bytes" if file.path in there else "no such file",
                "No tag was set. Look for an ignore list in the dataset, then push again.",
            )  # fmt: skip


def _same_bytes(there: RepoFile, here: Path) -> bool:
    if there.lfs:
        return bool(there.lfs.sha256 == file_hash(here))
    content = here.read_bytes()
    git_blob = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False)
    return bool(there.blob_id == git_blob.hexdigest())
