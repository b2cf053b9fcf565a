"""Every clause of "Metrics and S_N": which reference anchors, what is excluded, what fails, and what counts how."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from scilaws_bench.errors import ReleaseError, SandboxUnavailableError
from scilaws_bench.hashing import bytes_hash, json_hash
from scilaws_bench.sandbox import InProcess
from scilaws_bench.scoring import NumericGold, Verdict, anchors_of, score_numeric
from scoring_harness import (
    DOUBLE,
    X10,
    BrokenMachine,
    gold_document,
    group,
    law,
    numeric_gold,
    offset_law,
    shift_law,
    shifted_group,
    window,
)

FAILS = "raise ValueError('never fits')"
HERE = InProcess()


def two_groups(first: float, second: float, only: float | None = None) -> str:
    """A reference off by `first` in groups with b < 3 and by `second` in others; fit fails where b > `only`."""
    refuse = "" if only is None else f"if np.mean(y - 2.0 * X[:, 0]) > {only}: {FAILS}"
    return shift_law(also=refuse).replace("+ b + 0.0", f"+ b + ({first!r} if b < 3.0 else {second!r})")


GROUPS = [shifted_group(0, 1.0), shifted_group(1, 5.0)]


class TestBestReference:
    def test_it_is_chosen_once_for_the_task_by_the_mean_over_groups(self) -> None:
        """A per-group choice would take the better law of each group and give 0.1 and 0.2."""
        gold = numeric_gold(GROUPS, {"a": two_groups(0.1, 1.0), "b": two_groups(0.6, 0.2)})
        anchors = anchors_of(gold, HERE)
        assert anchors.best == "b"
        assert anchors.values == pytest.approx((0.6, 0.2))
        assert anchors.by_reference == pytest.approx({"a": 0.55, "b": 0.4})

    def test_it_is_the_mean_of_values_per_group_not_a_pooled_value(self) -> None:
        """The original harness: pooled "best" values while scoring is per group. Pooled, `b` would win."""
        groups = [shifted_group(0, 1.0, rows=1), shifted_group(1, 5.0, rows=6)]
        gold = numeric_gold(groups, {"a": two_groups(0.1, 0.8), "b": two_groups(0.8, 0.7)})
        assert anchors_of(gold, HERE).best == "a"

    def test_a_failed_group_counts_as_worst(self) -> None:
        gold = numeric_gold(GROUPS, {"a": two_groups(1e-3, 1e-3, only=3.0), "b": shift_law(2.0)})
        anchors = anchors_of(gold, HERE)
        assert anchors.best == "b"
        assert anchors.by_reference["a"] == math.inf

    def test_it_has_to_predict_every_group(self) -> None:
        gold = numeric_gold(GROUPS, {"a": shift_law(also=FAILS), "b": two_groups(1.0, 1.0, only=3.0)})
        with pytest.raises(ReleaseError, match="fails on some"):
            anchors_of(gold, HERE)

    @pytest.mark.parametrize("order", [("r1", "r2"), ("r2", "r1")])
    def test_for_r2_more_is_better(self, order: tuple[str, str]) -> None:
        laws = {"r1": offset_law(1.0), "r2": offset_law(3.0)}
        gold = numeric_gold(None, {name: laws[name] for name in order}, metric="r2")
        anchors = anchors_of(gold, HERE)
        assert anchors.best == "r1"
        assert anchors.values[0] == pytest.approx(1 - 1 / 33)

    def test_anchors_come_from_the_laws_never_from_a_stored_value(self) -> None:
        gold = numeric_gold()
        better = replace(gold, references=(*gold.references, ("new", offset_law(0.25))))
        assert anchors_of(gold, HERE).values == (1.0,)
        assert anchors_of(better, HERE).values == (0.25,)
        assert score_numeric(offset_law(0.5), gold, HERE).score == 0.75
        assert score_numeric(offset_law(0.5), better, HERE).score == 0.0

    def test_given_anchors_are_the_same_as_recomputed_ones(self) -> None:
        gold = numeric_gold(GROUPS, {"a": shift_law(0.5), "b": shift_law(1.0)})
        assert score_numeric(shift_law(0.2), gold, HERE, anchors_of(gold, HERE)) == score_numeric(
            shift_law(0.2), gold, HERE
        )


class TestEffectivelyPerfect:
    @pytest.mark.parametrize(("share", "excluded"), [(0.0, True), (0.9e-6, True), (1.1e-6, False)])
    @pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
    def test_a_group_is_judged_relative_to_the_naive_error(self, share: float, excluded: bool, scale: float) -> None:
        """The original harness: an absolute 1e-4 excludes every group of a task whose target is tiny."""
        x, y = X10, [scale * 2 * value for value in X10]
        groups = [group(n, window(x, y), window(x, y)) for n in range(2)]
        naive = float(np.sqrt(np.mean((np.array(y) - 11 * scale) ** 2)))
        near = law(
            f"return {scale!r} * (2.0 * X[:, 0]) + b * {share * naive!r}", local={"b": {}}, fit="return {'b': 1.0}"
        )
        far = near.replace("return {'b': 1.0}", "return {'b': 1e7}")
        gold = numeric_gold(groups, {"near": near, "far": far}, median=11 * scale)
        if excluded:
            with pytest.raises(ReleaseError, match="can't tell laws apart"):
                anchors_of(gold, HERE)
        else:
            assert anchors_of(gold, HERE).excluded == (False, False)

    def test_such_groups_are_listed_and_do_not_count(self) -> None:
        gold = numeric_gold(GROUPS, {"a": two_groups(0.0, 1.0), "b": two_groups(2.0, 2.0)})
        verdict = score_numeric(two_groups(50.0, 0.5), gold, HERE)
        first, second = verdict.evidence.groups  # type: ignore[union-attr]
        assert (first.excluded, first.score, first.metric_value) == (True, None, pytest.approx(50.0))
        assert (second.excluded, second.score) == (False, 0.75)
        assert verdict.score == 0.75
        assert verdict.evidence.metric_value == pytest.approx(0.5)  # type: ignore[union-attr]
        assert verdict.evidence.reference_value == pytest.approx(1.0)  # type: ignore[union-attr]

    def test_failing_in_an_excluded_group_costs_nothing(self) -> None:
        gold = numeric_gold(GROUPS, {"a": two_groups(1.0, 0.0), "b": two_groups(2.0, 2.0)})
        verdict = score_numeric(two_groups(0.5, 0.5, only=3.0), gold, HERE)
        assert (verdict.score, verdict.failure, verdict.reason) == (0.75, None, "")
        assert verdict.evidence.groups[1].failure == "protocol"  # type: ignore[union-attr]

    @pytest.mark.parametrize("metric", ["rmse", "smape", "log_mae", "r2"])
    def test_a_single_group_task_with_a_perfect_reference_is_refused(self, metric: str) -> None:
        epsilon = 1e-3 if metric == "log_mae" else None
        gold = numeric_gold(None, {"exact": offset_law(0.0), "b": offset_law(1.0)}, metric=metric, epsilon=epsilon)
        with pytest.raises(ReleaseError, match="can't tell laws apart"):
            anchors_of(gold, HERE)

    def test_for_r2_the_gap_is_1e_12(self) -> None:
        groups = [shifted_group(0, 1.0), shifted_group(1, 5.0)]
        spread = 2.0 * float(np.std(X10[4:]))
        anchors = anchors_of(
            numeric_gold(groups, {"a": two_groups(0.9e-6 * spread, 1.1e-6 * spread), "b": shift_law(2.0)}, metric="r2"),
            HERE,
        )
        assert anchors.excluded == (True, False)

    @pytest.mark.parametrize("answer", [shift_law(0.5), shift_law(0.0), shift_law(0.5, also="X = X * 1.0")])
    def test_an_r2_window_without_variance_counts_as_perfect(self, answer: str) -> None:
        """grader_pitfalls 1 SL, 32: zero variance is defined, and one such window does not spoil the task."""
        flat = group(7, window([5.0] * 6, [10.1] * 6), window([5.0] * 4, [10.1] * 4))
        gold = numeric_gold([*GROUPS, flat], {"a": shift_law(1.0), "b": shift_law(2.0)}, metric="r2")
        anchors = anchors_of(gold, HERE)
        assert (anchors.best, anchors.excluded) == ("a", (False, False, True))
        verdict = score_numeric(answer, gold, HERE)
        last = verdict.evidence.groups[2]  # type: ignore[union-attr]
        assert (last.excluded, last.score, last.failure) == (True, None, None)
        assert verdict.score == score_numeric(answer, replace(gold, units=gold.units[:2]), HERE).score
        assert verdict.failure is None

    def test_a_single_r2_window_without_variance_is_refused(self) -> None:
        gold = numeric_gold([group(0, window(X10, [3.0] * 10))], metric="r2")
        with pytest.raises(ReleaseError, match="can't tell laws apart"):
            anchors_of(gold, HERE)


class TestFailures:
    @pytest.mark.parametrize(("only", "score"), [(None, 0.75), (3.0, 0.375), (0.0, 0.0)])
    def test_a_failed_group_counts_zero_and_stays_in_the_denominator(self, only: float | None, score: float) -> None:
        """grader_pitfalls 22, 24: failures that leave the denominator."""
        gold = numeric_gold(GROUPS, {"a": shift_law(1.0), "b": shift_law(2.0)})
        verdict = score_numeric(two_groups(0.5, 0.5, only=only), gold, HERE)
        assert verdict.score == score
        assert verdict.failure == ("protocol" if only == 0.0 else None)
        assert ("1 of 2 groups failed" in verdict.reason) == (only == 3.0)
        assert (verdict.evidence.metric_value is None) == (only is not None)  # type: ignore[union-attr]

    def test_predictions_whose_error_overflows_are_wrong_and_score_zero(self) -> None:
        references = {"a": law("return np.zeros(len(X))"), "b": law("return np.ones(len(X))")}
        gold = numeric_gold([group(0, window(X10, [1e308] * 9 + [0.0]))], references)
        verdict = score_numeric(law("return np.full(len(X), -1.7e308)"), gold, HERE)
        assert (verdict.score, verdict.failure) == (0.0, "wrong")
        assert "overflows" in verdict.reason

    @pytest.mark.parametrize("source", ["def", "import no_such_module", "x = 1", FAILS, "", "\0", "\ud800"])
    def test_a_law_that_is_none_scores_zero_with_a_reason(self, source: str) -> None:
        verdict = score_numeric(source, numeric_gold(), HERE)
        assert (verdict.score, verdict.failure, verdict.evidence) == (0.0, "protocol", None)
        assert verdict.reason
        assert verdict.to_json()["answer_hash"] == bytes_hash(source.encode("utf-8", "surrogatepass"))


class TestInfrastructure:
    """Null, never 0 (grader_pitfalls 2, 19): a machine that fails says nothing about the law."""

    GOLD = numeric_gold(GROUPS, {"a": shift_law(1.0), "b": shift_law(2.0)})
    ANSWER = shift_law(0.5)

    @pytest.mark.parametrize(
        ("method", "count"), [("describe", 1), ("fit", 1), ("fit", 2), ("predict", 1), ("predict", 4)]
    )
    def test_of_the_answer(self, method: str, count: int) -> None:
        machine = BrokenMachine(
            HERE, lambda name, source, number: (name, number) == (method, count) and source == self.ANSWER
        )
        verdict = score_numeric(self.ANSWER, self.GOLD, machine)
        assert (verdict.score, verdict.failure) == (None, "infrastructure")
        assert "no zygote could be started" in verdict.reason
        assert verdict.to_json()["score"] is None

    @pytest.mark.parametrize("name", ["a", "b"])
    @pytest.mark.parametrize(("method", "count"), [("describe", 1), ("fit", 2), ("predict", 1)])
    def test_of_a_reference_never_moves_the_anchor(self, name: str, method: str, count: int) -> None:
        """Were it taken for a failed group, a worse reference would anchor and every score would rise."""
        broken = dict(self.GOLD.references)[name]
        machine = BrokenMachine(HERE, lambda m, source, number: (m, number) == (method, count) and source == broken)
        verdict = score_numeric(self.ANSWER, self.GOLD, machine)
        assert (verdict.score, verdict.failure, verdict.evidence) == (None, "infrastructure", None)
        assert f"reference {name} of scilaws_real/test-task" in verdict.reason
        with pytest.raises(SandboxUnavailableError):
            anchors_of(self.GOLD, BrokenMachine(HERE, lambda *call: call[1] == broken))

    def test_in_an_excluded_group_it_does_not_matter(self) -> None:
        gold = numeric_gold(GROUPS, {"a": two_groups(0.0, 1.0), "b": two_groups(2.0, 2.0)})
        machine = BrokenMachine(HERE, lambda name, source, count: (name, count) == ("fit", 1) and source == self.ANSWER)
        assert score_numeric(self.ANSWER, gold, machine).score == 0.75


class TestSeed:
    DRAWS = shift_law(also="X = X + 0.1 * np.random.random()")
    GOLD = numeric_gold(GROUPS, {"a": shift_law(1.0), "b": shift_law(2.0)})

    def test_fit_runs_under_one_fixed_seed_so_scores_replay(self) -> None:
        scores = {score_numeric(self.DRAWS, self.GOLD, HERE).score for _ in range(3)}
        assert len(scores) == 1

    def test_a_fit_that_depends_on_the_seed_is_flagged_and_scored(self) -> None:
        verdict = score_numeric(self.DRAWS, self.GOLD, HERE)
        assert verdict.flags == ("seed-dependent:fit",)
        assert verdict.score is not None
        assert verdict.score > 0.5
        assert score_numeric(shift_law(0.5), self.GOLD, HERE).flags == ()

    def test_the_seed_is_the_one_of_the_gold(self) -> None:
        first, second = (score_numeric(self.DRAWS, replace(self.GOLD, fit_seed=seed), HERE) for seed in (1, 2))
        assert first.score != second.score


class TestVerdict:
    def test_it_is_bound_to_answer_task_gold_and_isolation(self) -> None:
        document = gold_document()
        source = offset_law(0.5)
        verdict = score_numeric(source, NumericGold.from_json(document), HERE)
        assert verdict.answer_hash == bytes_hash(source.encode())
        assert (verdict.task_hash, verdict.gold_hash) == (document["task_hash"], json_hash(document))
        assert (verdict.scorer, verdict.scorer_version, verdict.isolation) == ("numeric_score", 1, "none")

    def test_flags_are_stored_and_change_no_score(self) -> None:
        caps = {"caps": {"law_constants": 0, "local_params": 0, "init_size": 1}}
        gold = NumericGold.from_json(gold_document(), caps)
        source = law("return 2.0 * X[:, 0] + k", constants={"k": 0.5}, before="import os\nlen(eval('[]'))")
        verdict = score_numeric(source, gold, HERE)
        assert verdict.flags == ("cap:law_constants:1>0", "dynamic:eval", "import:os")
        assert verdict.score == 0.75

    def test_a_law_may_keep_to_some_columns_and_name_them_in_any_order(self) -> None:
        gold = numeric_gold([group(0, window(X10, DOUBLE, z=[0.0] * 10))])
        assert score_numeric(law("return 2.0 * X[:, 1] + X[:, 0] + 0.5", inputs=["z", "x"]), gold, HERE).score == 0.75

    @pytest.mark.parametrize("metric", ["rmse", "smape", "r2"])
    def test_epsilon_is_read_where_there_is_one(self, metric: str) -> None:
        assert numeric_gold(metric=metric).epsilon is None
        assert numeric_gold(metric="log_mae", epsilon=0.5).epsilon == 0.5


def test_the_verdict_of_every_outcome_follows_the_schema() -> None:
    from scilaws_bench import schemas

    gold = numeric_gold(GROUPS, {"a": shift_law(1.0), "b": shift_law(2.0)})
    machine: Any = BrokenMachine(HERE, lambda name, _, __: name == "describe")
    found: list[Verdict] = [
        score_numeric(source, gold, HERE) for source in ("def", shift_law(0.5), two_groups(1, 1, 0.0))
    ]
    found.append(score_numeric(shift_law(), gold, machine))
    assert [schemas.problems_with("verdict", verdict.to_json()) for verdict in found] == [[]] * 4
