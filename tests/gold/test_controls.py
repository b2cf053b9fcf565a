"""Trivial answers have the value they always had (grader_pitfalls F46): naive, empty, nothing, shuffled, off by 1 %.

The laws are our own, so they run in this process; test_published_laws.py shows that the sandbox agrees.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from scilaws_bench.baselines import naive_law
from scilaws_bench.hashing import counter_permutation
from scilaws_bench.release import Release
from scilaws_bench.sandbox import InProcess
from scilaws_bench.scoring import NumericGold, Verdict, aggregate, score_numeric

KNOWN = {
    "scilaws_real/adult-mortality": (0.0, 0.002747, 0.538135),
    "scilaws_real/bacterial-growth-curve": (0.0, 0.055032, 0.5),
    "scilaws_real/bulk-modulus-atomic-volume": (0.348933, 0.284945, 0.498752),
    "scilaws_real/optical-dispersion": (0.0, 0.0, 0.498556),
    "scilaws_real/red-giant-large-separation": (0.0, 0.0, 0.490049),
    "scilaws_real/tree-height-diameter": (0.0, 0.0, 0.498918),
}
"""Scores of: the naive law; the best law against targets shuffled within each group; the best law less 1 % of it."""


def shuffled(gold: NumericGold) -> NumericGold:
    """The same gold, its targets dealt out anew among the rows of each scored window."""
    units = []
    for unit in gold.units:
        order = counter_permutation(f"shuffled control {unit.group}", len(unit.scored.target))
        units.append(replace(unit, scored=replace(unit.scored, target=unit.scored.target[order])))
    return replace(gold, units=tuple(units))


def less_one_percent(source: str) -> str:
    return (
        source
        + "\n_exact = predict\n\n\ndef predict(*arguments, **values):\n    return 0.99 * _exact(*arguments, **values)\n"
    )


def by_hand(gold: NumericGold, anchors: Any) -> float:
    """Equation 1 for the naive law, written out; every demo task has the metric rmse."""
    assert gold.metric.name == "rmse"
    scores = []
    for unit, reference, excluded in zip(gold.units, anchors.values, anchors.excluded, strict=True):
        error = np.sqrt(np.mean((unit.scored.target - gold.train_median) ** 2))
        if not excluded:
            scores.append(min(1.0, max(0.0, 1.0 - error / (2.0 * reference))))
    return float(np.mean(scores))


@pytest.mark.parametrize("task_id", KNOWN)
class TestKnownValues:
    def test_naive(self, demo_release: Release, task_id: str, anchored: Any) -> None:
        gold, anchors = anchored(demo_release, task_id)
        verdict = score_numeric(naive_law(demo_release, demo_release.task(task_id)), gold, InProcess(), anchors)
        assert verdict.failure is None
        assert verdict.score == pytest.approx(by_hand(gold, anchors), abs=1e-12)
        assert verdict.score == pytest.approx(KNOWN[task_id][0], abs=1e-6)
        assert verdict.score < 0.5

    def test_shuffled(self, demo_release: Release, task_id: str, anchored: Any) -> None:
        gold, anchors = anchored(demo_release, task_id)
        verdict = score_numeric(dict(gold.references)[anchors.best], shuffled(gold), InProcess(), anchors)
        assert verdict.failure is None
        assert verdict.score == pytest.approx(KNOWN[task_id][1], abs=1e-6)
        assert verdict.score < 0.5

    def test_a_law_that_is_slightly_wrong(self, demo_release: Release, task_id: str, anchored: Any) -> None:
        gold, anchors = anchored(demo_release, task_id)
        verdict = score_numeric(less_one_percent(dict(gold.references)[anchors.best]), gold, InProcess(), anchors)
        assert verdict.failure is None
        assert verdict.score == pytest.approx(KNOWN[task_id][2], abs=1e-6)

    @pytest.mark.parametrize("source", ["", "# nothing\n", "pass", "{}"])
    def test_an_empty_answer_scores_zero(self, demo_release: Release, task_id: str, anchored: Any, source: str) -> None:
        """grader_pitfalls 44, 52: an agent that does nothing scores above zero; a benchmark passed with `{}`."""
        gold, anchors = anchored(demo_release, task_id)
        verdict = score_numeric(source, gold, InProcess(), anchors)
        assert (verdict.score, verdict.failure, verdict.evidence) == (0.0, "protocol", None)
        assert "predict" in verdict.reason


def test_the_known_values_cover_the_demo_release(demo_release: Release) -> None:
    assert set(KNOWN) == set(demo_release.tasks)


def test_no_answer_at_all_counts_as_zero_in_every_denominator(demo_release: Release) -> None:
    nothing = [
        Verdict(
            task_id, "scilaws_real", "numeric_score", 1, None, "protocol", "no answer", (), None, None, "", "", "full"
        )
        for task_id in demo_release.tasks
    ]
    found = aggregate([verdict.to_json() for verdict in nothing], demo_release.tasks)["scilaws_real"]["numeric_score"]
    assert found["all"] == {"tasks": 6, "scored": 0, "strict_mean": 0.0, "mean_scored": None}
