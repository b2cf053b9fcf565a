"""The four raw metrics of SciLaws-Real and their registry.

Source: section 2.3 and Appendix C.1 of the paper; the rules for zero variance, zero denominators
and empty windows are ours (docs/metrics.md).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Direction = Literal["lower", "higher"]

EFFECTIVELY_PERFECT = 1e-6
"""A group whose best reference has less than this share of the naive error tells laws no longer apart."""

PERFECT_R2_GAP = 1e-12


@dataclass(frozen=True)
class Metric:
    """A raw metric with its declared properties; the property tests run over these.

    `function(truth, predictions, epsilon)` takes two finite float64 arrays of equal shape (n,),
    n >= 1, and returns a float. `epsilon` is the floor of log_mae and ignored elsewhere.
    """

    name: str
    direction: Direction
    perfect: float
    worst: float
    scale_free: bool
    zero_variance: str
    function: Callable[[Floats, Floats, float], float]

    def __call__(self, truth: Floats, predictions: Floats, epsilon: float | None = None) -> float:
        """The metric of one window; `worst` where the arithmetic overflows.

        Raises:
            ValueError: shapes that differ, an empty window or a value that is not finite; callers
                check submissions before they get here, so this is a programming error.
        """
        if truth.ndim != 1 or truth.shape != predictions.shape or len(truth) == 0:
            raise ValueError(f"expected two arrays of one shape (n,), n >= 1; found {truth.shape}, {predictions.shape}")
        if not (np.isfinite(truth).all() and np.isfinite(predictions).all()):
            raise ValueError("expected finite values")
        with np.errstate(all="ignore"):
            value = float(self.function(truth, predictions, epsilon or 0.0))
        return value if np.isfinite(value) else self.worst

    def is_better(self, first: float, second: float) -> bool:
        """Whether `first` is strictly better than `second`."""
        return first < second if self.direction == "lower" else first > second

    def effectively_perfect(self, reference: float, naive: float) -> bool:
        """Whether a reference this good makes a group useless for telling laws apart."""
        if self.direction == "higher":
            return self.perfect - reference <= PERFECT_R2_GAP
        return reference <= EFFECTIVELY_PERFECT * naive

    def score(self, submitted: float, reference: float) -> float:
        """Equation 1 of the paper: 0.5 at the reference, 1 at a perfect predictor, in [0, 1]."""
        if submitted == self.worst:
            return 0.0
        if self.direction == "lower":
            raw = 1.0 - 0.5 * (submitted / reference)
        else:
            raw = 0.5 + 0.5 * ((submitted - reference) / (self.perfect - reference))
        return min(1.0, max(0.0, raw))


def _rmse(truth: Floats, predictions: Floats, _epsilon: float) -> float:
    difference = predictions - truth
    largest = float(np.max(np.abs(difference)))
    if largest == 0.0 or not np.isfinite(largest):
        return largest
    return largest * float(np.sqrt(np.mean((difference / largest) ** 2)))


def _smape(truth: Floats, predictions: Floats, _epsilon: float) -> float:
    larger = np.maximum(np.abs(truth), np.abs(predictions))
    unit = np.where(larger == 0.0, 1.0, larger)
    first, second = truth / unit, predictions / unit
    size = np.where(larger == 0.0, 1.0, np.abs(first) + np.abs(second))
    return float(np.mean(2.0 * np.abs(second - first) / size))


def _log_mae(truth: Floats, predictions: Floats, epsilon: float) -> float:
    if not epsilon > 0.0:
        raise ValueError(f"log_mae needs a positive epsilon; found {epsilon}")
    return float(np.mean(np.abs(np.log10(np.maximum(predictions, epsilon)) - np.log10(np.maximum(truth, epsilon)))))


def _r2(truth: Floats, predictions: Floats, _epsilon: float) -> float:
    if np.ptp(truth) == 0.0:
        return 1.0 if np.array_equal(truth, predictions) else -np.inf
    spread = truth - np.mean(truth)
    largest = float(np.max(np.abs(spread)))
    return 1.0 - float(np.sum(((truth - predictions) / largest) ** 2)) / float(np.sum((spread / largest) ** 2))


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("rmse", "lower", 0.0, np.inf, False, "no special case", _rmse),
        Metric("smape", "lower", 0.0, np.inf, True, "no special case; a row with 0/0 counts 0", _smape),
        Metric(
            "log_mae", "lower", 0.0, np.inf, True, "no special case; values below epsilon count as epsilon", _log_mae
        ),
        Metric(
            "r2", "higher", 1.0, -np.inf, True, "1 for an exact match, otherwise worst; such windows are excluded", _r2
        ),
    )
}
