"""Strict denominators, rescoring, laws and records of a log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from evals_harness import GOOD_LAW, MULTI, SINGLE, Run, saying, scripted, submitting
from inspect_ai import score as inspect_score
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.solver import Generate, Solver, TaskState, solver

from scilaws_bench.errors import ReleaseError, SubmissionError
from scilaws_bench.release import Release
from scilaws_bench.sandbox import Sandbox
from scilaws_bench.submissions import create_submission, load_submission, validate_submission
from scilaws_evals.cli import rescore
from scilaws_evals.results import (
    bundle_of_log,
    laws_of_log,
    logged_scores,
    open_log,
    require_release,
    rescore_log,
    strict_scores,
)
from scilaws_evals.scorer import numeric_score

BOTH = f"{SINGLE},{MULTI}"


@solver
def breaking_on_groups() -> Solver:
    """Submits in single-group tasks; raises what no agent should raise in the others."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if state.metadata["structure"] == "multi":
            raise ZeroDivisionError("a fault of the agent's own code")
        state.store.set("LawSession:law", GOOD_LAW)
        state.store.set("LawSession:outcome", "submitted")
        return state

    return solve


@pytest.fixture
def solved(run: Run) -> EvalLog:
    """Two tasks: one law each."""
    return run("scilaws/solver", BOTH)


def test_an_errored_sample_stays_in_every_denominator(run: Run) -> None:
    log = run("scilaws/silent", BOTH, options={"solver": breaking_on_groups()})
    assert log.status == "success"
    errors = {sample.metadata["problem_id"]: sample.error for sample in log.samples or []}
    assert errors[SINGLE] is None
    assert errors[MULTI] is not None
    part = strict_scores(log)["scilaws_real"]["numeric_score"]
    single = logged_scores(log)[f"scilaws_real/{SINGLE}"]
    assert single is not None
    assert single > 0.2
    assert part["all"]["tasks"] == 2
    assert part["all"]["strict_mean"] == pytest.approx(single / 2, abs=1e-6)
    assert part["by_structure"]["multi"] == {"tasks": 1, "scored": 0, "strict_mean": 0.0, "mean_scored": None}
    assert part["by_structure"]["single"]["strict_mean"] == pytest.approx(single, abs=1e-6)
    assert set(part["by_discipline"]) == {"Earth & Physics", "Ecology & Hydrology"}
    metrics = {name.split("/")[-1]: item.value for score in log.results.scores for name, item in score.metrics.items()}  # type: ignore[union-attr]
    assert metrics["strict_mean"] == pytest.approx(single / 2, abs=1e-6)


def test_samples_that_never_ran_count_too(solved: EvalLog) -> None:
    whole = strict_scores(solved)["scilaws_real"]["numeric_score"]["all"]
    solved.samples = [sample for sample in solved.samples or [] if sample.metadata["problem_id"] == SINGLE]
    part = strict_scores(solved)["scilaws_real"]["numeric_score"]["all"]
    assert (whole["tasks"], whole["scored"]) == (2, 2)
    assert (part["tasks"], part["scored"]) == (2, 1)
    assert part["strict_mean"] == pytest.approx(part["mean_scored"] / 2, abs=1e-6)


def test_epochs_are_averaged_before_tasks(run: Run) -> None:
    log = run(scripted(submitting(), saying("no more")), max_turns=1, options={"epochs": 2, "max_samples": 1})
    part = strict_scores(log)["scilaws_real"]["numeric_score"]["all"]
    scores = sorted(sample.scores["numeric_score"].value for sample in log.samples or [] if sample.scores)  # type: ignore[type-var]
    assert scores[0] == 0.0
    assert part["strict_mean"] == pytest.approx(scores[1] / 2, abs=1e-6)


