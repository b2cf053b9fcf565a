"""Verdicts as JSON: rounded for storage, null kept apart from zero, valid for every kind of outcome."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from scilaws_bench import schemas
from scilaws_bench.scoring import Evidence, GroupEvidence, Verdict
from scilaws_bench.scoring.records import STORED_DECIMALS, VERIFIED_WITHIN
from scoring_harness import HASH

GROUP = GroupEvidence(3, 2 / 3, 1 / 3, 1e-20 / 3, False, None, "")
EVIDENCE = Evidence("rmse", 1 / 3, "good", 2 / 3, (GROUP, replace(GROUP, score=None, metric_value=None, excluded=True)))
VERDICT = Verdict(
    "scilaws_real/t",
    "scilaws_real",
    "numeric_score",
    1,
    2 / 3,
    None,
    "",
    ("a", "b"),
    EVIDENCE,
    HASH,
    HASH,
    HASH,
    "full",
)


def test_scores_keep_6_decimals_and_metrics_10_digits() -> None:
    found = VERDICT.to_json()
    assert found["score"] == 0.666667
    assert found["evidence"]["metric_value"] == 0.3333333333
    assert found["evidence"]["groups"][0]["score"] == 0.666667
    assert found["evidence"]["groups"][0]["reference_value"] == 3.333333333e-21  # tiny targets keep their digits
    assert schemas.problems_with("verdict", found) == []


def test_rounding_is_finer_than_verification() -> None:
    assert 10**-STORED_DECIMALS / 2 < VERIFIED_WITHIN


@pytest.mark.parametrize(
    "change",
    [
        {"score": None, "failure": "infrastructure", "reason": "r", "evidence": None},
        {"score": None, "failure": "protocol", "reason": "no answer", "evidence": None, "answer_hash": None},
        {"score": 0.0, "failure": "protocol", "reason": "r", "evidence": None},
        {"score": 0.0, "failure": "wrong", "reason": "r"},
        {"score": 1.0, "flags": ()},
        {"evidence": replace(EVIDENCE, metric_value=None)},
    ],
)
def test_null_and_zero_stay_apart_in_every_valid_verdict(change: dict[str, Any]) -> None:
    """grader_pitfalls 21: null on disk and 0.0 on retry."""
    found = replace(VERDICT, **change).to_json()
    assert schemas.problems_with("verdict", found) == []
    assert found["score"] is change.get("score", 0.666667) or found["score"] == change.get("score", 0.666667)
    assert (found["score"] is None) == (replace(VERDICT, **change).score is None)


def test_a_score_that_is_no_number_never_becomes_a_verdict() -> None:
    assert schemas.problems_with("verdict", replace(VERDICT, score=float("nan")).to_json())
