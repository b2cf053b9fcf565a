"""Scorecards: one verdict a task whatever the bundle holds, and aggregates that follow from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bundle_kit import GOOD, OTHER, OTHER_LAW, edit_answer, edit_manifest, replace_law, write_bundle
from scilaws_bench import schemas, strict_json
from scilaws_bench.baselines import baseline_laws
from scilaws_bench.release import Release
from scilaws_bench.sandbox import Sandbox
from scilaws_bench.scoring import Anchors, aggregate
from scilaws_bench.submissions import load_submission, score_submission, validate_submission

NAIVE_SCORE = 0.348933


@pytest.fixture
def score(small_release: Release, sandbox: Sandbox, anchors: dict[str, Anchors]) -> Any:
    """Scorecard of a bundle path."""
    return lambda path: score_submission(load_submission(path), small_release, sandbox, anchors=anchors)


def _by_task(scorecard: dict[str, Any]) -> dict[str, Any]:
    return {verdict["task_id"]: verdict for verdict in scorecard["verdicts"]}


def test_a_scorecard_says_what_it_was_computed_with(bundle: Path, score: Any, small_release: Release) -> None:
    scorecard = score(bundle)
    assert schemas.problems_with("scorecard", scorecard) == []
    assert scorecard["release"] == small_release.reference
    assert scorecard["isolation"] in ("full", "kernel")
    assert [verdict["task_id"] for verdict in scorecard["verdicts"]] == [GOOD, OTHER]
    assert _by_task(scorecard)[GOOD]["score"] == NAIVE_SCORE
    assert scorecard["aggregates"] == aggregate(scorecard["verdicts"], small_release.tasks)


def test_workers_and_known_anchors_change_nothing(bundle: Path, small_release: Release, score: Any) -> None:
    submission = load_submission(bundle)
    seen: list[tuple[str, int, int]] = []
    with Sandbox(workers=2) as pool:
        again = score_submission(
            submission, small_release, pool, workers=2, progress=lambda *report: seen.append(report)
        )
    assert again == score(bundle)
    assert seen == [(GOOD, 1, 2), (OTHER, 2, 2)]


@pytest.mark.parametrize("baseline", ["naive", "best-published-law"])
def test_baselines_mark_floor_and_anchor(baseline: str, small_release: Release, score: Any, tmp_path: Path) -> None:
    laws = baseline_laws(baseline, small_release)
    scorecard = score(write_bundle(tmp_path / "bundle", small_release, laws))
    expected = {GOOD: NAIVE_SCORE, OTHER: 0.0} if baseline == "naive" else {GOOD: 0.5, OTHER: 0.5}
    for task_id, verdict in _by_task(scorecard).items():
        assert verdict["score"] == pytest.approx(expected[task_id], abs=1e-9)
        assert verdict["failure"] is None
    # the median is a fitted constant, and the laws of OTHER declare none
    assert _by_task(scorecard)[OTHER]["flags"] == (["cap:law_constants:1>0"] if baseline == "naive" else [])


def _no_answer(bundle: Path) -> None:
    answers = strict_json.read(bundle / "submission.json")["answers"]
    edit_manifest(bundle, answers=[answer for answer in answers if answer["task_id"] != OTHER])


def _two_answers(bundle: Path) -> None:
    answers = strict_json.read(bundle / "submission.json")["answers"]
    edit_manifest(bundle, answers=[*answers, answers[1]])


SPOILED = {
    "missing file": (lambda bundle: (bundle / OTHER_LAW).unlink(), "no such file"),
    "altered file": (lambda bundle: (bundle / OTHER_LAW).write_text("x = 1"), "was changed after the manifest"),
    "no answer": (_no_answer, "no answer submitted"),
    "two answers": (_two_answers, "several answers to this task"),
    "another version of the task": (
        lambda bundle: edit_answer(bundle, task_hash="0" * 64),
        "another version of this task",
    ),
    "faulty entry": (lambda bundle: edit_answer(bundle, sha256="short"), "the entry of the answer is faulty"),
    "not Python": (lambda bundle: replace_law(bundle, b"F = m a"), "not a Python module"),
    "not UTF-8": (lambda bundle: replace_law(bundle, b"x = '\xff'"), "not UTF-8"),
    "no predict": (lambda bundle: replace_law(bundle, b"x = 1"), "predict"),
    "raises on import": (lambda bundle: replace_law(bundle, b"1 / 0"), "ZeroDivisionError"),
}


@pytest.mark.parametrize("how", SPOILED)
def test_one_broken_answer_costs_that_answer_and_stays_in_the_denominator(how: str, bundle: Path, score: Any) -> None:
    """Pitfalls 24, 25, 76 (failures leave the denominator; one failed task blocks scoring)."""
    spoil, reason = SPOILED[how]
    spoil(bundle)
    scorecard = score(bundle)
    verdicts = _by_task(scorecard)
    assert verdicts[GOOD]["score"] == NAIVE_SCORE
    assert verdicts[OTHER]["failure"] == "protocol"
    assert reason in verdicts[OTHER]["reason"]
    assert verdicts[OTHER]["score"] == (None if how == "no answer" else 0.0)
    everything = scorecard["aggregates"]["scilaws_real"]["numeric_score"]["all"]
    assert everything["tasks"] == 2
    assert everything["strict_mean"] == pytest.approx(NAIVE_SCORE / 2, abs=1e-6)


@pytest.mark.parametrize("how", sorted(set(SPOILED) - {"no answer", "no predict", "raises on import"}))
def test_what_can_be_said_without_running_is_said_before(how: str, bundle: Path, small_release: Release) -> None:
    spoil, _ = SPOILED[how]
    spoil(bundle)
    issues = validate_submission(bundle, small_release)
    assert issues
    for issue in issues:
        assert all(issue.to_json().values()), issue


def test_an_answer_to_an_unknown_task_is_an_issue_and_costs_no_other(
    bundle: Path, small_release: Release, score: Any
) -> None:
    edit_answer(bundle, task_id="scilaws_real/unheard-of")
    assert [issue.path for issue in validate_submission(bundle, small_release)] == ["scilaws_real/unheard-of"]
    verdicts = _by_task(score(bundle))
    assert set(verdicts) == {GOOD, OTHER}
    assert verdicts[GOOD]["score"] == NAIVE_SCORE
