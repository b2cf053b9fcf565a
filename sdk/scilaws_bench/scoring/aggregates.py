"""Means over tasks with denominators that no failure can change."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any


def aggregate(verdicts: Iterable[Mapping[str, Any]], tasks: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Aggregates of a scorecard: {suite: {scorer: {all, by_structure, by_discipline}}}.

    `verdicts` are JSON verdicts (schema `verdict`), `tasks` all public tasks of the release by
    task id. `strict_mean` divides by the number of tasks of the release and counts a missing,
    null or failed score as 0; `mean_scored` averages the scores that exist (Appendix C.2).
    """
    scores: dict[tuple[str, str], dict[str, float | None]] = {}
    for verdict in verdicts:
        key = (verdict["suite"], verdict["scorer"])
        scores.setdefault(key, {})[verdict["task_id"]] = verdict["score"]
    result: dict[str, Any] = {}
    for (suite, scorer), by_task in sorted(scores.items()):
        in_suite = {task_id: task for task_id, task in sorted(tasks.items()) if task["suite"] == suite}
        result.setdefault(suite, {})[scorer] = {
            "all": _mean(in_suite, by_task),
            "by_structure": _by("structure", in_suite, by_task),
            "by_discipline": _by("discipline", in_suite, by_task),
        }
    return result


def _by(field: str, tasks: Mapping[str, Mapping[str, Any]], scores: Mapping[str, float | None]) -> dict[str, Any]:
    values = sorted({task[field] for task in tasks.values()})
    return {
        value: _mean([task_id for task_id, task in tasks.items() if task[field] == value], scores) for value in values
    }


def _mean(task_ids: Iterable[str], scores: Mapping[str, float | None]) -> dict[str, Any]:
    ids = list(task_ids)
    found = [score for task_id in ids if (score := scores.get(task_id)) is not None]
    total = math.fsum(found)
    return {
        "tasks": len(ids),
        "scored": len(found),
        "strict_mean": round(total / len(ids), 6) if ids else 0.0,
        "mean_scored": round(total / len(found), 6) if found else None,
    }
