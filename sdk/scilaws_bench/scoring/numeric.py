"""S_N: how well a law predicts held-out records, relative to the best published law.

Source: section 2.3, equation 1 and Appendix C.1 of the paper. Deviations (docs/metrics.md): one
best reference a task, and "effectively perfect" relative to the naive predictor instead of an
absolute threshold that zeroes tasks whose target is tiny.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from scilaws_bench.errors import ReleaseError, SandboxUnavailableError
from scilaws_bench.hashing import bytes_hash, json_hash
from scilaws_bench.laws import Contract, GroupRun, LawRun, Rows, Unit, run_law
from scilaws_bench.sandbox import Evaluator, Limits
from scilaws_bench.scoring.metrics import METRICS, Metric
from scilaws_bench.scoring.records import Evidence, GroupEvidence, Verdict

NUMERIC = "numeric_score"
NUMERIC_VERSION = 1


@dataclass(frozen=True)
class NumericGold:
    """The gold of one SciLaws-Real task as arrays, with the law sources of its references."""

    task_id: str
    suite: str
    task_hash: str
    gold_hash: str
    metric: Metric
    epsilon: float | None
    train_median: float
    units: tuple[Unit, ...]
    references: tuple[tuple[str, str], ...]
    contract: Contract
    fit_seed: int
    limits: Limits

    @classmethod
    def from_json(cls, gold: Mapping[str, Any], task: Mapping[str, Any] | None = None) -> NumericGold:
        """Read the schema `gold`; `task` adds the caps that are flagged when exceeded."""
        caps = {} if task is None else task["caps"]
        return cls(
            task_id=gold["task_id"],
            suite=gold["suite"],
            task_hash=gold["task_hash"],
            gold_hash=json_hash(gold),
            metric=METRICS[gold["metric"]],
            epsilon=gold["epsilon"],
            train_median=gold["train_median"],
            units=tuple(
                Unit(group["group"], None if group["fit"] is None else _rows(group["fit"]), _rows(group["scored"]))
                for group in gold["groups"]
            ),
            references=tuple((reference["id"], reference["source"]) for reference in gold["references"]),
            contract=Contract(
                inputs=tuple(gold["inputs"]),
                multi=gold["structure"] == "multi",
                max_law_constants=caps.get("law_constants"),
                max_local_params=caps.get("local_params"),
                max_init_size=caps.get("init_size"),
            ),
            fit_seed=gold["fit_seed"],
            limits=Limits(**gold["limits"]),
        )


@dataclass(frozen=True)
class Anchors:
    """What a submission is measured against; always recomputed from the reference laws.

    `values[i]` is m_ref of unit i, `excluded[i]` whether that unit is effectively perfect.
    """

    best: str
    values: tuple[float, ...]
    naive: tuple[float, ...]
    excluded: tuple[bool, ...]
    mean_value: float
    by_reference: dict[str, float]


def anchors_of(gold: NumericGold, evaluate: Evaluator) -> Anchors:
    """Evaluate every reference law and choose the best one, once for the task.

    Raises:
        ReleaseError: no reference runs on every unit, or nothing is left to score.
        SandboxUnavailableError: a reference could not be run at all, so that no anchor can be trusted.
    """
    metric = gold.metric
    per_reference = {name: _reference_values(name, source, gold, evaluate) for name, source in gold.references}
    naive = tuple(
        metric(unit.scored.target, np.full(len(unit.scored.target), gold.train_median), gold.epsilon)
        for unit in gold.units
    )
    means = {name: _mean_with_worst(values, metric) for name, values in per_reference.items()}
    best = next(iter(means))
    for name, mean in means.items():
        if metric.is_better(mean, means[best]):
            best = name
    chosen = per_reference[best]
    if any(value is None or value == metric.worst for value in chosen):
        raise ReleaseError(
            f"gold of {gold.task_id}", "a reference law that predicts every scored group", f"{best} fails on some",
            "Mend the reference law or the split.",
        )  # fmt: skip
    values = tuple(value for value in chosen if value is not None)
    excluded = tuple(metric.effectively_perfect(value, base) for value, base in zip(values, naive, strict=True))
    if all(excluded):
        raise ReleaseError(
            f"gold of {gold.task_id}", "a scored group the best reference does not already fit perfectly", "none",
            "Drop the task: it can't tell laws apart.",
        )  # fmt: skip
    kept = [value for value, out in zip(values, excluded, strict=True) if not out]
    return Anchors(best, values, naive, excluded, float(np.mean(kept)), means)


def score_numeric(source: str, gold: NumericGold, evaluate: Evaluator, anchors: Anchors | None = None) -> Verdict:
    """S_N of one law on one task: a verdict, whatever the law does.

    `source` is the law module's text; `anchors` may be passed to score many laws on one task. The
    score is the mean over scored groups of equation 1; a failed group counts 0, an excluded group
    does not count. An infrastructure failure gives the score None.
    """
    answer_hash = bytes_hash(source.encode("utf-8", "surrogatepass"))
    try:
        anchors = anchors or anchors_of(gold, evaluate)
    except SandboxUnavailableError as error:
        none = LawRun(None, (), (), "infrastructure", str(error))
        return _verdict(gold, evaluate, none, None, answer_hash, "infrastructure", str(error), None)
    run = run_law_of(source, gold, evaluate)
    if run.failure is not None:
        return _verdict(gold, evaluate, run, None, answer_hash, run.failure, run.reason, _failed_score(run.failure))
    groups = tuple(_group_evidence(run, index, gold, anchors) for index in range(len(gold.units)))
    counted = [group for group in groups if not group.excluded]
    failed = [group for group in counted if group.failure is not None]
    values = [group.metric_value for group in counted if group.metric_value is not None]
    evidence = Evidence(
        metric=gold.metric.name,
        metric_value=float(np.mean(values)) if len(values) == len(counted) else None,
        reference=anchors.best,
        reference_value=anchors.mean_value,
        groups=groups,
    )
    broken = next((group for group in counted if group.failure == "infrastructure"), None)
    if broken is not None:
        return _verdict(gold, evaluate, run, evidence, answer_hash, "infrastructure", broken.reason, None)
    score = float(np.mean([group.score for group in counted]))
    if len(failed) == len(counted):
        return _verdict(gold, evaluate, run, evidence, answer_hash, failed[0].failure, failed[0].reason, score)
    reason = f"{len(failed)} of {len(counted)} groups failed; first: {failed[0].reason}" if failed else ""
    return _verdict(gold, evaluate, run, evidence, answer_hash, None, reason, score)


def run_law_of(source: str, gold: NumericGold, evaluate: Evaluator) -> LawRun:
    """Run a law over the units of a task under the task's seed and limits."""
    return run_law(source, gold.units, gold.contract, evaluate, seed=gold.fit_seed, limits=gold.limits)


