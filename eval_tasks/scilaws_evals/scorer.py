"""Inspect's side of S_N. The number comes from `scilaws_bench.scoring.score_numeric`, as everywhere.

A score is always a finite number, since Inspect drops anything else from its metrics; what is
behind a 0 (a bad law, no law, a failure of this machine) is in the metadata.
"""

from __future__ import annotations

import math
from typing import Any

from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, mean, metric, scorer, stderr
from inspect_ai.solver import TaskState

from scilaws_bench.errors import ReleaseError
from scilaws_bench.release import Release
from scilaws_bench.sandbox import resolve
from scilaws_bench.sandbox.protocol import LevelChoice
from scilaws_bench.scoring import NUMERIC, Verdict
from scilaws_evals.desk import in_sandbox, opened_release, sandbox_at
from scilaws_evals.finding import find_release
from scilaws_evals.grading import Grader
from scilaws_evals.session import LawSession

WITHHELD = "withheld"
INFRASTRUCTURE = "infrastructure"


@metric
def strict_mean() -> Metric:
    """Sum of scores over the number of samples Inspect hands to its metrics; what is not finite counts 0.

    With this package's scorers every sample that ran has a score, so nothing is left out. Samples
    that never ran (a cancelled evaluation) are unknown to any metric:
    `scilaws_evals.results.strict_scores` counts those too.
    """

    def compute(scores: list[SampleScore]) -> Value:
        values = [float(item.score.as_float()) for item in scores]
        return math.fsum(value for value in values if math.isfinite(value)) / len(values) if values else 0.0

    return compute


@metric(scores="unreduced")
def infrastructure_failures() -> Metric:
    """How many samples scored 0 because this side failed, not the model."""

    def compute(scores: list[SampleScore]) -> Value:
        return float(sum((item.score.metadata or {}).get("failure") == INFRASTRUCTURE for item in scores))

    return compute


METRICS: list[Metric | dict[str, list[Metric]]] = [mean(), stderr(), strict_mean(), infrastructure_failures()]


@scorer(metrics=METRICS)
def numeric_score(release: str | None = None, isolation: LevelChoice = "auto") -> Scorer:
    """S_N of the submitted law.

    `release` and `isolation` are needed only where the task itself did not run in this process
    (`inspect score`); the release must be the one the sample was made from.
    """
    graders: dict[str, Grader] = {}

    def grade(session: LawSession) -> Verdict:
        pinned = session.manifest_hash
        if pinned not in graders:
            opened = _required(opened_release(pinned) or find_release(release), pinned)
            graders[pinned] = Grader(opened, sandbox_at(resolve(isolation)))
        if session.law:
            return graders[pinned].numeric(session.task_id, session.law)
        return graders[pinned].without_law(session.task_id, *why_no_law(session.outcome, session.reason))

    async def score(state: TaskState, target: Target) -> Score:
        session = state.store_as(LawSession)
        try:
            verdict = await in_sandbox(grade, session)
        except Exception as error:  # noqa: BLE001 - a scorer that raises would drop the sample from every mean
            return _score(session, INFRASTRUCTURE, f"{type(error).__name__}: {error}", 0.0, None)
        reason = verdict.reason
        return _score(session, verdict.failure, reason, verdict.score or 0.0, public_verdict(verdict))

    return score


def why_no_law(outcome: str, reason: str) -> tuple[str, str]:
    """Reason and failure class of an attempt without a law."""
    if outcome in ("no_reply", "broken"):
        return reason, INFRASTRUCTURE
    if outcome == "unsubmitted":
        return f"unsubmitted: {reason}", "protocol"
    return "unsubmitted: the attempt was stopped before it ended", "protocol"


def public_verdict(verdict: Verdict) -> dict[str, Any]:
    """A verdict as JSON for a log that may be published: without the name of the best published law."""
    document = verdict.to_json()
    if document["evidence"] is not None:
        document["evidence"]["reference"] = WITHHELD
    return document


def _required(release: Release, manifest_hash: str) -> Release:
    found = release.reference["manifest_hash"]
    if found != manifest_hash:
        raise ReleaseError(
            str(release.path), f"the release of the log, manifest hash {manifest_hash}", found,
            "Name that release with --release or -S release=FOLDER.",
        )  # fmt: skip
    return release


def _score(
    session: LawSession, failure: str | None, reason: str, value: float, verdict: dict[str, Any] | None
) -> Score:
    return Score(
        value=value,
        answer=session.law or None,
        explanation=f"{failure}: {reason}" if failure else reason or "scored",
        reason="scoring_failed" if failure == INFRASTRUCTURE else None,
        metadata={
            "scorer": NUMERIC,
            "outcome": session.outcome,
            "failure": failure,
            "protocol": session.protocol,
            "decoding": session.decoding,
            "turns": session.turns,
            "verdict": verdict,
        },
    )
