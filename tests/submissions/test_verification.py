"""Verification: every claim is confirmed, differs (by how much) or is not verifiable (why)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bundle_kit import GOOD, OTHER, OTHER_LAW, edit_manifest, edit_scorecard, replace_law
from scilaws_bench import strict_json
from scilaws_bench.release import Release
from scilaws_bench.sandbox import CallResult, InProcess, Sandbox
from scilaws_bench.scoring import Anchors, aggregate
from scilaws_bench.submissions import Claim, Verification, load_submission, score_submission, verify_submission
from scilaws_bench.submissions.bundle import SCORECARD, claim_scorecard

AGREES = "the scorecard agrees with itself and its bundle"
GOOD_SCORE = f"{GOOD} numeric_score"
OTHER_SCORE = f"{OTHER} numeric_score"
MEAN = "scilaws_real numeric_score all strict_mean"


@pytest.fixture
def verify(small_release: Release, sandbox: Sandbox, anchors: dict[str, Anchors]) -> Callable[[Path], Verification]:
    """Verification of a bundle path."""
    return lambda path: verify_submission(load_submission(path), small_release, sandbox, anchors=anchors)


def _claims(result: Verification) -> dict[str, Claim]:
    return {claim.claim: claim for claim in result.claims}


def _unlike(result: Verification, status: str) -> set[str]:
    return {claim.claim for claim in result.claims if claim.status != status}


def _edit_verdict(bundle: Path, changes: dict[str, Any], release: Release | None = None, index: int = 0) -> None:
    """Change the verdict on GOOD (0) or OTHER (1); with a release, recompute the aggregates as a cheat would."""
    verdicts = strict_json.read(bundle / SCORECARD)["verdicts"]
    verdicts[index] |= changes
    aggregates = {"aggregates": aggregate(verdicts, release.tasks)} if release else {}
    edit_scorecard(bundle, verdicts=verdicts, **aggregates)


def test_an_honest_bundle_is_confirmed_claim_by_claim(scored_bundle: Path, verify: Any) -> None:
    result = verify(scored_bundle)
    assert result.confirmed
    assert _unlike(result, "confirmed") == set()
    claims = _claims(result)
    assert {GOOD_SCORE, OTHER_SCORE, MEAN, AGREES} <= set(claims)
    assert claims[GOOD_SCORE].claimed == claims[GOOD_SCORE].recomputed == 0.348933
    assert claims[GOOD_SCORE].difference == 0.0
    assert result.counts == {"confirmed": len(result.claims), "differs": 0, "not verifiable": 0}
    assert result.scorecard == strict_json.read(scored_bundle / SCORECARD)


@pytest.mark.parametrize("careful", [False, True], ids=["aggregates left alone", "aggregates recomputed"])
def test_one_altered_score_is_caught_and_measured(
    careful: bool, scored_bundle: Path, small_release: Release, verify: Any
) -> None:
    _edit_verdict(scored_bundle, {"score": 0.448933}, small_release if careful else None)
    result = verify(scored_bundle)
    claims = _claims(result)
    assert not result.confirmed
    assert claims[GOOD_SCORE].status == "differs"
    assert claims[GOOD_SCORE].difference == pytest.approx(-0.1)
    assert claims[GOOD_SCORE].reason == "0.448933 claimed, 0.348933 found (-0.100000)"
    assert claims[OTHER_SCORE].status == "confirmed"
    assert claims[MEAN].status == ("differs" if careful else "confirmed")
    assert claims[AGREES].status == ("confirmed" if careful else "differs")


@pytest.mark.parametrize(("shift", "status"), [(1.5e-6, "confirmed"), (2.5e-6, "differs"), (-2.5e-6, "differs")])
def test_scores_are_confirmed_within_two_millionths(
    shift: float, status: str, scored_bundle: Path, verify: Any
) -> None:
    _edit_verdict(scored_bundle, {"score": 0.348933 + shift})
    assert _claims(verify(scored_bundle))[GOOD_SCORE].status == status


def test_an_altered_aggregate_contradicts_both_recomputations(scored_bundle: Path, verify: Any) -> None:
    aggregates = strict_json.read(scored_bundle / SCORECARD)["aggregates"]
    aggregates["scilaws_real"]["numeric_score"]["all"]["strict_mean"] += 0.25
    edit_scorecard(scored_bundle, aggregates=aggregates)
    result = verify(scored_bundle)
    assert _unlike(result, "confirmed") == {MEAN, AGREES}
    assert _claims(result)[MEAN].difference == pytest.approx(-0.25)
    assert "aggregates do not follow" in _claims(result)[AGREES].reason


ALTERED_EVIDENCE = {
    "a metric": (lambda evidence: evidence["groups"][1].update(metric_value=1e-9), ": metric_value 1e-09 claimed"),
    "a metric, slightly": (
        lambda evidence: evidence["groups"][1].update(metric_value=evidence["groups"][1]["metric_value"] * 1.0001),
        ": metric_value ",
    ),
    "a group's score": (lambda evidence: evidence["groups"][1].update(score=0.5), ": score 0.5 claimed, 0.0 found"),
    "the reference": (lambda evidence: evidence.update(reference="cauchy_1836_eq15"), "reference cauchy_1836_eq15"),
    "its value": (lambda evidence: evidence.update(reference_value=0.1), "reference_value 0.1 claimed"),
    "a group left out": (lambda evidence: evidence["groups"].pop(), "2 groups claimed, 3 found"),
    "an exclusion": (lambda evidence: evidence["groups"][0].update(excluded=True), "excluded True claimed"),
}


@pytest.mark.parametrize("what", ALTERED_EVIDENCE)
def test_altered_evidence_is_caught_though_the_score_is_right(what: str, scored_bundle: Path, verify: Any) -> None:
    alter, text = ALTERED_EVIDENCE[what]
    evidence = strict_json.read(scored_bundle / SCORECARD)["verdicts"][1]["evidence"]
    alter(evidence)
    _edit_verdict(scored_bundle, {"evidence": evidence}, index=1)
    result = verify(scored_bundle)
    assert _unlike(result, "confirmed") == {OTHER_SCORE}
    assert text in _claims(result)[OTHER_SCORE].reason


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"evidence": None}, "on one side only"),
        ({"flags": ["unused:fit"]}, "flags [unused:fit] claimed, [] found"),
        ({"answer_hash": "0" * 64}, "answer_hash 000"),
        ({"gold_hash": "0" * 64}, "gold_hash 000"),
        ({"task_hash": "0" * 64}, "task_hash 000"),
        ({"failure": "wrong"}, "failure wrong claimed, none found"),
        ({"score": None}, "none claimed, 0.348933 found"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_every_other_part_of_a_verdict_is_recomputed_too(
    changes: dict[str, Any], text: str, scored_bundle: Path, small_release: Release, verify: Any
) -> None:
    _edit_verdict(scored_bundle, changes, small_release)
    claim = _claims(verify(scored_bundle))[GOOD_SCORE]
    assert claim.status == "differs"
    assert text in claim.reason


def test_a_law_altered_after_scoring_is_caught(scored_bundle: Path, verify: Any) -> None:
    with (scored_bundle / OTHER_LAW).open("a") as file:
        file.write("\n# better now\n")
    claim = _claims(verify(scored_bundle))[OTHER_SCORE]
    assert claim.status == "differs"
    assert "was changed after the manifest was written" in claim.reason


def test_a_law_replaced_together_with_its_hash_is_caught(scored_bundle: Path, verify: Any) -> None:
    replace_law(scored_bundle, (scored_bundle / OTHER_LAW).read_bytes() + b"\n# better now\n")
    claim = _claims(verify(scored_bundle))[OTHER_SCORE]
    assert claim.status == "differs"
    assert claim.reason.startswith("answer_hash")


def test_a_verdict_left_out_is_named(scored_bundle: Path, small_release: Release, verify: Any) -> None:
    """Pitfall 85 and 24: output that lacks failed items."""
    verdicts = strict_json.read(scored_bundle / SCORECARD)["verdicts"][:1]
    edit_scorecard(scored_bundle, verdicts=verdicts, aggregates=aggregate(verdicts, small_release.tasks))
    result = verify(scored_bundle)
    assert _claims(result)[OTHER_SCORE].status == "differs"
    assert "left out" in _claims(result)[OTHER_SCORE].reason


def test_two_verdicts_on_one_task_are_named(scored_bundle: Path, verify: Any) -> None:
    verdicts = strict_json.read(scored_bundle / SCORECARD)["verdicts"]
    edit_scorecard(scored_bundle, verdicts=[verdicts[0] | {"score": 1.0}, *verdicts])
    doubled = [claim for claim in verify(scored_bundle).claims if "2 verdicts" in claim.reason]
    assert [(claim.claim, claim.status) for claim in doubled] == [(GOOD_SCORE, "differs")]


def test_a_verdict_on_an_unknown_task_is_not_verifiable(scored_bundle: Path, verify: Any) -> None:
    verdicts = strict_json.read(scored_bundle / SCORECARD)["verdicts"]
    edit_scorecard(scored_bundle, verdicts=[*verdicts, verdicts[0] | {"task_id": "scilaws_real/unheard-of"}])
    claim = _claims(verify(scored_bundle))["scilaws_real/unheard-of numeric_score"]
    assert (claim.status, claim.reason) == ("not verifiable", "this release has no such task or scorer")


NOT_VERIFIABLE = {
    "isolation": ({"isolation": "none"}, "computed without isolation"),
    "scorer version": ({"scorer_version": 99}, "scored by scorer version 99, here is 1"),
}


@pytest.mark.parametrize("why", NOT_VERIFIABLE)
def test_what_cannot_be_checked_is_not_confirmed_and_neither_are_its_aggregates(
    why: str, scored_bundle: Path, verify: Any
) -> None:
    changes, reason = NOT_VERIFIABLE[why]
    _edit_verdict(scored_bundle, changes)
    result = verify(scored_bundle)
    claims = _claims(result)
    assert (claims[GOOD_SCORE].status, claims[GOOD_SCORE].reason) == ("not verifiable", reason)
    assert claims[OTHER_SCORE].status == "confirmed"
    assert claims[MEAN].status == "not verifiable"
    assert not result.confirmed


def test_nothing_is_confirmed_without_isolation_here(
    scored_bundle: Path, small_release: Release, anchors: dict[str, Anchors]
) -> None:
    result = verify_submission(load_submission(scored_bundle), small_release, InProcess(), anchors=anchors)
    claims = _claims(result)
    assert {claims[name].status for name in (GOOD_SCORE, OTHER_SCORE, MEAN)} == {"not verifiable"}
    assert claims[GOOD_SCORE].reason == "recomputed here without isolation"


def test_a_scorecard_computed_without_isolation_is_not_verifiable(
    bundle: Path, small_release: Release, anchors: dict[str, Anchors], verify: Any
) -> None:
    claim_scorecard(bundle, score_submission(load_submission(bundle), small_release, InProcess(), anchors=anchors))
    assert _unlike(verify(bundle), "not verifiable") == {AGREES}


class _Unavailable(InProcess):
    """A machine whose sandbox never starts."""

    @property
    def level(self) -> Any:
        return "full"

    def describe(self, *_: Any, **__: Any) -> CallResult:
        return CallResult("infrastructure", None, "no zygote", "full")


def test_a_failure_of_this_machine_accuses_nobody(
    scored_bundle: Path, small_release: Release, anchors: dict[str, Anchors], verify: Any
) -> None:
    assert verify(scored_bundle).confirmed
    result = verify_submission(load_submission(scored_bundle), small_release, _Unavailable(), anchors=anchors)
    assert result.counts["differs"] == 0
    assert "no zygote" in _claims(result)[GOOD_SCORE].reason


@pytest.mark.parametrize("where", ["manifest", "scorecard"])
def test_claims_for_another_release_are_not_verifiable(
    where: str, scored_bundle: Path, demo_release: Release, verify: Any
) -> None:
    edit = edit_manifest if where == "manifest" else edit_scorecard
    edit(scored_bundle, release=demo_release.reference)
    (claim,) = verify(scored_bundle).claims
    assert claim.status == "not verifiable"
    assert "release" in claim.reason


@pytest.mark.parametrize(
    ("changes", "text"),
    [({"submission": "somebody else's"}, "another submission"), ({"isolation": "none"}, "its isolation")],
    ids=["name", "isolation"],
)
def test_a_scorecard_that_contradicts_itself_or_its_bundle_is_named(
    changes: dict[str, str], text: str, scored_bundle: Path, verify: Any
) -> None:
    edit_scorecard(scored_bundle, **changes)
    result = verify(scored_bundle)
    assert _unlike(result, "confirmed") == {AGREES}
    assert text in _claims(result)[AGREES].reason


@pytest.mark.parametrize(
    ("content", "text"),
    [(None, "no such file"), (b"{}", "sha256")],
    ids=["missing", "altered"],
)
def test_a_claimed_file_that_is_not_there_differs(
    content: bytes | None, text: str, scored_bundle: Path, verify: Any
) -> None:
    (scored_bundle / SCORECARD).unlink()
    if content is not None:
        (scored_bundle / SCORECARD).write_bytes(content)
    (claim,) = verify(scored_bundle).claims
    assert claim.status == "differs"
    assert text in claim.reason


def test_without_claims_nothing_is_verified(bundle: Path, verify: Any) -> None:
    result = verify(bundle)
    assert not result.confirmed
    assert [(claim.status, claim.reason.split(";")[0]) for claim in result.claims] == [
        ("not verifiable", "nothing is claimed")
    ]
