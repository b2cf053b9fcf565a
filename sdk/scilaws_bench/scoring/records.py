"""Typed results of scoring, and their JSON form (schema `verdict`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Failure = Literal["protocol", "wrong", "infrastructure"]

STORED_DECIMALS = 6
VERIFIED_WITHIN = 2e-6
"""Scores are stored to 6 decimals; a recomputation may differ by this much and still confirm them."""


@dataclass(frozen=True)
class GroupEvidence:
    """One unit of a task: its score in [0, 1], or why it failed or was excluded."""

    group: int
    score: float | None
    metric_value: float | None
    reference_value: float
    excluded: bool
    failure: str | None
    reason: str


@dataclass(frozen=True)
class Evidence:
    """What a numeric score rests on."""

    metric: str
    metric_value: float | None
    reference: str
    reference_value: float
    groups: tuple[GroupEvidence, ...]


@dataclass(frozen=True)
class Verdict:
    """A score with its evidence and failure class.

    `score` is in [0, 1]; None means that no score could be computed (nothing was answered, or an
    infrastructure failure) and is never silently a zero: aggregates say what they do with it.
    """

    task_id: str
    suite: str
    scorer: str
    scorer_version: int
    score: float | None
    failure: str | None
    reason: str
    flags: tuple[str, ...]
    evidence: Evidence | None
    answer_hash: str | None
    task_hash: str
    gold_hash: str
    isolation: str

    def to_json(self) -> dict[str, Any]:
        """The schema `verdict`, floats rounded to 6 decimals (scores) or 10 digits (metrics)."""
        evidence = self.evidence
        return {
            "schema": "scilaws-bench/verdict/1",
            "task_id": self.task_id,
            "suite": self.suite,
            "scorer": self.scorer,
            "scorer_version": self.scorer_version,
            "score": _score(self.score),
            "failure": self.failure,
            "reason": self.reason,
            "flags": list(self.flags),
            "evidence": None
            if evidence is None
            else {
                "metric": evidence.metric,
                "metric_value": _digits(evidence.metric_value),
                "reference": evidence.reference,
                "reference_value": _digits(evidence.reference_value),
                "groups": [
                    {
                        "group": group.group,
                        "score": _score(group.score),
                        "metric_value": _digits(group.metric_value),
                        "reference_value": _digits(group.reference_value),
                        "excluded": group.excluded,
                        "failure": group.failure,
                        "reason": group.reason,
                    }
                    for group in evidence.groups
                ],
            },
            "answer_hash": self.answer_hash,
            "task_hash": self.task_hash,
            "gold_hash": self.gold_hash,
            "isolation": self.isolation,
        }


def _score(value: float | None) -> float | None:
    return None if value is None else round(value, STORED_DECIMALS)


def _digits(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.10g}")
