"""`scilaws-bench release build | info | diff | check` and `source list | check`, as a user runs them."""

from __future__ import annotations

import functools
import hashlib
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from small_problems import SmallProblem, packaged

from scilaws_bench import strict_json
from scilaws_bench.cli import main
from scilaws_bench.release import Release
from scilaws_builders.release_build import check as check_module
from scilaws_builders.release_build.problem_step import Places
from scilaws_builders.scilaws import check as folder_check
from scilaws_builders.scilaws.fits import read_lock, write_lock
from scilaws_builders.scilaws.problem import all_problems


def _run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def _json(result: Result) -> Any:
    return strict_json.loads(result.stdout)


@pytest.fixture
def small(single: SmallProblem, multi: SmallProblem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SmallProblem:
    """Two small problems as the package's own, with the cache below `tmp_path`."""
    single.write()
    multi.write()
    monkeypatch.setenv("SCILAWS_CACHE", str(tmp_path / "cache"))
    return single


def test_info_reports_the_facts_of_the_suite(demo_folder: Path, demo_release: Release) -> None:
    result = _run("release", "info", demo_folder, "--json")
    assert result.exit_code == 0
    facts = _json(result)["suites"]["scilaws_real"]
    tasks = list(demo_release.tasks.values())
    problems = [all_problems()[task["problem_id"]] for task in tasks]
    assert facts["tasks"] == len(tasks) == 6
    assert (facts["single"], facts["multi"]) == (3, 3)
    assert facts["disciplines"] == {task["discipline"]: 1 for task in tasks}
    assert facts["reference_laws"] == sum(len(problem.spec["references"]) for problem in problems)
    parts = [(task["records"]["rows"], task["scored"]["rows"], task["scored"]["fit_rows"]) for task in tasks]
    assert facts["rows"] == sum(map(sum, parts))
    assert sum(facts["splits"].values()) == 6
    assert facts["splits"]["held-out-groups"] == 3
    assert facts["reproductions"] == {"run": 2, "not_run": 0}
    assert [result["reproduced"] for result in facts["reproduction_results"]] == [True, True]
    assert facts["not_built"] == []
    text = _run("release", "info", demo_folder).stdout
    assert "6 tasks (3 single-group, 3 multi-group)" in text
    assert "published values: 2 recomputed, 0 not run" in text


@pytest.mark.usefixtures("only_small_problems")
def test_build_says_what_it_left_out_and_why(small: SmallProblem, tmp_path: Path) -> None:
    arguments = ("release", "build", "--offline", "--mirror", tmp_path / "mirror", "--output", tmp_path / "out")
    (tmp_path / "mirror" / "small_multi.csv").unlink()
    result = _run(*arguments)
    assert result.exit_code == 0
    assert "1 tasks (1 single-group, 0 multi-group)" in result.stdout
    assert "not built: small-multi: file table.csv (sha256" in result.stdout, "the person who builds reads all of it"
    manifest = strict_json.read(tmp_path / "out" / "manifest.json")
    assert _json(_run(*arguments, "--json")) == {"path": str(tmp_path / "out")} | manifest
    info = _run("release", "info", tmp_path / "out").stdout
    assert "not built: small-multi: source not reachable: https://example.invalid/small_multi.csv" in info


@pytest.mark.usefixtures("only_small_problems")
def test_build_that_can_not_be_done_exits_1_in_one_line(small: SmallProblem, tmp_path: Path) -> None:
    result = _run("release", "build", "--offline", "--output", tmp_path / "out")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "error: release public; expected at least one problem built" in result.stderr
    assert "Traceback" not in result.stderr


def _changed(folder: Path, target: Path, **facts: Any) -> Path:
    shutil.copytree(folder, target)
    manifest = strict_json.read(target / "manifest.json")
    for table in manifest["tables"]:
        if table["config"] == "records-optical-dispersion":
            table["content_hash"] = "0" * 64
    del manifest["sealed"][0]
    content = {key: value for key, value in manifest.items() if key != "manifest_hash"} | facts
    digest = hashlib.sha256(strict_json.canonical_bytes(content)).hexdigest()
    strict_json.write(target / "manifest.json", content | {"manifest_hash": digest})
    return target


def test_diff_names_parts_by_content(demo_folder: Path, tmp_path: Path) -> None:
    same = _json(_run("release", "diff", demo_folder, shutil.copytree(demo_folder, tmp_path / "same"), "--json"))
    assert same["identical"] is True
    other = _changed(demo_folder, tmp_path / "other")
    changes = _json(_run("release", "diff", demo_folder, other, "--json"))
    assert changes["identical"] is False
    assert changes["tables"]["changed"] == ["records/optical-dispersion/train-00000-of-00001.parquet"]
    assert changes["sealed"]["removed"] == ["gold/scilaws_real/adult-mortality.sealed"]
    text = _run("release", "diff", other, demo_folder).stdout.splitlines()
    assert text == [
        "~ records/optical-dispersion/train-00000-of-00001.parquet",
        "+ gold/scilaws_real/adult-mortality.sealed",
    ]
    assert _run("release", "diff", demo_folder, tmp_path / "same").stdout == "identical\n"


def _check(folder: Path, *more: str) -> tuple[int, Sequence[dict[str, str]]]:
    result = _run("release", "check", folder, "--json", *more)
    return result.exit_code, _json(result)["issues"]


def test_check_exits_1_and_lists_path_expected_found_remedy(demo_folder: Path, tmp_path: Path) -> None:
    assert _check(demo_folder) == (0, [])
    folder = Path(shutil.copytree(demo_folder, tmp_path / "altered"))
    (folder / "README.md").unlink()
    code, issues = _check(folder)
    assert (code, len(issues)) == (1, 1)
    assert set(issues[0]) == {"path", "expected", "found", "remedy"}
    assert issues[0]["path"] == "README.md"


def test_check_refit_catches_a_changed_lock(
    demo_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, places: Places
) -> None:
    assert _check(demo_folder, "--refit") == (0, [])
    fits = {name: {law: dict(values) for law, values in laws.items()} for name, laws in read_lock().items()}
    fits["red-giant-large-separation"]["kjeldsen_bedding_1995"]["mass"] *= 1.001
    write_lock(fits, tmp_path / "fits.lock")
    monkeypatch.setattr(check_module, "read_lock", functools.partial(read_lock, tmp_path / "fits.lock"))
    code, issues = _check(demo_folder, "--refit")
    assert code == 1
    assert [issue["path"] for issue in issues] == ["fits.lock red-giant-large-separation kjeldsen_bedding_1995 mass"]


@pytest.mark.usefixtures("only_small_problems")
def test_source_commands_tell_unreachable_from_altered(
    small: SmallProblem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = _json(_run("source", "list", "--json"))
    assert [(row["problem"], row["kind"], row["redistribution"]) for row in listed] == [
        ("small-multi", "url", "releasable"),
        ("small-single", "url", "releasable"),
    ]
    found = _run("source", "check", "--mirror", tmp_path / "mirror", "--json")
    assert found.exit_code == 0
    assert [row["ok"] for row in _json(found)] == [True, True]
    missing = _run("source", "check", "small-single", "--json")
    assert missing.exit_code == 3
    assert "found none, and the network may not be used" in _json(missing)[0]["reason"]
    small.write(lambda spec: spec.update(source=packaged(tmp_path / "mirror", member=b"altered")))
    altered = _run("source", "check", "small-single", "--mirror", tmp_path / "mirror", "--json")
    assert altered.exit_code == 1
    assert "table.csv" in _json(altered)[0]["reason"]
    unknown = _run("source", "check", "nobody")
    assert unknown.exit_code == 1
    assert "problem 'nobody'" in unknown.stderr


def test_folder_check_prints_metrics_and_broken_rules(small: SmallProblem, tmp_path: Path) -> None:
    arguments = [str(small.folder), "--mirror", str(tmp_path / "mirror")]
    sound = CliRunner().invoke(folder_check.main, arguments)
    assert sound.exit_code == 0, sound.output
    held_out = small.frame[small.frame["x"] > 25]
    rmse = float(np.sqrt(np.mean((held_out["y"] - 2.0 * held_out["x"]) ** 2)))
    assert f"rmse of slope_1900: {rmse:.8g}" in sound.output
    assert "  <- best" in sound.output
    small.write(lambda spec: spec.update(context="It follows a power law."))
    broken = CliRunner().invoke(folder_check.main, arguments)
    assert broken.exit_code == 1
    assert "broken: context_names_no_law: the task's text contains 'power law'" in broken.output
    (small.folder / "problem.yaml").write_text("id: [")
    faulty = CliRunner().invoke(folder_check.main, arguments)
    assert faulty.exit_code == 1
    assert faulty.stderr.startswith("error: ")
