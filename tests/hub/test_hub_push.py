from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hub_clients import DROPPED, NAME, Client, change_manifest, fault, newer_release, push_all, put
from repositories import Blob
from server import TOKEN, Hub, RefusedError, serve

from scilaws_bench.errors import ReleaseError
from scilaws_bench.release import open_release
from scilaws_bench.release.gold import open_gold
from scilaws_builders.release_build.push import push_release


def push(client: Client, folder: Path, *options: str, token: str | None = TOKEN) -> tuple[int, Any]:
    return client.cli("release", "push", NAME, folder, "--allow-demo", *options, token=token)


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def writes(hub: Hub) -> list[str]:
    return [request for request in hub.requests if request.startswith(("POST", "PUT"))]


@pytest.fixture(scope="module")
def pushed(demo_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Hub, dict[str, Any]]]:
    """A hub to which the demo edition was pushed, and what the command said. Treat as read-only."""
    with serve() as served:
        code, report = push(Client(tmp_path_factory.mktemp("pusher"), served.url), demo_folder)
        assert (code, report["status"]) == (0, "pushed")
        yield served, report


def test_dry_run_lists_every_file_and_sends_nothing(hub: Hub, client: Client, demo_folder: Path) -> None:
    code, report = push(client, demo_folder, "--dry-run", token=None)
    assert (code, report["status"], report["tag"], report["commit"]) == (0, "dry run", "v0.1.0", None)
    sizes = {file["path"]: file["size"] for file in report["files"]}
    assert sizes == {path: len(content) for path, content in files_of(demo_folder).items()}
    manifest = open_release(demo_folder).manifest
    hashes = {file["path"]: file["content_hash"] for file in report["files"]}
    assert hashes["manifest.json"] == manifest["manifest_hash"]
    for entry in (*manifest["tables"], *manifest["sealed"]):
        assert hashes[entry["path"]] == entry["content_hash"]
    assert hub.requests == []


def test_push_is_one_commit_of_the_manifests_files_then_a_tag(
    pushed: tuple[Hub, dict[str, Any]], demo_folder: Path
) -> None:
    hub, report = pushed
    repository = hub.repositories[NAME]
    initial, commit = repository.commits
    assert repository.tags == {"v0.1.0": commit}
    assert repository.branches == {"main": commit}
    assert report["commit"] == commit
    there = {path: blob.content for path, blob in repository.files("v0.1.0").items()}
    assert there == files_of(demo_folder) | {".gitattributes": repository.files(initial)[".gitattributes"].content}
    assert not repository.private


def test_gold_on_the_hub_is_sealed(pushed: tuple[Hub, dict[str, Any]], demo_folder: Path) -> None:
    hub, _ = pushed
    release = open_release(demo_folder)
    laws = [law["source"] for task in release.tasks for law in open_gold(release, task)["references"]]
    assert len(laws) > len(release.tasks)
    for path, blob in hub.repositories[NAME].files().items():
        text = blob.content.decode("latin-1")
        if path.endswith(".parquet"):
            text = str(pq.read_table(pa.BufferReader(blob.content)).to_pylist())
        for law in laws:
            assert law not in text, path
            assert repr(law)[1:-1] not in text, path
        if path.startswith("gold/"):
            assert "def predict" not in text, path


def test_pushing_the_same_release_twice_is_a_no_op(
    pushed: tuple[Hub, dict[str, Any]], demo_folder: Path, tmp_path: Path
) -> None:
    hub, first = pushed
    before = writes(hub)
    code, second = push(Client(tmp_path, hub.url), demo_folder)
    assert (code, second["status"], second["commit"]) == (0, "unchanged", first["commit"])
    assert writes(hub) == before


def test_what_is_there_is_never_replaced_or_exposed(
    hub: Hub, client: Client, demo_folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "README.md").write_text("something else")
    reissued = newer_release(demo_folder, tmp_path / "reissued", "0.1.0")
    put(hub, "org/reissued", demo_folder, tag="v0.1.0")
    put(hub, "org/no-release", tmp_path / "other", tag="v0.1.0")
    put(hub, "org/public", demo_folder)
    other_manifest, no_release, public = push_all(
        client,
        ("org/reissued", reissued, {}),
        ("org/no-release", demo_folder, {}),
        ("org/public", demo_folder, {"private": True}),
    )
    assert {result["error"] for result in (other_manifest, no_release, public)} == {"ReleaseError"}
    assert open_release(reissued).manifest["manifest_hash"] in other_manifest["text"]
    assert other_manifest["found"] == open_release(demo_folder).manifest["manifest_hash"]
    assert no_release["found"] == "no release"
    assert public["found"] == "a public one"
    assert writes(hub) == []


def test_a_newer_release_removes_what_the_older_one_brought_and_nothing_else(
    hub: Hub, client: Client, demo_folder: Path, newer_folder: Path
) -> None:
    repository = put(hub, NAME, demo_folder, tag="v0.1.0")
    repository.commit(repository.files() | {"LICENSE": Blob(b"put there by hand")})
    (report,) = push_all(client, (NAME, newer_folder, {}))
    assert (report["status"], report["tag"]) == ("pushed", "v0.2.0")
    assert set(repository.files("v0.2.0")) == {*files_of(newer_folder), "LICENSE"}
    assert not any(DROPPED in path for path in repository.files())
    assert any(DROPPED in path for path in repository.files("v0.1.0"))


