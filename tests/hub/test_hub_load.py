from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hub_clients import DROPPED, NAME, Client, fault, newer_release, push_all, put
from repositories import Repository
from server import TOKEN, Hub, RefusedError

from scilaws_bench import strict_json
from scilaws_bench.baselines import baseline_laws
from scilaws_bench.release import Release, open_release
from scilaws_bench.sandbox import InProcess
from scilaws_bench.submissions import create_submission, load_submission, score_submission
from scilaws_bench.submissions.bundle import claim_scorecard

LOADING = """
from datasets import get_dataset_config_names, get_dataset_split_names, load_dataset
from scilaws_bench.hashing import table_hash

def hash_of(config, split, **options):
    return table_hash(load_dataset(NAME, config, split=split, **options).data.table)
"""


def loading(code: str) -> str:
    return f"NAME = {NAME!r}\n{LOADING}\n{code}"


OPENING = """
from scilaws_bench.errors import ScilawsError
from scilaws_bench.release import open_release
from scilaws_bench.release.gold import open_gold

def outcome(name, **options):
    try:
        release = open_release(name, **options)
        return [release.manifest["version"], len(release.tasks)]
    except ScilawsError as error:
        return [type(error).__name__, str(error)]
"""


def opening(code: str) -> str:
    return f"NAME = {NAME!r}\n{OPENING}\n{code}"


def hashes(release: Release) -> dict[str, str]:
    return {entry["config"]: entry["content_hash"] for entry in release.manifest["tables"]}


def downloaded(hub: Hub) -> list[str]:
    return [request for request in hub.requests if request.startswith("GET") and ".parquet" in request]


# datasets.load_dataset


def test_every_config_of_a_pinned_tag_loads_after_a_newer_push(
    client: Client, demo_release: Release, newer_folder: Path
) -> None:
    reports = push_all(client, (NAME, demo_release.path, {}), (NAME, newer_folder, {}))
    assert [report["tag"] for report in reports] == ["v0.1.0", "v0.2.0"]
    code = """
pinned = {"revision": "v0.1.0"}
names = get_dataset_config_names(NAME, **pinned)
splits = {name: get_dataset_split_names(NAME, name, **pinned) for name in names}
result = {
    "old": {name: hash_of(name, splits[name][0], **pinned) for name in names},
    "splits": splits,
    "default": hash_of(None, "test", **pinned),
    "new": {name: hash_of(name, splits[name][0]) for name in get_dataset_config_names(NAME)},
}
"""
    result = client.python(loading(code))
    assert result["old"] == hashes(demo_release)
    assert result["splits"] == {entry["config"]: [entry["split"]] for entry in demo_release.manifest["tables"]}
    assert result["default"] == hashes(demo_release)["scilaws_real"]
    assert result["new"] == hashes(open_release(newer_folder))


def test_offline_the_cache_serves_the_newest_version_whatever_revision_is_asked(
    published: Repository, hub: Hub, client: Client, demo_release: Release, newer_folder: Path
) -> None:
    client.python(loading("result = [hash_of('scilaws_real', 'test', revision=r) for r in ('v0.1.0', 'v0.2.0')]"))
    hub.requests.clear()
    code = f"""
try:
    hash_of("records-{DROPPED}", "train")
    uncached = "loaded"
except ValueError as error:
    uncached = str(error)
result = [hash_of("scilaws_real", "test", revision="v0.1.0"), uncached]
"""
    served, uncached = client.python(loading(code), offline=True)
    assert served == hashes(open_release(newer_folder))["scilaws_real"] != hashes(demo_release)["scilaws_real"]
    assert "Couldn't find cache" in uncached
    assert hub.requests == []


def test_streaming_reads_ranges_and_keeps_no_table(
    published: Repository, hub: Hub, client: Client, demo_release: Release, tmp_path: Path
) -> None:
    hub.requests.clear()
    code = """
stream = load_dataset(NAME, "records-optical-dispersion", split="train", streaming=True, revision="v0.1.0")
result = list(stream)
"""
    rows = client.python(loading(code))
    assert rows == demo_release.table("records-optical-dispersion", "train").to_pylist()
    assert downloaded(hub)
    assert all(request.endswith(" 206") for request in downloaded(hub))
    assert not list(tmp_path.rglob("*.arrow"))


# open_release