def _rows(window: Mapping[str, Any]) -> Rows:
    columns = {
        name: np.array([np.nan if value is None else value for value in values], dtype=np.float64)
        for name, values in window["columns"].items()
    }
    return Rows(columns, np.array(window["target"], dtype=np.float64))


def _reference_values(name: str, source: str, gold: NumericGold, evaluate: Evaluator) -> list[float | None]:
    """Metric of a reference on every unit: None where it fails, perfect where r2 has no variance to explain."""
    run = run_law_of(source, gold, evaluate)
    parts: tuple[LawRun | GroupRun, ...] = (run, *run.groups)
    reasons = [part.reason for part in parts if part.failure == "infrastructure"]
    if reasons:
        raise SandboxUnavailableError(
            f"reference {name} of {gold.task_id}", "a run of it", reasons[0], "Score again on a working machine."
        )
    if run.failure is not None:
        return [None] * len(gold.units)
    return [
        None
        if group.predictions is None
        else gold.metric.perfect
        if _zero_variance(unit, gold.metric)
        else gold.metric(unit.scored.target, group.predictions, gold.epsilon)
        for unit, group in zip(gold.units, run.groups, strict=True)
    ]


def _mean_with_worst(values: list[float | None], metric: Metric) -> float:
    return float(np.mean([metric.worst if value is None else value for value in values]))


def _zero_variance(unit: Unit, metric: Metric) -> bool:
    return metric.name == "r2" and bool(np.ptp(unit.scored.target) == 0.0)


def _group_evidence(run: LawRun, index: int, gold: NumericGold, anchors: Anchors) -> GroupEvidence:
    unit, group = gold.units[index], run.groups[index]
    reference, excluded = anchors.values[index], anchors.excluded[index]
    if group.predictions is None:
        score = None if excluded or group.failure == "infrastructure" else 0.0
        return GroupEvidence(unit.group, score, None, reference, excluded, group.failure, group.reason)
    if _zero_variance(unit, gold.metric):
        reason = "no score: a window without variance tells laws not apart"
        return GroupEvidence(unit.group, None, None, reference, excluded, None, reason)
    value = gold.metric(unit.scored.target, group.predictions, gold.epsilon)
    if value == gold.metric.worst:
        reason = f"{gold.metric.name} of the predictions overflows"
        return GroupEvidence(unit.group, None if excluded else 0.0, None, reference, excluded, "wrong", reason)
    score = None if excluded else gold.metric.score(value, reference)
    return GroupEvidence(unit.group, score, value, reference, excluded, None, "")


def _failed_score(failure: str) -> float | None:
    return None if failure == "infrastructure" else 0.0


def _verdict(
    gold: NumericGold,
    evaluate: Evaluator,
    run: LawRun,
    evidence: Evidence | None,
    answer_hash: str,
    failure: str | None,
    reason: str,
    score: float | None,
) -> Verdict:
    return Verdict(
        task_id=gold.task_id,
        suite=gold.suite,
        scorer=NUMERIC,
        scorer_version=NUMERIC_VERSION,
        score=score,
        failure=failure,
        reason=reason,
        flags=run.flags,
        evidence=evidence,
        answer_hash=answer_hash,
        task_hash=gold.task_hash,
        gold_hash=gold.gold_hash,
        isolation=evaluate.level,
    )
