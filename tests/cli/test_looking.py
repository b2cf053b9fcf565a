"""Commands that only look: `task`, `release`, `sandbox check`, and where they find a release."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from cli_harness import run

from scilaws_bench import strict_json
from scilaws_bench.release import Release
from scilaws_bench.sandbox import detect


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SCILAWS_RELEASE", raising=False)


def _put(folder: Path, edition: str) -> Path:
    place = Path("build") / "release" / edition
    shutil.copytree(folder, place)
    return place


def test_without_a_release_the_way_to_one_is_named() -> None:
    done = run("task", "list")
    assert done.code == 1
    assert done.out == ""
    assert done.err.startswith("error: release; expected a built or downloaded release; found none under build/release")
    assert "scilaws-bench release build" in done.err
    (error,) = run("task", "list", "--json").document["errors"]
    assert error["path"] == "release"
    assert all(error.values())


def test_the_release_is_found_by_option_variable_and_place(
    small_release: Release, demo_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found() -> int:
        return len(run("task", "list", "--json").document)

    _put(demo_folder, "demo")
    assert found() == 6
    _put(small_release.path, "public")
    assert found() == 2
    monkeypatch.setenv("SCILAWS_RELEASE", str(demo_folder))
    assert found() == 6
    assert len(run("task", "list", "--json", "--release", small_release.path).document) == 2
    monkeypatch.setenv("SCILAWS_RELEASE", "nowhere")
    done = run("task", "list")
    assert done.code == 1
    assert "nowhere" in done.err


def test_task_list_names_every_task(demo_release: Release) -> None:
    lines = run("task", "list", "--release", demo_release.path).out.splitlines()
    assert [line.split()[0] for line in lines] == list(demo_release.tasks)
    assert run("task", "list", "--release", demo_release.path, "--json").document == list(demo_release.tasks.values())


def test_task_show_tells_a_solver_everything_it_may_know(demo_release: Release) -> None:
    for task_id, task in demo_release.tasks.items():
        done = run("task", "show", task_id, "--release", demo_release.path)
        assert done.code == 0
        words = [
            task["title"], task["target"]["name"], task["target"]["unit"], task["metric"], task["licence"]["spdx"],
            task["records"]["config"], *(column["name"] for column in task["inputs"]),
            *(prior["name"] for prior in task["priors"]), *task["context"].splitlines(),
        ]  # fmt: skip
        assert [word for word in words if word not in done.out] == []
        assert run("task", "show", task_id, "--release", demo_release.path, "--json").document == task


def test_unknown_task_and_broken_release_are_errors(demo_release: Release, tmp_path: Path) -> None:
    done = run("task", "show", "scilaws_real/\x1b[31mred", "--release", demo_release.path)
    assert done.code == 1
    assert "\x1b" not in done.err
    assert "task list" in done.err
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "manifest.json").write_text("{")
    assert run("release", "info", broken, "--json").code == 1
    assert run("release", "info", broken, "--json").document["errors"]


def test_release_info_has_the_promised_facts(demo_release: Release) -> None:
    document = run("release", "info", demo_release.path, "--json").document
    facts = document["suites"]["scilaws_real"]
    assert {"tasks", "single", "multi", "disciplines", "reference_laws", "rows", "splits", "not_built"} <= set(facts)
    assert set(facts["reproductions"]) == {"run", "not_run"}
    assert (facts["tasks"], facts["single"], facts["multi"]) == (6, 3, 3)
    assert document["manifest_hash"] == demo_release.manifest["manifest_hash"]
    text = run("release", "info", demo_release.path).out
    assert "6 tasks (3 single-group, 3 multi-group)" in text
    assert document["manifest_hash"] in text


def test_release_diff_says_what_changed(demo_release: Release, small_release: Release) -> None:
    assert run("release", "diff", demo_release.path, demo_release.path).out == "identical\n"
    done = run("release", "diff", demo_release.path, small_release.path)
    assert done.code == 0
    lines = done.out.splitlines()
    removed = [line for line in lines if line.startswith("- ")]
    assert len(removed) == 8
    assert [line for line in lines if line.startswith("~ ")] == ["~ scilaws_real/test-00000-of-00001.parquet"]
    document = run("release", "diff", demo_release.path, small_release.path, "--json").document
    assert document["identical"] is False
    assert len(document["tables"]["removed"]) + len(document["sealed"]["removed"]) == 8


def test_release_check_lists_faults_and_exits_with_1(demo_folder: Path) -> None:
    good = _put(demo_folder, "demo")
    assert run("release", "check", good).code == 0
    (good / "left-over.txt").write_text("foreign")
    done = run("release", "check", good, "--json")
    assert done.code == 1
    assert any("left-over.txt" in issue["path"] for issue in done.document["issues"])


def test_sandbox_check_says_what_this_machine_can_do() -> None:
    done = run("sandbox", "check")
    report = detect()
    assert done.code == (0 if report.levels else 3)
    for row in report.rows:
        assert f"{row.mechanism:12} {'yes' if row.available else 'no'}" in done.out
    assert any(line.startswith("best level") for line in done.out.splitlines())
    assert run("sandbox", "check", "--json").document == strict_json.loads(strict_json.dumps(report.to_json()))