def test_open_release_by_name(published: Repository, client: Client) -> None:
    code = "result = [outcome(NAME), outcome(NAME, revision='v0.1.0'), outcome(NAME, revision='v0.2.0')]"
    assert client.python(opening(code)) == [["0.2.0", 5], ["0.1.0", 6], ["0.2.0", 5]]


def test_open_release_by_commit_fetches_the_whole_release_and_nothing_else(
    published: Repository, hub: Hub, client: Client, demo_folder: Path
) -> None:
    commit = published.tags["v0.1.0"]
    code = f"""
opened = open_release(NAME, revision={commit!r})
result = [str(opened.path), [len(open_gold(opened, task)["references"]) for task in opened.tasks]]
"""
    path, laws = client.python(opening(code))
    found = {str(file.relative_to(path)): file.read_bytes() for file in Path(path).rglob("*") if file.is_file()}
    assert found == {
        str(file.relative_to(demo_folder)): file.read_bytes() for file in demo_folder.rglob("*") if file.is_file()
    }
    assert len(laws) == 6
    hub.requests.clear()
    assert client.python(opening(code), offline=True) == [path, laws]
    assert hub.requests == []


def test_open_release_says_what_is_wrong(published: Repository, client: Client) -> None:
    expected = {
        "'some-org/none'": "dataset some-org/none; expected a folder of that path, or a dataset on the hub",
        "'some--org/none'": "dataset 'some--org/none'; expected a name a hub can have",
        "NAME, revision='v9'": f"dataset {NAME} at revision v9; expected a branch, tag or commit of it",
        "NAME, manifest_hash='0' * 64": f"release {NAME}; expected manifest hash 0000",
        "'nowhere', revision='v0.1.0'": "A folder has no revisions",
        "'../some/where'": "no such folder",
    }
    results = client.python(opening(f"result = [{', '.join(f'outcome({call})' for call in expected)}]"))
    for said, (kind, text) in zip(expected.values(), results, strict=True):
        assert kind == "ReleaseError"
        assert said in text


def test_a_dataset_that_is_no_release_costs_no_download(hub: Hub, client: Client, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "big.parquet").write_bytes(b"much")
    put(hub, NAME, tmp_path / "other")
    kind, text = client.python(opening("result = outcome(NAME)"))
    assert (kind, "manifest.json" in text) == ("ReleaseError", True), text
    assert downloaded(hub) == []


def test_an_existing_folder_is_never_looked_up(hub: Hub, client: Client, demo_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "some-org").mkdir()
    (tmp_path / NAME).symlink_to(demo_folder)
    code = f"import os\nos.chdir({str(tmp_path)!r})\nresult = outcome(NAME)"
    assert client.python(opening(code)) == ["0.1.0", 6]
    assert hub.requests == []


@pytest.mark.parametrize(("offline", "said"), [(False, "refused"), (True, "offline mode is enabled")])
def test_a_hub_that_is_out_of_reach_is_infrastructure(offline: bool, said: str, tmp_path: Path) -> None:
    code, report = Client(tmp_path, "http://127.0.0.1:9").cli("release", "info", NAME, offline=offline)
    assert code == 3
    assert fault(report)["path"] == f"dataset {NAME}"
    assert said in fault(report)["found"]


@pytest.mark.parametrize(("action", "answers"), [("info", 0), ("tree", 0), ("resolve", 0), ("resolve", 5)])
def test_a_hub_that_fails_midway_leaves_nothing_that_passes_for_a_release(
    hub: Hub, client: Client, demo_folder: Path, action: str, answers: int
) -> None:
    left = iter(range(answers))

    def fail_after_a_while() -> None:
        if next(left, None) is None:
            raise RefusedError(403, message="out of order")  # the client repeats requests answered with 5xx for long

    put(hub, NAME, demo_folder)
    hub.before[action] = fail_after_a_while
    online = client.python(opening("result = outcome(NAME)"))
    offline = client.python(opening("result = outcome(NAME)"), offline=True)
    assert [online[0], offline[0]] == ["HubUnavailableError", "HubUnavailableError"]


