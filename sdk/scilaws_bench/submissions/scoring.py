"""Score a bundle: one verdict a task of the release, whatever the bundle holds."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import scilaws_bench
from scilaws_bench import schemas
from scilaws_bench.errors import SubmissionError
from scilaws_bench.hashing import json_hash
from scilaws_bench.release import Release
from scilaws_bench.release.gold import open_gold
from scilaws_bench.sandbox import Evaluator
from scilaws_bench.scoring import NUMERIC, Anchors, NumericGold, Verdict, aggregate, anchors_of, score_numeric
from scilaws_bench.scoring.numeric import NUMERIC_VERSION
from scilaws_bench.submissions.bundle import Submission
from scilaws_bench.submissions.unfinished import Unfinished

SUITE = "scilaws_real"


def score_submission(
    submission: Submission,
    release: Release,
    evaluate: Evaluator,
    *,
    workers: int = 1,
    progress: Callable[[str, int, int], None] | None = None,
    unfinished: Unfinished | None = None,
    anchors: dict[str, Anchors] | None = None,
    references: Evaluator | None = None,
) -> dict[str, Any]:
    """Scorecard (schema `scorecard`) of a bundle.

    Every task of the release gets a verdict and stays in every denominator: where nothing was
    answered its score is None, where the answer can't be used it is 0, and the reason says why.

    `workers` tasks are scored at once; `evaluate` must have as many sandboxes to be of use.
    `progress` is called as (task id, done, total). `unfinished` supplies the verdicts of a run that
    was killed and keeps those of this one. To score many bundles, pass one dictionary as `anchors`:
    reference laws then run once, not once a bundle; and pass `references`, which runs them, beside an
    `evaluate` that is opened for this bundle and closed after it, so that nothing a submission does to
    its workers can meet a reference law or another submission.
    """
    trusted = evaluate if references is None else references
    task_ids = [task_id for task_id, task in release.tasks.items() if task["suite"] == SUITE]

    def one(task_id: str) -> dict[str, Any]:
        known = {} if anchors is None else anchors
        return _verdict(submission, task_id, release, evaluate, trusted, unfinished, known)

    verdicts: list[dict[str, Any]] = []
    with ThreadPoolExecutor(workers) as pool:
        for count, verdict in enumerate(pool.map(one, task_ids), start=1):
            verdicts.append(verdict)
            if progress:
                progress(verdict["task_id"], count, len(task_ids))
    return scorecard_of(submission.manifest["name"], release, verdicts, evaluate.level)


def scorecard_of(name: str, release: Release, verdicts: list[dict[str, Any]], isolation: str) -> dict[str, Any]:
    """Bind JSON verdicts to the release and code they were computed with, and add aggregates."""
    scorecard = {
        "schema": "scilaws-bench/scorecard/1",
        "submission": name,
        "release": release.reference,
        "code_version": scilaws_bench.__version__,
        "isolation": isolation,
        "verdicts": sorted(verdicts, key=lambda verdict: (verdict["suite"], verdict["task_id"], verdict["scorer"])),
        "aggregates": aggregate(verdicts, release.tasks),
    }
    schemas.require("scorecard", scorecard, where="scorecard")
    return scorecard


def _verdict(
    submission: Submission,
    task_id: str,
    release: Release,
    evaluate: Evaluator,
    references: Evaluator,
    unfinished: Unfinished | None,
    anchors: dict[str, Anchors],
) -> dict[str, Any]:
    task = release.tasks[task_id]
    gold = NumericGold.from_json(open_gold(release, task_id), task)

    def unusable(reason: str, answer_hash: str | None = None, score: float | None = 0.0) -> dict[str, Any]:
        return Verdict(
            task_id, SUITE, NUMERIC, NUMERIC_VERSION, score, "protocol", reason, (), None, answer_hash,
            gold.task_hash, gold.gold_hash, evaluate.level,
        ).to_json()  # fmt: skip

    answer = submission.answers.get(task_id)
    if answer is None:
        if task_id in submission.refused:
            return unusable(submission.refused[task_id])
        return unusable("no answer submitted", score=None)
    if answer["task_hash"] != json_hash(task):
        return unusable("the answer is to another version of this task", answer["sha256"])
    try:
        source = submission.law(answer)
    except SubmissionError as error:
        return unusable(str(error), answer["sha256"])
    kept = unfinished.find(task_id, answer["sha256"]) if unfinished is not None else None
    if kept is not None:
        return kept
    if gold.gold_hash not in anchors:
        anchors[gold.gold_hash] = anchors_of(gold, references)
    verdict = score_numeric(source, gold, evaluate, anchors[gold.gold_hash]).to_json()
    if unfinished is not None:
        unfinished.add(verdict)
    return verdict
