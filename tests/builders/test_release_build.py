"""Releases of small problems: what is left out and why, and what an output folder may be (pitfalls 24, 70)."""

from __future__ import annotations

import json
import threading
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from small_problems import SmallProblem, packaged

from scilaws_bench.errors import ProblemError, ReleaseError, SourceIntegrityError
from scilaws_bench.release import open_release
from scilaws_builders.release_build import BuildOptions, build_release, check_release
from scilaws_builders.release_build.problem_step import Built, Places, build_problem

pytestmark = pytest.mark.usefixtures("only_small_problems")
REPRODUCTION = {"law": "local_slope", "published": 0.1, "basis": "pooled", "tolerance": 9.0, "where": "here"}


@pytest.fixture
def executor() -> Any:
    with ThreadPoolExecutor(1) as pool:
        yield pool


@pytest.fixture
def options(single: SmallProblem, multi: SmallProblem, tmp_path: Path) -> BuildOptions:
    """Both small problems, written, with their mirror; `small-multi` has a published value."""
    single.write()
    multi.write(lambda spec: spec.update(reproduction=REPRODUCTION))
    return BuildOptions("public", tmp_path / "out", single.places)


def _facts(manifest: dict[str, Any]) -> dict[str, Any]:
    facts: dict[str, Any] = manifest["suites"]["scilaws_real"]
    return facts


def test_facts_of_a_whole_release(options: BuildOptions, executor: Executor) -> None:
    seen: list[Built] = []
    manifest = build_release(options, executor=executor, progress=lambda built, count, total: seen.append(built))
    facts = _facts(manifest)
    assert {built.problem_id for built in seen} == {"small-single", "small-multi"}
    assert {key: facts[key] for key in ("tasks", "single", "multi", "reference_laws", "rows")} == {
        "tasks": 2, "single": 1, "multi": 1, "reference_laws": 4, "rows": 80,
    }  # fmt: skip
    assert facts["disciplines"] == {"Biology": 2}
    assert facts["splits"] == {"held-out-groups": 1, "input-range-extrapolation": 1}
    assert facts["reproductions"] == {"run": 1, "not_run": 0}
    assert facts["reproduction_results"][0]["reproduced"] is True
    assert facts["not_built"] == facts["build_only"] == facts["reproductions_not_run"] == []
    assert manifest["publishable"] is True
    assert check_release(options.output) == []
    assert options.output.stat().st_mode & 0o777 == 0o755


def test_unreachable_source_is_reported_with_its_reproduction(options: BuildOptions, executor: Executor) -> None:
    (options.output.parent / "mirror" / "small_multi.csv").unlink()
    seen: dict[str, Built] = {}
    manifest = build_release(
        options, executor=executor, progress=lambda built, count, total: seen.update({built.problem_id: built})
    )
    reason = "source not reachable: https://example.invalid/small_multi.csv"
    facts = _facts(manifest)
    assert facts["tasks"] == 1
    assert facts["not_built"] == facts["reproductions_not_run"] == [{"id": "small-multi", "reason": reason}]
    assert facts["reproductions"] == {"run": 0, "not_run": 1}
    assert [source["problem"] for source in manifest["sources"]] == ["small-single"]
    assert "sha256" in seen["small-multi"].detail, "the person who builds is told more"
    card = (options.output / "README.md").read_text()
    assert f"- small-multi: {reason}" in card
    assert check_release(options.output) == []


def test_manifest_does_not_depend_on_where_it_was_built(
    options: BuildOptions, executor: Executor, tmp_path: Path
) -> None:
    (tmp_path / "mirror" / "small_multi.csv").unlink()
    first = build_release(options, executor=executor)
    elsewhere = replace(options.places, sources=tmp_path / "other" / "sources", store=tmp_path / "other" / "store")
    second = build_release(replace(options, places=elsewhere, output=tmp_path / "other" / "out"), executor=executor)
    assert first == second


def test_publishable_release_leaves_out_unverified_licences(
    options: BuildOptions, executor: Executor, multi: SmallProblem
) -> None:
    multi.write(lambda spec: spec["licence"].update(spdx="NOASSERTION", redistribution="build-only"))
    local = build_release(options, executor=executor)
    assert (_facts(local)["tasks"], local["publishable"], _facts(local)["build_only"]) == (2, False, ["small-multi"])
    public = build_release(replace(options, publishable=True), executor=executor)
    facts = _facts(public)
    assert (facts["tasks"], public["publishable"], facts["build_only"]) == (1, True, [])
    assert facts["not_built"] == [{"id": "small-multi", "reason": "licence NOASSERTION: build-only, never released"}]
    assert facts["reproductions"] == {"run": 0, "not_run": 1}
    files = [path for path in options.output.rglob("*") if "small-multi" in path.name]
    assert files == []


def test_nothing_built_is_an_error_and_no_release(options: BuildOptions, executor: Executor, tmp_path: Path) -> None:
    nowhere = Places(tmp_path / "s", tmp_path / "b", None, None, offline=True)
    with pytest.raises(ReleaseError, match=r"small-multi: source not reachable.*small-single"):
        build_release(replace(options, places=nowhere), executor=executor)
    assert not options.output.exists()


