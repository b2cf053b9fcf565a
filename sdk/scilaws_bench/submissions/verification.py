"""Recompute every claim of a bundle and say of each: confirmed, differs, or not verifiable."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from scilaws_bench.errors import ScilawsError
from scilaws_bench.plain_text import printable
from scilaws_bench.release import Release
from scilaws_bench.sandbox import Evaluator
from scilaws_bench.scoring import Anchors, aggregate
from scilaws_bench.scoring.records import VERIFIED_WITHIN
from scilaws_bench.submissions.bundle import Submission
from scilaws_bench.submissions.scoring import score_submission
from scilaws_bench.submissions.validation import release_issues

Status = Literal["confirmed", "differs", "not verifiable"]

_METRIC_TOLERANCE = 1e-6
_PINNED = ("suite", "answer_hash", "task_hash", "gold_hash")
_OUTCOME = ("failure", "flags")


@dataclass(frozen=True)
class Claim:
    """One claimed number with what a recomputation gives.

    `difference` is recomputed minus claimed where both are numbers.
    """

    claim: str
    status: Status
    claimed: float | None = None
    recomputed: float | None = None
    difference: float | None = None
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """Plain dictionary for `--json` output."""
        return asdict(self)


@dataclass(frozen=True)
class Verification:
    """All claims of a bundle and the recomputed scorecard (None where nothing could be recomputed)."""

    claims: tuple[Claim, ...]
    scorecard: dict[str, Any] | None

    @property
    def confirmed(self) -> bool:
        """Whether there is at least one claim and every claim is confirmed."""
        return bool(self.claims) and all(claim.status == "confirmed" for claim in self.claims)

    @property
    def counts(self) -> dict[str, int]:
        """Number of claims by status."""
        return {status: sum(claim.status == status for claim in self.claims) for status in get_args(Status)}


def verify_submission(
    submission: Submission,
    release: Release,
    evaluate: Evaluator,
    *,
    workers: int = 1,
    progress: Callable[[str, int, int], None] | None = None,
    anchors: dict[str, Anchors] | None = None,
    references: Evaluator | None = None,
) -> Verification:
    """Score the bundle again, from its laws and the release alone, and compare with its scorecard.

    Scores computed without isolation, there or here, by another scorer version or for another
    release are not verifiable, and neither are the aggregates that rest on them. Aggregates are
    recomputed both from the fresh verdicts and from the claimed ones, so that a scorecard that
    contradicts itself is named as such. `progress`, `anchors` and `references` are those of `score_submission`.
    """
    try:
        claimed = submission.claimed_scorecard
    except ScilawsError as error:
        return _one_claim("differs", printable(str(error), 500))
    if claimed is None:
        return _one_claim("not verifiable", "nothing is claimed; `submission score` writes a scorecard into a bundle")
    issues = release_issues(submission, release)
    if issues:
        return _one_claim("not verifiable", str(issues[0]))
    if claimed["release"] != release.reference:
        return _one_claim("not verifiable", "the scorecard was computed for another release than this one")
    fresh = score_submission(
        submission, release, evaluate, workers=workers, progress=progress, anchors=anchors, references=references
    )
    verdicts = _verdict_claims(claimed, fresh)
    claims = [
        *verdicts.values(),
        *_aggregate_claims(claimed, fresh, verdicts),
        *_doubled(claimed),
        _consistency(claimed, submission, release),
    ]
    return Verification(tuple(claims), fresh)


_Key = tuple[str, str]


def _one_claim(status: Status, reason: str) -> Verification:
    return Verification((Claim("scorecard", status, reason=reason),), None)


def _verdict_claims(claimed: dict[str, Any], fresh: dict[str, Any]) -> dict[_Key, Claim]:
    recomputed = {_key(verdict): verdict for verdict in fresh["verdicts"]}
    stated = {_key(verdict): verdict for verdict in claimed["verdicts"]}
    claims = {}
    for key in sorted(set(stated) | set(recomputed)):
        claims[key] = _verdict_claim(" ".join(map(printable, key)), stated.get(key), recomputed.get(key))
    return claims


def _verdict_claim(name: str, stated: dict[str, Any] | None, other: dict[str, Any] | None) -> Claim:
    if stated is None or other is None:
        if stated is None:
            return Claim(name, "differs", None, other["score"] if other else None, reason="left out of the scorecard")
        return Claim(name, "not verifiable", stated["score"], reason="this release has no such task or scorer")
    numbers = (stated["score"], other["score"])
    fault = _field_fault(stated, other, _PINNED)
    if fault:
        return Claim(name, "differs", *numbers, _difference(*numbers), fault)
    if stated["isolation"] == "none":
        return Claim(name, "not verifiable", *numbers, reason="computed without isolation")
    if other["isolation"] == "none":
        return Claim(name, "not verifiable", *numbers, reason="recomputed here without isolation")
    if stated["scorer_version"] != other["scorer_version"]:
        reason = f"scored by scorer version {stated['scorer_version']}, here is {other['scorer_version']}"
        return Claim(name, "not verifiable", *numbers, reason=reason)
    if other["failure"] == "infrastructure":
        return Claim(name, "not verifiable", stated["score"], reason=f"not recomputed here: {other['reason']}")
    fault = _field_fault(stated, other, _OUTCOME)
    if fault:
        return Claim(name, "differs", *numbers, _difference(*numbers), fault)
    claim = _compared(name, *numbers)
    if claim.status == "confirmed":
        fault = _evidence_fault(stated["evidence"], other["evidence"])
        if fault:
            return Claim(name, "differs", *numbers, claim.difference, f"the evidence differs: {fault}")
    return claim


def _field_fault(stated: dict[str, Any], other: dict[str, Any], fields: tuple[str, ...]) -> str:
    for field in fields:
        if stated[field] != other[field]:
            reason = f"{field} {_shown(stated[field])} claimed, {_shown(other[field])} found"
            return printable(f"{reason}: {other['reason']}" if field == "failure" and other["reason"] else reason, 500)
    return ""


def _evidence_fault(stated: dict[str, Any] | None, other: dict[str, Any] | None) -> str:
    """Where claimed evidence is not what is found; texts may differ, and groups that don't count by any amount."""
    if stated is None or other is None:
        return "" if stated is other else "on one side only"
    for field in ("metric", "reference"):
        if stated[field] != other[field]:
            return f"{field} {printable(stated[field], 80)} claimed, {other[field]} found"
    if len(stated["groups"]) != len(other["groups"]):
        return f"{len(stated['groups'])} groups claimed, {len(other['groups'])} found"
    pairs = [(stated, other, ""), *((*pair, "group ") for pair in zip(stated["groups"], other["groups"], strict=True))]
    for first, second, unit in pairs:
        where = f"{unit}{second['group']}: " if unit else ""
        for field in ("group", "excluded", "failure"):
            if first.get(field) != second.get(field):
                return f"{where}{field} {first[field]} claimed, {second[field]} found"
        if second.get("excluded"):
            continue
        scale = abs(second["reference_value"])
        for field, tolerance in (("score", VERIFIED_WITHIN), ("metric_value", 0.0), ("reference_value", 0.0)):
            a, b = first.get(field), second.get(field)
            if not _close(a, b, tolerance or _METRIC_TOLERANCE * max(scale, abs(a or 0.0), abs(b or 0.0))):
                return f"{where}{field} {a} claimed, {b} found"
    return ""