def test_altered_files_on_the_hub_are_caught(hub: Hub, client: Client, demo_release: Release) -> None:
    repository = put(hub, NAME, demo_release.path)
    table, gold = demo_release.manifest["tables"][-1], demo_release.manifest["sealed"][0]
    altered = demo_release.path / demo_release.manifest["tables"][-2]["path"]
    repository.rewrite(table["path"], altered.read_bytes())
    repository.rewrite(gold["path"], repository.files()[gold["path"]].content[:-1] + b"!")
    code = f"""
opened = open_release(NAME)
result = []
reads = [
    lambda: opened.table({table["config"]!r}, {table["split"]!r}),
    lambda: open_gold(opened, {gold["task_id"]!r}),
]
for read in reads:
    try:
        read()
    except ScilawsError as error:
        result.append(str(error))
"""
    records, sealed = client.python(opening(code))
    assert table["content_hash"] in records
    assert gold["path"] in sealed


def test_an_altered_manifest_on_the_hub_is_caught(hub: Hub, client: Client, demo_release: Release) -> None:
    repository = put(hub, NAME, demo_release.path)
    repository.rewrite("manifest.json", strict_json.canonical_bytes(demo_release.manifest | {"version": "0.1.1"}))
    kind, text = client.python(opening("result = outcome(NAME)"))
    assert (kind, "expected manifest hash" in text) == ("ReleaseError", True), text


# A version number and a revision name a release; only the manifest hash identifies it.


def test_verify_refuses_another_release_that_the_offline_cache_serves(
    hub: Hub, client: Client, demo_release: Release, tmp_path: Path
) -> None:
    put(hub, NAME, demo_release.path)
    bundle = tmp_path / "bundle"
    system = {"name": "naive", "kind": "baseline", "details": ""}
    laws = baseline_laws("naive", demo_release)
    create_submission(
        bundle,
        demo_release,
        dict([laws.popitem()]),
        name="naive",
        system=system,
        submitter={"name": "test", "contact": ""},
        created="2026-01-01",
    )
    claim_scorecard(bundle, score_submission(load_submission(bundle), demo_release, InProcess()))
    reissued = newer_release(demo_release.path, tmp_path / "reissued", demo_release.manifest["version"])
    put(hub, NAME, reissued)
    assert client.cli("release", "info", NAME)[0] == 0  # now the newest is in the cache
    hub.requests.clear()

    code, report = client.cli("submission", "verify", bundle, "--release", NAME, "--isolation", "none", offline=True)
    assert (code, report["confirmed"]) == (1, False)
    (claim,) = report["claims"]
    assert claim["status"] == "not verifiable"
    assert "release.manifest_hash" in claim["reason"]
    identity = demo_release.manifest["manifest_hash"]
    kind, text = client.python(opening(f"result = outcome(NAME, manifest_hash={identity!r})"), offline=True)
    assert (kind, identity in text) == ("ReleaseError", True)
    assert hub.requests == []


# The hub itself


@pytest.mark.slow
def test_the_clients_own_calls_work_on_this_hub(hub: Hub, client: Client, newer_folder: Path) -> None:
    code = f"""
from huggingface_hub import DatasetCard, HfApi
api = HfApi()
api.create_repo({NAME!r}, repo_type="dataset", exist_ok=True)
api.create_repo({NAME!r}, repo_type="dataset", exist_ok=True)
DatasetCard.load({str(newer_folder / "README.md")!r}).validate(repo_type="dataset")
api.upload_folder(
    repo_id={NAME!r}, repo_type="dataset", folder_path={str(newer_folder)!r}, allow_patterns=["*.parquet", "README.md"],
)
api.create_tag({NAME!r}, repo_type="dataset", tag="first")
api.upload_folder(
    repo_id={NAME!r}, repo_type="dataset", folder_path={str(newer_folder)!r}, allow_patterns=["manifest.json"],
    delete_patterns=["*.md"],
)
refs = api.list_repo_refs({NAME!r}, repo_type="dataset")
result = [sorted(api.list_repo_files({NAME!r}, repo_type="dataset", revision=r)) for r in ("first", "main")]
assert [tag.name for tag in refs.tags] == ["first"]
"""
    first, main = client.python(code, token=TOKEN)
    tables = [entry["path"] for entry in open_release(newer_folder).manifest["tables"]]
    assert first == sorted([".gitattributes", "README.md", *tables])
    assert main == sorted([".gitattributes", "manifest.json", *tables])
    repository = hub.repositories[NAME]
    assert {path for path, blob in repository.files().items() if blob.large} == set(tables)
    assert pq.read_table(newer_folder / tables[0]).num_rows == 5
