"""Means over tasks: denominators are the tasks of the release, whatever was answered or failed."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from scilaws_bench.scoring import aggregate

TASKS: dict[str, dict[str, Any]] = {
    f"scilaws_real/{name}": {"suite": "scilaws_real", "structure": structure, "discipline": discipline}
    for name, structure, discipline in [
        ("a", "single", "Biology"),
        ("b", "single", "Astronomy"),
        ("c", "multi", "Biology"),
        ("d", "multi", "Biology"),
    ]
} | {"mechreasoner/e": {"suite": "mechreasoner", "structure": "single", "discipline": "Biology"}}


def verdicts(scorer: str = "s", **scores: float | None) -> list[dict[str, Any]]:
    return [
        {"suite": "scilaws_real", "scorer": scorer, "task_id": f"scilaws_real/{name}", "score": score}
        for name, score in scores.items()
    ]


def whole(given: list[dict[str, Any]], scorer: str = "s") -> dict[str, Any]:
    found: dict[str, Any] = aggregate(given, TASKS)["scilaws_real"][scorer]["all"]
    return found


@pytest.mark.parametrize(
    ("scores", "scored", "strict", "mean"),
    [
        ({"a": 1.0, "b": 0.5, "c": 0.0, "d": 0.5}, 4, 0.5, 0.5),
        ({"a": 1.0, "b": None, "c": None, "d": None}, 1, 0.25, 1.0),  # grader_pitfalls 22: nan-mean drops failures
        ({"a": 1.0}, 1, 0.25, 1.0),  # grader_pitfalls 24: runs left out of the denominator
        ({"a": None, "b": None}, 0, 0.0, None),  # grader_pitfalls 26, 52: nothing answered scores nothing
        ({"a": 0.0, "b": 0.0}, 2, 0.0, 0.0),
        ({"a": 1.0, "b": 1.0, "c": 1.0}, 3, 0.75, 1.0),
    ],
)
def test_strict_mean_divides_by_all_tasks_and_mean_scored_by_those_with_a_score(
    scores: dict[str, float | None], scored: int, strict: float, mean: float | None
) -> None:
    found = whole(verdicts(**scores))
    assert found == {"tasks": 4, "scored": scored, "strict_mean": strict, "mean_scored": mean}


def test_breakdowns_have_their_own_denominators() -> None:
    found = aggregate(verdicts(a=1.0, c=0.5, d=None), TASKS)["scilaws_real"]["s"]
    assert found["by_structure"] == {
        "single": {"tasks": 2, "scored": 1, "strict_mean": 0.5, "mean_scored": 1.0},
        "multi": {"tasks": 2, "scored": 1, "strict_mean": 0.25, "mean_scored": 0.5},
    }
    assert found["by_discipline"] == {
        "Astronomy": {"tasks": 1, "scored": 0, "strict_mean": 0.0, "mean_scored": None},
        "Biology": {"tasks": 3, "scored": 2, "strict_mean": 0.5, "mean_scored": 0.75},
    }


def test_parts_add_up_to_the_whole() -> None:
    found = aggregate(verdicts(a=0.125, b=None, c=0.5, d=0.25), TASKS)["scilaws_real"]["s"]
    for breakdown in ("by_structure", "by_discipline"):
        parts = found[breakdown].values()
        assert sum(part["tasks"] for part in parts) == found["all"]["tasks"]
        assert sum(part["scored"] for part in parts) == found["all"]["scored"]
        total = sum(part["tasks"] * part["strict_mean"] for part in parts)
        assert total == pytest.approx(found["all"]["tasks"] * found["all"]["strict_mean"], abs=1e-5)


def test_order_does_not_matter() -> None:
    given = verdicts(a=0.1, b=0.2, c=0.3, d=0.7)
    results = [aggregate(order, TASKS) for order in itertools.permutations(given)]
    assert all(result == results[0] for result in results)
    assert aggregate(given, dict(reversed(TASKS.items()))) == results[0]


def test_scorers_and_suites_are_never_pooled() -> None:
    other = [{"suite": "mechreasoner", "scorer": "s", "task_id": "mechreasoner/e", "score": 1.0}]
    found = aggregate([*verdicts(a=0.4), *verdicts("judge", a=0.8), *other], TASKS)
    assert found["scilaws_real"]["s"]["all"]["strict_mean"] == 0.1
    assert found["scilaws_real"]["judge"]["all"]["strict_mean"] == 0.2
    assert found["mechreasoner"]["s"]["all"] == {"tasks": 1, "scored": 1, "strict_mean": 1.0, "mean_scored": 1.0}


def test_a_verdict_on_a_task_outside_the_release_counts_nowhere() -> None:
    assert whole(verdicts(a=0.4, unknown=1.0)) == whole(verdicts(a=0.4))


def test_nothing_gives_nothing() -> None:
    assert aggregate([], TASKS) == {}