def test_a_push_interrupted_before_the_tag_can_be_repeated(hub: Hub, client: Client, demo_folder: Path) -> None:
    def fail_once() -> None:
        hub.before.clear()
        raise RefusedError(500, message="out of order")

    hub.before["tag"] = fail_once
    interrupted, repeated = push_all(client, (NAME, demo_folder, {}), (NAME, demo_folder, {}))
    assert interrupted["error"] == "HubUnavailableError"
    assert interrupted["found"].startswith("HTTP status 500")
    assert "out of order" in interrupted["found"]
    assert repeated["status"] == "pushed"
    repository = hub.repositories[NAME]
    assert len(repository.commits) == 2
    assert repository.tags == {"v0.1.0": repeated["commit"]} == {"v0.1.0": repository.branches["main"]}


def test_a_push_that_is_overtaken_by_another_is_refused(hub: Hub, client: Client, demo_folder: Path) -> None:
    def overtake() -> None:
        hub.repositories[NAME].commit({"README.md": Blob(b"the other one")})

    hub.before["commit"] = overtake
    (report,) = push_all(client, (NAME, demo_folder, {}))
    assert report["error"] == "HubUnavailableError"
    assert "412" in report["found"]
    assert hub.repositories[NAME].tags == {}


def test_an_ignore_list_on_the_hub_does_not_pass_for_a_release(hub: Hub, client: Client, demo_folder: Path) -> None:
    put(hub, NAME, demo_folder).commit({".gitignore": Blob(b"*.sealed\n")})
    (report,) = push_all(client, (NAME, demo_folder, {}))
    assert report["error"] == "ReleaseError"
    assert report["thing"].startswith("gold/")
    assert report["found"] == "no such file"
    assert hub.repositories[NAME].tags == {}


def test_private_is_kept_private(hub: Hub, client: Client, demo_folder: Path) -> None:
    (report,) = push_all(client, (NAME, demo_folder, {"private": True}))
    assert report["status"] == "pushed"
    assert hub.repositories[NAME].private
    code, report = client.cli("release", "info", NAME)
    assert (code, fault(report)["found"]) == (1, "neither")
    code, report = client.cli("release", "info", NAME, token=TOKEN)
    assert (code, report["version"]) == (0, "0.1.0")


def test_without_a_token_nothing_is_created(hub: Hub, client: Client, demo_folder: Path) -> None:
    code, report = push(client, demo_folder, token=None)
    assert code == 3
    assert "401" in fault(report)["found"]
    assert "hf auth login" in fault(report)["remedy"]
    assert hub.repositories == {}


def test_a_name_that_no_hub_can_have_is_a_usage_error(client: Client, demo_folder: Path) -> None:
    done = client.run("-m", "scilaws_bench", "release", "push", "just-a-name", str(demo_folder))
    assert done.returncode == 2
    assert "organisation/name" in done.stderr


def test_a_push_to_a_hub_that_is_down_is_infrastructure(demo_folder: Path, tmp_path: Path) -> None:
    code, report = push(Client(tmp_path, "http://127.0.0.1:9"), demo_folder)
    assert code == 3
    assert NAME in fault(report)["path"]


def test_a_folder_that_is_not_there_is_not_looked_up_on_the_hub(hub: Hub, client: Client, demo_folder: Path) -> None:
    put(hub, "some-org/other", demo_folder)
    code, report = push(client, Path("some-org/other"), "--dry-run")
    assert (code, hub.requests) == (1, [])
    assert "some-org/other" in fault(report)["path"]


# Refusals that need no hub: they come before the first request.


def test_the_demo_edition_is_refused_unless_allowed(release_copy: Path) -> None:
    with pytest.raises(ReleaseError, match="the demo edition"):
        push_release(NAME, release_copy)


def test_a_release_that_is_not_publishable_is_refused(release_copy: Path) -> None:
    change_manifest(release_copy, lambda manifest: manifest.update(publishable=False))
    with pytest.raises(ReleaseError, match="a publishable release"):
        push_release(NAME, release_copy, allow_demo=True)


@pytest.mark.parametrize("place", ["gold/scilaws_real/optical-dispersion.json", "gold.json", "records/.hidden/law.py"])
def test_a_stray_file_with_plaintext_gold_is_refused(release_copy: Path, place: str) -> None:
    release = open_release(release_copy)
    gold = open_gold(release, next(iter(release.tasks)))
    (release_copy / place).parent.mkdir(parents=True, exist_ok=True)
    (release_copy / place).write_text(gold["references"][0]["source"])
    with pytest.raises(ReleaseError, match="only files of the manifest") as caught:
        push_release(NAME, release_copy, allow_demo=True, dry_run=True)
    assert place in str(caught.value)


def test_a_link_in_place_of_a_file_is_refused(release_copy: Path, tmp_path: Path) -> None:
    readme = release_copy / "README.md"
    readme.rename(tmp_path / "elsewhere.md")
    readme.symlink_to(tmp_path / "elsewhere.md")
    with pytest.raises(ReleaseError, match=r"README\.md"):
        push_release(NAME, release_copy, allow_demo=True, dry_run=True)


def test_altered_records_are_refused(release_copy: Path) -> None:
    entry = open_release(release_copy).manifest["tables"][-1]
    table = pq.read_table(release_copy / entry["path"], partitioning=None)
    pq.write_table(table.slice(1), release_copy / entry["path"])
    with pytest.raises(ReleaseError, match=entry["content_hash"]):
        push_release(NAME, release_copy, allow_demo=True, dry_run=True)
