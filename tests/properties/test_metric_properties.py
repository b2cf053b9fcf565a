"""What every metric of the registry keeps, whatever the numbers: the declared rules, executed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from scilaws_bench.scoring import METRICS, Metric

EPSILON = 1e-3
STEADY = settings(deadline=None, derandomize=True, database=None, max_examples=80)
every_metric = pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS.keys())

SIZES = st.integers(1, 12)
ANY = st.floats(allow_nan=False, allow_infinity=False)
TAME = st.floats(-1e6, 1e6).map(lambda value: round(value, 6))
POSITIVE = st.floats(1.0, 1e4)


@st.composite
def pairs(draw: Any, elements: Any = TAME, smallest: int = 1) -> tuple[Any, Any]:
    """Truth and predictions of one length."""
    size = draw(st.integers(smallest, 12))
    return tuple(draw(arrays(np.float64, size, elements=elements)) for _ in range(2))


@every_metric
def test_the_registry_is_consistent(metric: Metric) -> None:
    assert METRICS[metric.name] is metric
    assert metric.is_better(metric.perfect, metric.worst)
    assert metric.worst == (np.inf if metric.direction == "lower" else -np.inf)
    assert metric.zero_variance


def test_the_registry_holds_the_four_metrics_of_the_paper() -> None:
    assert {name: (metric.direction, metric.perfect) for name, metric in METRICS.items()} == {
        "rmse": ("lower", 0.0), "smape": ("lower", 0.0), "log_mae": ("lower", 0.0), "r2": ("higher", 1.0),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rmse", np.sqrt(5 / 3)),
        ("smape", (0 + 2 / 5 + 4 / 6) / 3),
        ("log_mae", (0 + np.log10(3 / 2) + np.log10(2)) / 3),
        ("r2", 1 - 5 / (14 / 3)),
    ],
)
def test_known_values(name: str, value: float) -> None:
    truth, predictions = np.array([1.0, 2.0, 4.0]), np.array([1.0, 3.0, 2.0])
    assert METRICS[name](truth, predictions, EPSILON) == pytest.approx(value, rel=1e-14)


@every_metric
@STEADY
@given(truth=arrays(np.float64, SIZES, elements=st.floats(-1e300, 1e300)))
def test_the_truth_itself_is_perfect(metric: Metric, truth: Any) -> None:
    assert metric(truth, truth.copy(), EPSILON) == metric.perfect


@every_metric
@STEADY
@given(pair=pairs(ANY))
def test_every_value_is_finite_or_worst_and_never_better_than_perfect(metric: Metric, pair: Any) -> None:
    """grader_pitfalls 1 NB: nan and inf leave the function."""
    value = metric(*pair, EPSILON)
    assert np.isfinite(value) or value == metric.worst
    assert not metric.is_better(value, metric.perfect)


@every_metric
@STEADY
@given(pair=pairs(POSITIVE, smallest=2), factor=st.floats(0.1, 0.9))
def test_nearer_in_every_row_is_better(metric: Metric, pair: Any, factor: float) -> None:
    truth, far = pair
    assume(np.abs(far - truth).max() > 1e-3 * truth.max() and np.ptp(truth) > 1e-3 * truth.max())
    near = truth + factor * (far - truth)
    if metric.name == "log_mae":
        near = truth * (far / truth) ** factor
    assert metric.is_better(metric(truth, near, EPSILON), metric(truth, far, EPSILON))


@every_metric
@STEADY
@given(pair=pairs(), seed=st.integers(0, 99))
def test_the_order_of_rows_does_not_matter(metric: Metric, pair: Any, seed: int) -> None:
    """grader_pitfalls 20: a result that depends on the order."""
    truth, predictions = pair
    order = np.random.default_rng(seed).permutation(len(truth))
    value = metric(truth, predictions, EPSILON)
    spread = max(1.0, abs(value) if np.isfinite(value) else 1.0)
    shuffled = metric(truth[order], predictions[order], EPSILON)
    assert shuffled == value or abs(shuffled - value) <= 1e-9 * spread


@every_metric
@STEADY
@given(pair=pairs(POSITIVE, smallest=2), power=st.integers(-900, 900))
@example(pair=(np.array([1.0, 2.0, 4.0]), np.array([1.0, 3.0, 2.0])), power=-900)
@example(pair=(np.array([1.0, 2.0, 4.0]), np.array([1.0, 3.0, 2.0])), power=900)
def test_units_matter_only_where_declared(metric: Metric, pair: Any, power: int) -> None:
    """The original harness: an absolute threshold zeroes every task whose target is tiny. 2^±900 is ±271 decades."""
    scale = 2.0**power
    truth, predictions = pair
    value = metric(truth, predictions, EPSILON)
    scaled = metric(scale * truth, scale * predictions, scale * EPSILON)
    expected = value if metric.scale_free or value == metric.worst else scale * value
    assert scaled == pytest.approx(expected, rel=1e-9, abs=1e-9 if metric.scale_free else 0.0)


def test_rmse_is_declared_to_depend_on_units() -> None:
    assert [name for name, metric in METRICS.items() if not metric.scale_free] == ["rmse"]


@every_metric
@STEADY
@given(level=st.floats(-1e6, 1e6), size=SIZES, offset=st.floats(0.125, 10.0))
@example(level=0.1, size=3, offset=1.0)
@example(level=0.0, size=1, offset=1.0)
def test_a_window_without_variance(metric: Metric, level: float, size: int, offset: float) -> None:
    """grader_pitfalls 1 SL, 32: NMSE inf, R2 of one sample. The mean of three 0.1 is not 0.1, which must not matter."""
    truth = np.full(size, level)
    missed = metric(truth, truth + offset, EPSILON)
    assert metric(truth, truth.copy(), EPSILON) == metric.perfect
    if metric.name == "r2":
        assert missed == metric.worst
    else:
        assert np.isfinite(missed)


@every_metric
@pytest.mark.parametrize(
    ("truth", "predictions"),
    [
        ([], []),
        ([1.0, 2.0], [1.0]),
        ([1.0], [[1.0]]),
        ([[1.0]], [[1.0]]),
        ([1.0], 1.0),
        ([1.0, np.nan], [1.0, 2.0]),
        ([1.0, 2.0], [1.0, np.nan]),
        ([1.0, 2.0], [1.0, np.inf]),
        ([1.0, -np.inf], [1.0, 2.0]),
    ],
)
def test_other_shapes_and_values_that_are_not_finite_are_refused(metric: Metric, truth: Any, predictions: Any) -> None:
    """grader_pitfalls 1: NB 49 of 50 NaN is perfect, SC scalar equals ones(5), OG one NaN."""
    with pytest.raises(ValueError, match="expected"):
        metric(np.array(truth), np.array(predictions), EPSILON)


class TestSmape:
    @STEADY
    @given(pair=pairs(ANY))
    def test_it_lies_between_0_and_2(self, pair: Any) -> None:
        assert 0.0 <= METRICS["smape"](*pair) <= 2.0 + 1e-15

    @pytest.mark.parametrize(
        ("truth", "prediction", "value"),
        [(0.0, 0.0, 0.0), (0.0, 1e-300, 2.0), (1.0, 0.0, 2.0), (1.0, -1.0, 2.0), (5e-324, 1e-323, 2 / 3),
         (1.5e308, -1.5e308, 2.0), (1.0, 3.0, 1.0)],
    )  # fmt: skip
    def test_rows_at_the_edges(self, truth: float, prediction: float, value: float) -> None:
        """grader_pitfalls 31: sMAPE at 0/0."""
        assert METRICS["smape"](np.array([truth]), np.array([prediction])) == pytest.approx(value, rel=1e-15)

    def test_zeros_do_not_lower_the_error_of_the_other_rows(self) -> None:
        some, more = np.array([1.0, 2.0]), np.array([3.0, 1.0])
        padded = METRICS["smape"](np.append(some, 0.0), np.append(more, 0.0))
        assert padded == pytest.approx(METRICS["smape"](some, more) * 2 / 3)


class TestLogMae:
    @pytest.mark.parametrize("prediction", [0.0, -5.0, 1e-300, EPSILON / 2, -0.0, -1e308])
    def test_what_is_not_positive_counts_as_epsilon(self, prediction: float) -> None:
        """grader_pitfalls 1 NB: prediction = -truth was perfect; equation 4 clamps at epsilon."""
        metric = METRICS["log_mae"]
        assert metric(np.array([1.0]), np.array([prediction]), EPSILON) == pytest.approx(3.0)
        assert metric(np.array([prediction]), np.array([1.0]), EPSILON) == pytest.approx(3.0)

    @pytest.mark.parametrize("epsilon", [None, 0.0, -1.0])
    def test_it_needs_an_epsilon(self, epsilon: float | None) -> None:
        with pytest.raises(ValueError, match="positive epsilon"):
            METRICS["log_mae"](np.array([1.0]), np.array([1.0]), epsilon)


@every_metric
class TestScore:
    @STEADY
    @given(reference=st.floats(1e-250, 1e250), fraction=st.floats(0.0, 0.9))
    def test_half_at_the_reference_one_if_perfect_zero_if_worst(
        self, metric: Metric, reference: float, fraction: float
    ) -> None:
        anchor = reference if metric.direction == "lower" else fraction
        assert metric.score(anchor, anchor) == 0.5
        assert metric.score(metric.perfect, anchor) == 1.0
        assert metric.score(metric.worst, anchor) == 0.0

    @STEADY
    @given(values=st.tuples(ANY, ANY), anchor=st.floats(0.001, 0.9))
    def test_it_lies_in_0_to_1_and_better_never_scores_less(self, metric: Metric, values: Any, anchor: float) -> None:
        lower, upper = sorted(abs(value) if metric.direction == "lower" else min(value, 1.0) for value in values)
        better, worse = (lower, upper) if metric.direction == "lower" else (upper, lower)
        scores = [metric.score(value, anchor) for value in (better, worse)]
        assert all(0.0 <= score <= 1.0 for score in scores)
        assert scores[0] >= scores[1]

    @pytest.mark.parametrize(("lower", "higher", "score"), [(0.5, 0.8, 0.75), (1.5, 0.4, 0.25), (2.0, 0.2, 0.0)])
    def test_equation_1(self, metric: Metric, lower: float, higher: float, score: float) -> None:
        anchor, value = (1.0, lower) if metric.direction == "lower" else (0.6, higher)
        assert metric.score(value, anchor) == pytest.approx(score)

    @pytest.mark.parametrize(("gap", "perfect"), [(0.0, True), (0.9, True), (1.1, False), (1e6, False)])
    def test_effectively_perfect_is_relative_to_the_naive_error(
        self, metric: Metric, gap: float, perfect: bool
    ) -> None:
        for scale in (1e-200, 1e-6, 1.0, 1e200):
            if metric.direction == "lower":
                assert metric.effectively_perfect(gap * 1e-6 * scale, scale) is perfect
            else:
                assert metric.effectively_perfect(1.0 - gap * 1e-12, 0.0) is perfect

    def test_a_reference_as_bad_as_can_be_is_not_perfect(self, metric: Metric) -> None:
        assert not metric.effectively_perfect(0.5, 0.0)
