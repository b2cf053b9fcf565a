"""The best published law of every task scores exactly one half, in the sandbox, like anybody's law."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from scilaws_bench.baselines import best_published_law
from scilaws_bench.release import Release
from scilaws_bench.sandbox import InProcess, Sandbox
from scilaws_bench.scoring import NumericGold, anchors_of, score_numeric
from scilaws_builders.scilaws.problem import DEMO_PROBLEMS, all_problems

DEMO_TASKS = [f"scilaws_real/{problem}" for problem in DEMO_PROBLEMS]
ALL_TASKS = [f"scilaws_real/{problem}" for problem in all_problems()]


def check(release: Release, task_id: str, anchored: Any, sandbox: Sandbox) -> NumericGold:
    gold, anchors = anchored(release, task_id)
    assert sandbox.level != "none"
    verdict = score_numeric(dict(gold.references)[anchors.best], gold, sandbox, anchors)
    assert verdict.score == pytest.approx(0.5, abs=1e-9)
    assert (verdict.failure, verdict.reason, verdict.flags) == (None, "", ())
    assert verdict.evidence.reference == anchors.best
    counted = [group for group in verdict.evidence.groups if not group.excluded]
    assert counted
    assert all(group.score == pytest.approx(0.5, abs=1e-9) for group in counted)
    return gold  # type: ignore[no-any-return]


def test_there_are_six_demo_tasks_one_a_discipline(demo_release: Release) -> None:
    assert sorted(demo_release.tasks) == sorted(DEMO_TASKS)
    assert len({task["discipline"] for task in demo_release.tasks.values()}) == 6


@pytest.mark.parametrize("task_id", DEMO_TASKS)
def test_the_best_published_law_scores_one_half(
    demo_release: Release, task_id: str, anchored: Any, sandbox: Sandbox
) -> None:
    check(demo_release, task_id, anchored, sandbox)


@pytest.mark.parametrize("task_id", DEMO_TASKS)
def test_no_other_published_law_is_better_and_all_of_them_run(
    demo_release: Release, task_id: str, anchored: Any
) -> None:
    gold, anchors = anchored(demo_release, task_id)
    means = anchors.by_reference
    assert set(means) == {name for name, _ in gold.references}
    assert np.isfinite(list(means.values())).all()
    assert not [name for name, mean in means.items() if gold.metric.is_better(mean, means[anchors.best])]


@pytest.mark.parametrize("task_id", DEMO_TASKS)
def test_the_sandbox_and_the_oracle_agree(demo_release: Release, task_id: str, anchored: Any) -> None:
    gold, anchors = anchored(demo_release, task_id)
    oracle = anchors_of(gold, InProcess())
    assert oracle.best == anchors.best
    np.testing.assert_allclose(oracle.values, anchors.values, rtol=1e-12)
    assert oracle.excluded == anchors.excluded


def test_the_baseline_is_that_law(demo_release: Release, anchored: Any) -> None:
    gold, anchors = anchored(demo_release, DEMO_TASKS[3])
    source = best_published_law(demo_release, demo_release.task(DEMO_TASKS[3]), InProcess())
    assert source == dict(gold.references)[anchors.best]


@pytest.mark.slow
@pytest.mark.parametrize("task_id", ALL_TASKS)
def test_the_best_published_law_of_all_twelve_problems(
    full_release: Release, task_id: str, anchored: Any, sandbox: Sandbox
) -> None:
    assert len(ALL_TASKS) == len(full_release.tasks) == 12
    check(full_release, task_id, anchored, sandbox)
