"""`submission new | validate | score | verify` from the command line, and `demo`."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_harness import run

from bundle_kit import GOOD, OTHER, edit_answer, edit_scorecard, zip_bundle
from scilaws_bench import schemas, strict_json
from scilaws_bench.baselines import BASELINES, baseline_laws
from scilaws_bench.cli.submission import BASELINES as OFFERED
from scilaws_bench.release import Release
from scilaws_bench.submissions.bundle import SCORECARD

WHO = ("--name", "My run", "--system", "my agent 1.2", "--submitter", "Me")


def test_the_four_commands_of_the_readme(small_release: Release, tmp_path: Path) -> None:
    release = ("--release", small_release.path)
    laws = tmp_path / "my-laws"
    laws.mkdir()
    for task_id, source in baseline_laws("naive", small_release).items():
        (laws / f"{small_release.tasks[task_id]['problem_id']}.py").write_text(source)
    bundle = tmp_path / "my-bundle"
    made = run("submission", "new", bundle, "--laws", laws, *WHO, *release)
    assert (made.code, made.out) == (0, f"wrote {bundle}/submission.json with 2 answers\n")
    checked = run("submission", "validate", bundle, *release)
    assert (checked.code, checked.out) == (0, "no fault found: every answer can be scored\n")
    assert run("submission", "verify", bundle, *release).code == 1
    scored = run("submission", "score", bundle, *release)
    assert scored.code == 0
    assert scored.out.split()[:2] == [GOOD, "0.348933"]
    assert scored.out.endswith(f"wrote {bundle / SCORECARD} and claimed it in the bundle\n")
    assert "scoring: 2/2" in scored.err
    verified = run("submission", "verify", bundle, *release)
    assert verified.code == 0
    assert verified.out.startswith("verified: ")
    document = run("submission", "verify", bundle, *release, "--json").document
    assert document["confirmed"] is True
    assert document["counts"]["differs"] == document["counts"]["not verifiable"] == 0
    assert document["release"] == small_release.reference


def test_one_altered_score_is_caught_from_the_command_line(scored_bundle: Path, small_release: Release) -> None:
    verdicts = strict_json.read(scored_bundle / SCORECARD)["verdicts"]
    verdicts[0]["score"] = 0.5
    edit_scorecard(scored_bundle, verdicts=verdicts)
    done = run("submission", "verify", scored_bundle, "--release", small_release.path)
    assert done.code == 1
    lines = done.out.splitlines()
    assert lines[0] == f"differs: {GOOD} numeric_score: 0.500000 claimed, 0.348933 found (-0.151067)"
    assert lines[-1].startswith("NOT verified: ")


def test_a_zip_is_scored_without_being_changed(bundle: Path, small_release: Release, tmp_path: Path) -> None:
    path = zip_bundle(bundle, tmp_path / "bundle.zip")
    before = path.read_bytes()
    release = ("--release", small_release.path)
    done = run("submission", "score", path, *release)
    assert done.code == 0
    assert "nothing written: a zip file is not changed" in done.out
    output = tmp_path / "deep" / "card.json"
    document = run("submission", "score", path, *release, "--output", output, "--json").document
    assert schemas.problems_with("scorecard", document) == []
    assert strict_json.read(output) == document
    assert path.read_bytes() == before


def test_faults_are_said_before_scoring_and_cost_exit_code_1(bundle: Path, small_release: Release) -> None:
    edit_answer(bundle, task_id="scilaws_real/unheard-of")
    done = run("submission", "score", bundle, "--release", small_release.path, "--json")
    assert done.code == 1
    assert done.err.startswith("fault: scilaws_real/unheard-of: expected a task of the release")
    by_task = {verdict["task_id"]: verdict for verdict in done.document["verdicts"]}
    assert by_task[GOOD]["score"] == 0.348933
    assert by_task[OTHER]["reason"] == "no answer submitted"


def test_a_scorecard_that_cannot_be_written_is_no_traceback(
    bundle: Path, small_release: Release, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    options = ("--release", small_release.path, "--output", tmp_path / "file" / "card.json")
    done = run("submission", "score", bundle, *options)
    assert done.code == 3
    assert str(tmp_path / "file") in done.err
    again = run("submission", "score", bundle, *options[:2])
    assert "verdicts kept: 2" in again.err


def test_new_wants_laws_or_a_baseline(small_release: Release, tmp_path: Path) -> None:
    release = ("--release", small_release.path)
    for choice in ((), ("--laws", tmp_path, "--baseline", "naive")):
        done = run("submission", "new", tmp_path / "b", *choice, *WHO, *release)
        assert done.code == 2
        assert "exactly one of --laws, --baseline and --from-log" in done.err
    bad_date = run("submission", "new", tmp_path / "b", "--baseline", "naive", *WHO, *release, "--created", "today")
    assert bad_date.code == 1
    assert "created" in bad_date.err
    assert run("submission", "new", tmp_path / "b", "--baseline", "naive", *WHO, *release).code == 0
    occupied = run("submission", "new", tmp_path / "b", "--baseline", "symbolic-regression", *WHO, *release)
    assert occupied.code == 1  # at once, not after minutes of search
    assert "a new or empty folder" in occupied.err


def test_every_baseline_is_offered() -> None:
    assert set(OFFERED) == set(BASELINES)


def test_scores_without_isolation_must_be_asked_for_and_are_not_verifiable(
    bundle: Path, small_release: Release
) -> None:
    release = ("--release", small_release.path)
    scored = run("submission", "score", bundle, *release, "--isolation", "none", "--json")
    assert scored.document["isolation"] == "none"
    done = run("submission", "verify", bundle, *release)
    assert done.code == 1
    assert "computed without isolation" in done.out


@pytest.mark.parametrize("verb", ["score", "verify"])
def test_a_level_this_machine_lacks_is_infrastructure(
    verb: str, scored_bundle: Path, small_release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scilaws_bench.sandbox import Mechanism, Report, levels

    missing = Report(tuple(Mechanism(name, False, "gone", "get it") for name in ("packages", "seccomp")), None)
    monkeypatch.setattr(levels, "detect", lambda: missing)
    done = run("submission", verb, scored_bundle, "--release", small_release.path, "--json")
    assert done.code == 3
    (error,) = done.document["errors"]
    assert "seccomp: gone" in error["found"]
    assert "get it" in error["remedy"]