def _close(first: float | None, second: float | None, tolerance: float) -> bool:
    if first is None or second is None:
        return first is second
    return abs(first - second) <= tolerance


def _aggregate_claims(claimed: dict[str, Any], fresh: dict[str, Any], verdicts: dict[_Key, Claim]) -> list[Claim]:
    stated, recomputed = _flat(claimed["aggregates"]), _flat(fresh["aggregates"])
    open_verdicts = sum(claim.status == "not verifiable" for claim in verdicts.values())
    claims = []
    for path in sorted(set(stated) | set(recomputed)):
        name, numbers = " ".join(map(printable, path)), (stated.get(path), recomputed.get(path))
        if open_verdicts:
            reason = f"rests on verdicts of which {open_verdicts} can't be verified"
            claims.append(Claim(name, "not verifiable", *numbers, reason=reason))
        else:
            claims.append(_compared(name, *numbers))
    return claims


def _doubled(claimed: dict[str, Any]) -> list[Claim]:
    counts = Counter(_key(verdict) for verdict in claimed["verdicts"])
    return [
        Claim(" ".join(map(printable, key)), "differs", reason=f"{count} verdicts in the scorecard, expected one")
        for key, count in sorted(counts.items())
        if count > 1
    ]


def _consistency(claimed: dict[str, Any], submission: Submission, release: Release) -> Claim:
    name = "the scorecard agrees with itself and its bundle"
    faults = []
    if claimed["submission"] != submission.manifest["name"]:
        faults.append("it is that of another submission")
    if any(verdict["isolation"] != claimed["isolation"] for verdict in claimed["verdicts"]):
        faults.append("its isolation is not that of its verdicts")
    again = _flat(aggregate(claimed["verdicts"], release.tasks))
    stated = _flat(claimed["aggregates"])
    if set(again) != set(stated) or any(not _close(again[key], stated[key], VERIFIED_WITHIN) for key in again):
        faults.append("its aggregates do not follow from its verdicts")
    return Claim(name, "differs" if faults else "confirmed", reason="; ".join(faults))


def _flat(aggregates: dict[str, Any], above: tuple[str, ...] = ()) -> dict[tuple[str, ...], float | None]:
    flat: dict[tuple[str, ...], float | None] = {}
    for key, value in aggregates.items():
        flat.update(_flat(value, (*above, key)) if isinstance(value, dict) else {(*above, key): value})
    return flat


def _compared(name: str, claimed: float | None, recomputed: float | None) -> Claim:
    if claimed is None or recomputed is None:
        if claimed == recomputed:
            return Claim(name, "confirmed")
        return Claim(
            name, "differs", claimed, recomputed, reason=f"{_shown(claimed)} claimed, {_shown(recomputed)} found"
        )
    difference = _difference(claimed, recomputed)
    if _close(claimed, recomputed, VERIFIED_WITHIN + 1e-12):
        return Claim(name, "confirmed", claimed, recomputed, difference)
    reason = f"{_shown(claimed)} claimed, {_shown(recomputed)} found ({recomputed - claimed:+.6f})"
    return Claim(name, "differs", claimed, recomputed, difference, reason)


def _difference(claimed: float | None, recomputed: float | None) -> float | None:
    return None if claimed is None or recomputed is None else round(recomputed - claimed, 9)


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, list):
        return "[" + ", ".join(map(str, value)) + "]"
    return f"{value:.6f}" if isinstance(value, float) and math.isfinite(value) else str(value)


def _key(verdict: dict[str, Any]) -> _Key:
    return verdict["task_id"], verdict["scorer"]
