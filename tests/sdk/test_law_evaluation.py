"""Running a law over the units of a task: seeds, order of calls, row-wise checks, what fails alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from scilaws_bench.laws import Contract, LawRun, Rows, Unit, run_law
from scilaws_bench.sandbox import CallResult, InProcess, Limits
from scilaws_bench.scoring.numeric import run_law_of
from scoring_harness import BrokenMachine, law, numeric_gold, offset_law, shift_law, shifted_group

TWO = numeric_gold([shifted_group(0, 1.0), shifted_group(1, 5.0)], {"a": shift_law(1.0), "b": shift_law(2.0)})
ROW_FAULT = "not row-wise"


class Recorder(InProcess):
    """Runs laws in this process and keeps what was handed to them."""

    def __init__(self) -> None:
        self.fits: list[tuple[Any, ...]] = []
        self.predictions: list[tuple[Any, ...]] = []

    def fit(self, source: str, X: Any, y: Any, constants: Any, seed: int, limits: Any = None) -> CallResult:
        self.fits.append((X, y, dict(constants), seed))
        return super().fit(source, X, y, constants, seed)

    def predict(
        self, source: str, X: Any, names: Any, thetas: Any, selections: Any = (), limits: Any = None
    ) -> CallResult:
        self.predictions.append((X, list(names), thetas, selections))
        return super().predict(source, X, names, thetas, selections)


def run(source: str, gold: Any = None, evaluate: Any = None) -> LawRun:
    return run_law_of(source, gold or numeric_gold(), evaluate or InProcess())


def test_predictions_come_back_in_the_order_of_the_rows() -> None:
    found = run(offset_law(1.0))
    np.testing.assert_array_equal(found.groups[0].predictions, 2.0 * np.arange(1.0, 11.0) + 1.0)


def test_columns_come_in_the_order_of_used_inputs() -> None:
    rows = Rows({"x": np.arange(3.0), "z": np.arange(3.0) * 10}, np.zeros(3))
    source = law("return X[:, 0] - X[:, 1]", inputs=["z", "x"])
    found = run_law(
        source, (Unit(0, None, rows),), Contract(("x", "z"), multi=False), InProcess(), seed=1, limits=Limits()
    )
    np.testing.assert_array_equal(found.groups[0].predictions, np.arange(3.0) * 9)


def test_only_the_fit_window_and_permuted_input_rows_reach_the_law() -> None:
    recorder = Recorder()
    run(shift_law(), TWO, recorder)
    for (X, y, constants, seed), unit in zip(recorder.fits, TWO.units, strict=False):
        assert unit.fit is not None
        np.testing.assert_array_equal(X[:, 0], unit.fit.columns["x"])
        np.testing.assert_array_equal(y, unit.fit.target)
        assert (constants, seed) == ({}, TWO.fit_seed)
    whole = [X for X, _, _, selections in recorder.predictions if selections]
    for X, unit in zip(whole, TWO.units, strict=True):
        assert X.shape == (6, 1)
        assert sorted(X[:, 0]) == sorted(unit.scored.columns["x"])
        assert X[:, 0].tolist() != unit.scored.columns["x"].tolist()


def test_fit_runs_once_a_group_and_once_more_under_another_seed() -> None:
    recorder = Recorder()
    assert run(shift_law(), TWO, recorder).flags == ()
    assert [seed for *_, seed in recorder.fits] == [TWO.fit_seed, TWO.fit_seed, TWO.fit_seed + 1]


def test_three_selections_and_a_half_in_a_process_of_its_own_are_asked_for() -> None:
    recorder = Recorder()
    run(offset_law(1.0), numeric_gold(), recorder)
    (whole, _, _, selections), (alone, _, _, none) = recorder.predictions
    assert [len(selection) for selection in selections] == [10, 5, 10]
    assert len(set(selections[0].tolist())) == 10
    assert len(set(selections[2].tolist())) < 10
    assert (len(whole), len(alone), len(none)) == (10, 5, 0)


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_small_windows_are_no_problem(rows: int) -> None:
    gold = numeric_gold(
        [shifted_group(0, 1.0, rows), shifted_group(1, 2.0, rows)], {"a": shift_law(), "b": shift_law()}
    )
    assert all(group.failure is None for group in run(shift_law(0.5), gold).groups)


WEIGHTS = [0.13, -0.13, 0.64, 0.1, -0.54, 0.36, 1.3, 0.95]
ZERO = float(np.sin(np.arange(1, 9) * 3.0) @ np.array(WEIGHTS))
SINES = f"return np.column_stack([np.sin(k * X[:, 0]) for k in range(1, 9)]) @ np.array({WEIGHTS}) - {ZERO!r}"
"""A linear law of eight terms that is zero at x = 3."""


def row_law(body: str, before: str = "") -> str:
    return law(body, before=before)


@pytest.mark.parametrize(
    "source",
    [
        row_law("return X[:, 0] - X[:, 0].mean()"),
        row_law("return X[:, 0] - X[0, 0]"),
        row_law("return np.sort(X[:, 0])"),
        row_law("return X[:, 0] + len(X)"),
        row_law("return np.cumsum(X[:, 0])"),
        row_law("return np.arange(len(X)) * 1.0"),
        row_law("return X[:, 0] + len(set(X[:, 0].tolist())) / len(X)"),
        row_law("return np.random.random(len(X))"),
        row_law("CALLS.append(1)\nreturn X[:, 0] * len(CALLS)", before="CALLS = []"),
        row_law(
            "for row in X[:, 0]:\n    SEEN.setdefault(row, row - X[:, 0].mean())\n"
            "return np.array([SEEN[row] for row in X[:, 0]])",
            before="SEEN = {}",
        ),
    ],
    ids=["mean", "first", "sort", "count", "cumsum", "position", "repeats", "random", "calls", "remembered"],
)
def test_a_law_that_looks_at_other_rows_or_earlier_calls_fails(source: str) -> None:
    """`remembered` answers every later call as it answered the first: only a fresh process shows it."""
    found = run(source).groups[0]
    assert (found.failure, found.predictions) == ("protocol", None)
    assert ROW_FAULT in found.reason


@pytest.mark.parametrize(
    "source",
    [
        row_law("return X[:, 0] * (1 + 1e-12 * len(X))"),
        row_law("return list(X[:, 0])"),
        row_law("return np.array([SEEN.setdefault(row, row ** 2) for row in X[:, 0]])", before="SEEN = {}"),
        row_law(SINES),
        row_law("return X[:, 0] - 3.0 + 1e-16 * np.arange(len(X))"),
    ],
    ids=["rounding", "list", "cache", "sines", "jitter at zero"],
)
def test_rounding_and_honest_caches_are_no_fault(source: str) -> None:
    """Where large terms cancel to zero, BLAS rounds by position: no tolerance relative to the row helps."""
    assert run(source).groups[0].reason == ""


def test_a_group_fails_alone() -> None:
    source = shift_law().replace("def fit(X, y):", "def fit(X, y):\n    if y.mean() > 8: raise ValueError('no')")
    found = run(source, TWO)
    assert (found.failure, [group.failure for group in found.groups]) == (None, [None, "protocol"])
    assert "fit" in found.groups[1].reason
    assert "ValueError: no" in found.groups[1].reason


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("def", "not a Python module"),
        ("import nothing_of_this_name", "nothing_of_this_name"),
        ("1 / 0", "division by zero"),
        ("raise SystemExit(0)", "SystemExit"),
        ("x = 1", "defines no function predict"),
        ("def predict(X): return X[:, 0]", "law.law_constants: expected type object; found None"),
    ],
)
def test_an_unusable_module_fails_whole(source: str, reason: str) -> None:
    found = run(source)
    assert (found.failure, found.groups, found.declarations) == ("protocol", (), None)
    assert reason in found.reason


class TestSeedFlag:
    @pytest.mark.parametrize("draw", ["np.random.random()", "np.random.default_rng().random()"])
    def test_a_fit_that_draws_is_flagged(self, draw: str) -> None:
        assert run(shift_law(also=f"X = X + {draw}"), TWO).flags == ("seed-dependent:fit",)

    def test_a_fit_that_fails_under_another_seed_is_flagged(self) -> None:
        first, second = (np.random.RandomState(seed).random() for seed in (TWO.fit_seed, TWO.fit_seed + 1))
        fails = f"np.random.random() {'>' if first < second else '<'} {(first + second) / 2!r}"
        found = run(shift_law(also=f"if {fails}: raise ValueError"), TWO)
        assert [group.failure for group in found.groups] == [None, None]
        assert found.flags == ("seed-dependent:fit",)

    def test_a_failing_first_group_does_not_hide_the_flag(self) -> None:
        """Otherwise one sacrificed group buys freedom from the flag."""
        source = shift_law(also="if y.mean() < 8: raise ValueError\nX = X + np.random.random()")
        found = run(source, TWO)
        assert [group.failure for group in found.groups] == ["protocol", None]
        assert found.flags == ("seed-dependent:fit",)

    def test_a_machine_that_fails_then_flags_nothing(self) -> None:
        source = shift_law()
        found = run(source, TWO, BrokenMachine(InProcess(), lambda method, _, count: method == "fit" and count == 3))
        assert found.flags == ()
        assert all(group.failure is None for group in found.groups)

    def test_one_seed_gives_one_result(self) -> None:
        source = shift_law(also="X = X + np.random.random()")
        first, second = run(source, TWO), run(source, TWO)
        assert [group.parameters for group in first.groups] == [group.parameters for group in second.groups]


@pytest.mark.parametrize("method", ["describe", "fit", "predict"])
def test_a_machine_that_fails_is_told_from_a_law_that_fails(method: str) -> None:
    """grader_pitfalls 19: a failure of the machinery indistinguishable from a failed case."""
    found = run(shift_law(), TWO, BrokenMachine(InProcess(), lambda name, *_: name == method))
    failures = {found.failure} if method == "describe" else {group.failure for group in found.groups}
    assert failures == {"infrastructure"}