def test_broken_rule_stops_the_build_and_keeps_the_older_release(
    options: BuildOptions, executor: Executor, single: SmallProblem
) -> None:
    before = build_release(options, executor=executor)
    single.write(lambda spec: spec.update(context="It follows a power law."))
    with pytest.raises(ProblemError, match=r"problem small-single.*context_names_no_law"):
        build_release(options, executor=executor)
    assert open_release(options.output).manifest == before


def test_other_bytes_than_the_pinned_ones_stop_the_build(
    options: BuildOptions, executor: Executor, single: SmallProblem, tmp_path: Path
) -> None:
    single.write(lambda spec: spec.update(source=packaged(tmp_path / "mirror", member=b"altered")))
    with pytest.raises(SourceIntegrityError, match=r"table\.csv"):
        build_release(options, executor=executor)
    assert not options.output.exists()


def test_altered_file_in_a_mirror_is_not_the_one_looked_for(
    options: BuildOptions, executor: Executor, tmp_path: Path
) -> None:
    table = tmp_path / "mirror" / "small.csv"
    table.write_bytes(table.read_bytes().replace(b"1.0", b"9.0", 1))
    facts = _facts(build_release(options, executor=executor))
    assert [entry["id"] for entry in facts["not_built"]] == ["small-single"]


def test_member_that_records_ask_for_and_the_source_lacks_stops_the_build(
    options: BuildOptions, executor: Executor, single: SmallProblem
) -> None:
    single.records_source = "def records(source):\n    return source.read('gone.csv')\n"
    single.write()
    with pytest.raises(SourceIntegrityError, match=r"gone\.csv"):
        build_release(options, executor=executor)


def test_changed_problem_is_built_again(options: BuildOptions, executor: Executor, single: SmallProblem) -> None:
    first = build_release(options, executor=executor)
    single.write(lambda spec: spec.update(title="Growth told anew"))
    second = build_release(options, executor=executor)
    assert second["manifest_hash"] != first["manifest_hash"]
    assert open_release(options.output).tasks["scilaws_real/small-single"]["title"] == "Growth told anew"


def test_upstream_source_without_pins_is_built_again_when_its_bytes_change(
    single: SmallProblem, tmp_path: Path
) -> None:
    upstream = tmp_path / "upstream" / "task"
    upstream.mkdir(parents=True)
    single.frame.to_csv(upstream / "table.csv", index=False)
    single.write()
    problem = single.load(lambda spec: spec.update(source={"kind": "upstream", "problem": "task"}))
    places = replace(single.places, upstream=upstream.parent)
    first = build_problem(problem, places)
    assert build_problem(problem, places) == first
    (single.frame * 2).to_csv(upstream / "table.csv", index=False)
    assert build_problem(problem, places).folder != first.folder


@pytest.mark.parametrize(
    "content",
    ['{"name": "my extension", "manifest_version": 3}', '{"name": "theirs", "manifest_hash": "0"}', "[]", "{", None],
    ids=["other", "alike", "list", "broken", "none"],
)
def test_output_that_is_no_release_is_never_replaced(
    options: BuildOptions, executor: Executor, content: str | None
) -> None:
    """Many programs keep a manifest.json; a build once took any for an older release, and removed the folder."""
    options.output.mkdir()
    (options.output / "precious.txt").write_text("mine")
    if content is not None:
        (options.output / "manifest.json").write_text(content)
    with pytest.raises(ReleaseError, match="a new or empty folder or an older release"):
        build_release(options, executor=executor)
    assert (options.output / "precious.txt").read_text() == "mine"


def test_output_that_is_a_file_is_refused(options: BuildOptions, executor: Executor) -> None:
    options.output.write_text("mine")
    with pytest.raises(ReleaseError, match="something else"):
        build_release(options, executor=executor)


def test_older_release_is_replaced_whole_and_never_missing(
    options: BuildOptions, executor: Executor, tmp_path: Path
) -> None:
    build_release(options, executor=executor)
    stale = options.output / "gold" / "stale.sealed"
    stale.write_text("of an older version")
    seen: set[bool] = set()
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            seen.add((options.output / "manifest.json").is_file())

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(3):
        build_release(options, executor=executor)
    stop.set()
    reader.join()
    assert seen == {True}
    assert not stale.exists()
    assert check_release(options.output) == []
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_link_to_a_release_stays_a_link(options: BuildOptions, executor: Executor, tmp_path: Path) -> None:
    link = tmp_path / "current"
    build_release(options, executor=executor)
    link.symlink_to(options.output)
    build_release(replace(options, output=link), executor=executor)
    assert link.is_symlink()
    assert check_release(options.output) == []


def test_worker_that_is_killed_is_an_error_with_a_remedy(options: BuildOptions, single: SmallProblem) -> None:
    """The kernel kills the largest process when memory runs out."""
    single.records_source = "import os\n\ndef records(source):\n    os.kill(os.getpid(), 9)\n"
    single.write()
    with pytest.raises(ReleaseError, match="a worker that finishes; found one that was killed"):
        build_release(options)


def test_manifest_file_is_the_returned_one(options: BuildOptions, executor: Executor) -> None:
    manifest = build_release(options, executor=executor)
    assert json.loads((options.output / "manifest.json").read_text()) == manifest