def test_rescoring_gives_the_scores_of_the_log(
    solved: EvalLog, demo_release: Release, sandbox: Sandbox, tmp_path: Path
) -> None:
    scorecard = rescore_log(solved, demo_release, sandbox)
    logged = logged_scores(solved)
    fresh = {verdict["task_id"]: verdict for verdict in scorecard["verdicts"]}
    assert len(fresh) == 6
    assert {task_id: fresh[task_id]["score"] for task_id in logged} == logged
    assert {fresh[task_id]["reason"] for task_id in set(fresh) - set(logged)} == {"no answer in the log"}
    result = CliRunner().invoke(
        rescore,
        [solved.location, "--release", str(demo_release.path), "--output", str(tmp_path / "card.json"), "--json"],
    )
    assert result.exit_code == 0, result.output
    assert json.loads((tmp_path / "card.json").read_text()) == scorecard
    assert {row["note"] for row in json.loads(result.output)["compared"]} == {""}


def test_a_log_whose_scores_were_raised_is_told(solved: EvalLog, demo_release: Release) -> None:
    path = Path(solved.location)
    document = json.loads(path.read_text())
    verdict = document["samples"][0]["scores"]["numeric_score"]["metadata"]["verdict"]
    verdict["score"] = min(1.0, verdict["score"] + 0.1)
    path.write_text(json.dumps(document))
    result = CliRunner().invoke(rescore, [str(path), "--release", str(demo_release.path)])
    assert result.exit_code == 1
    assert "differs" in result.output


def test_inspects_own_scoring_of_a_log_gives_the_same(solved: EvalLog, demo_folder: Path) -> None:
    again = inspect_score(solved, numeric_score(release=str(demo_folder)), action="overwrite", display="none")
    first, second = (
        {sample.id: sample.scores["numeric_score"].value for sample in log.samples or [] if sample.scores}
        for log in (solved, again)
    )
    assert first == second


def test_a_bundle_made_from_a_log(solved: EvalLog, demo_release: Release, tmp_path: Path) -> None:
    bundle = bundle_of_log(Path(solved.location), demo_release)
    assert bundle.laws == laws_of_log(solved)
    assert set(bundle.laws) == {f"scilaws_real/{SINGLE}", f"scilaws_real/{MULTI}"}
    folder = tmp_path / "bundle"
    create_submission(
        folder,
        demo_release,
        bundle.laws,
        name="from a log",
        system=bundle.system,
        submitter={"name": "tests", "contact": ""},
        created="2026-01-01",
        records=bundle.records,
    )
    assert validate_submission(folder, demo_release) == []
    assert load_submission(folder).manifest["system"]["name"] == "scilaws/solver"
    run_record: dict[str, Any] = json.loads((folder / "records" / "run.json").read_text())
    assert run_record["model"] == "scilaws/solver"
    assert run_record["protocol"] == "xml"
    assert run_record["eval_id"] == solved.eval.eval_id
    assert run_record["release"]["manifest_hash"] == demo_release.reference["manifest_hash"]
    assert run_record["decoding"]["defaults"] == {"max_tokens": 8192, "temperature": 0.4}
    transcript = json.loads((folder / "records" / "transcripts" / f"{SINGLE}.json").read_text())
    assert [message["role"] for message in transcript["messages"][:3]] == ["system", "user", "assistant"]


def test_another_release_or_another_log_is_refused(solved: EvalLog, demo_release: Release, tmp_path: Path) -> None:
    other = Release(demo_release.path, demo_release.manifest | {"manifest_hash": "0" * 64})
    with pytest.raises(ReleaseError, match="the release of the log"):
        require_release(solved, other)
    (tmp_path / "no.json").write_text("{}")
    with pytest.raises(SubmissionError, match="an Inspect log"):
        open_log(tmp_path / "no.json")
    document = json.loads(Path(solved.location).read_text())
    document["eval"]["task"] = "other"
    (tmp_path / "other.json").write_text(json.dumps(document))
    assert read_eval_log(str(tmp_path / "other.json")).eval.task == "other"
    with pytest.raises(SubmissionError, match="a log of scilaws_real"):
        open_log(tmp_path / "other.json")
