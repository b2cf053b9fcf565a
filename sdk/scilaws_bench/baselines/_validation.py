"""Choice between candidates on training rows and groups that took no part in their fit.

The held-out part imitates the split the task announces: its scored ranges say whether a law has to
reach beyond the training range, and the fit and scored rows of a group how a new group is met.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scilaws_bench.baselines._expressions import Floats, size_of
from scilaws_bench.baselines._fitting import Fit
from scilaws_bench.baselines._records import Records, Rows
from scilaws_bench.hashing import counter_draws, counter_permutation

HELD_OUT_ROWS = 0.25
HELD_OUT_GROUPS = 0.4
MAX_HELD_OUT_GROUPS = 40
CLOSE_ENOUGH = 1.02
"""Losses within 2 % of the best count as equal, besides those within one standard error."""

SIGN_POINTS = 500
NEGLIGIBLE = 1e-7

CAP_SLACK = 3
"""The anti-hacking gate looks at laws with more than cap + 3 fitted constants."""


@dataclass(frozen=True)
class Window:
    """Rows a candidate is judged on, and the rows on which local parameters are fitted first, if any."""

    fit: Rows | None
    scored: Rows


@dataclass(frozen=True)
class Split:
    """Rows to learn from, and held-out windows."""

    learning: Rows
    windows: tuple[Window, ...]


def split_of(records: Records, task: dict[str, Any]) -> Split:
    """Held-out rows or groups that depend on the task id and the records alone."""
    key = f"symbolic regression {task['task_id']}"
    if not records.multi:
        held_out = _edge_rows(records)
        if held_out is None:
            order = counter_permutation(key, len(records.y))
            held_out = order[: max(1, round(HELD_OUT_ROWS * len(order)))]
        learning = np.setdiff1d(np.arange(len(records.y)), held_out)
        return Split(learning if len(learning) else held_out, (Window(None, np.sort(held_out)),))
    order = counter_permutation(key, records.groups)
    chosen = order[: min(MAX_HELD_OUT_GROUPS, max(1, round(HELD_OUT_GROUPS * len(order))))]
    windows = tuple(_group_window(records, int(group), task, key) for group in np.sort(chosen))
    outside = np.flatnonzero(~np.isin(records.group, chosen))
    return Split(outside if len(outside) else np.arange(len(records.y)), windows)


def losses(fit: Fit, records: Records, windows: Sequence[Window]) -> Floats | None:
    """Loss per held-out row (single-group) or per held-out group; None where a prediction is not finite."""
    found: list[float] = []
    for window in windows:
        known = None if window.fit is None else (records.X[window.fit], records.y[window.fit])
        predicted = records.target_of(fit.predict(records.X[window.scored], known))
        truth = records.truth[window.scored]
        if not np.isfinite(predicted).all():
            return None
        if window.fit is None:
            return _row_losses(records, truth, predicted)
        found.append(_group_loss(records, truth, predicted))
    return np.array(found) if np.isfinite(found).all() else None


def keeps_sign(fit: Fit, records: Records) -> bool:
    """Whether a law of a target that is always positive (or negative) stays so in the scored ranges.

    Looked at only where the law has no local parameters, on 500 points of the box and its corners.
    """
    if fit.mode.offset == "local" or records.logarithmic or not records.names:
        return True
    sign = np.sign(records.truth[0])
    if sign == 0 or not (np.sign(records.truth) == sign).all():
        return True
    dimensions = len(records.names)
    draws = counter_draws("points of the scored box", SIGN_POINTS * dimensions).astype(np.float64) / 2.0**64
    unit = draws.reshape(-1, dimensions)
    unit = np.concatenate([unit, np.round(unit), np.zeros((1, dimensions)), np.ones((1, dimensions))])
    values = fit.predict(records.scored_low + unit * (records.scored_high - records.scored_low))
    return bool((np.sign(values) == sign).all())


def negligible_loss(records: Records) -> float:
    """Mean loss below which predictions are exact for all purposes: about 1e-7 of the target's spread."""
    if records.metric.name == "r2":
        return NEGLIGIBLE**2 if records.multi else NEGLIGIBLE**2 * float(np.var(records.truth))
    if records.metric.name == "rmse" and not records.multi:
        return NEGLIGIBLE**2 * float(np.var(records.truth))
    return NEGLIGIBLE


def ranked(
    fits: Sequence[Fit], loss: Sequence[Floats], cap: int, *, doubtful: Sequence[bool], negligible: float
) -> list[int]:
    """Candidates in the order in which to try them.

    First those as good as the best within noise (mean difference at most its standard error), the
    simplest first: within the cap, then fewest constants and nodes. The others follow by loss.
    Doubtful laws, and laws with more than cap + 3 constants, come last of all.
    """
    tiers = [0 if fit.constants <= cap else 1 if fit.constants <= cap + CAP_SLACK else 2 for fit in fits]
    tiers = [2 if doubt else tier for tier, doubt in zip(tiers, doubtful, strict=True)]
    means = [float(values.mean()) for values in loss]
    result: list[int] = []
    for allowed in ((0, 1), (2,)):
        open_ = [index for index, tier in enumerate(tiers) if tier in allowed]
        if not open_:
            continue
        best = min(open_, key=lambda index: (means[index], index))
        equal = [index for index in open_ if _within_noise(loss[index], loss[best], negligible)]
        equal.sort(key=lambda index: (tiers[index], _size(fits[index]), means[index], index))
        rest = sorted(set(open_) - set(equal), key=lambda index: (means[index], index))
        result += [*equal, *rest]
    return result


def _size(fit: Fit) -> int:
    """Constants and nodes of the law, its offset and scale included where they are shared."""
    return fit.constants + size_of(fit.expression())


def _within_noise(values: Floats, best: Floats, negligible: float) -> bool:
    difference = values - best
    noise = float(np.std(difference)) / np.sqrt(max(1, len(difference) - 1))
    return bool(difference.mean() <= noise or values.mean() <= max(negligible, CLOSE_ENOUGH * best.mean()))


def _edge_rows(records: Records) -> Rows | None:
    """The training rows nearest to a scored range that lies mostly outside the training range."""
    best, rows = 0.5, None
    for column in range(len(records.names)):
        values = records.X[:, column]
        low, high = records.scored_low[column], records.scored_high[column]
        width = high - low
        if width <= 0:
            continue
        above, below = max(0.0, high - max(low, values.max())), max(0.0, min(high, values.min()) - low)
        if max(above, below) / width > best:
            best = max(above, below) / width
            order = np.argsort(-values if above > below else values, kind="stable")
            rows = order[: max(1, round(HELD_OUT_ROWS * len(order)))].astype(np.int64)
    return rows


def _group_window(records: Records, group: int, task: dict[str, Any], key: str) -> Window:
    rows = np.flatnonzero(records.group == group)
    share = task["scored"]["fit_rows"] / max(1, task["scored"]["fit_rows"] + task["scored"]["rows"])
    X = records.X[rows]
    outside = np.any((records.scored_low > X) | (records.scored_high < X), axis=1)
    if outside.any() and not outside.all() and outside.mean() >= share / 2:
        return Window(rows[outside], rows[~outside])
    order = counter_permutation(f"{key} group {group}", len(rows))
    known = min(max(1, round(share * len(rows))), max(1, len(rows) - 1))
    return Window(np.sort(rows[order[:known]]), np.sort(rows[order[known:] if len(rows) > 1 else order]))


def _row_losses(records: Records, truth: Floats, predicted: Floats) -> Floats:
    if records.metric.name in ("rmse", "r2"):
        return np.square(predicted - truth)
    pairs = zip(truth[:, None], predicted[:, None], strict=True)
    return np.array([records.metric(*pair, records.epsilon) for pair in pairs])


def _group_loss(records: Records, truth: Floats, predicted: Floats) -> float:
    """Metric of a group relative to that of the training median, so that groups weigh alike."""
    if records.metric.name == "r2":
        return float(np.mean((predicted - truth) ** 2) / max(float(np.var(records.truth)), 1e-300))
    naive = np.full(len(truth), np.median(records.truth))
    reference = records.metric(truth, naive, records.epsilon)
    return records.metric(truth, predicted, records.epsilon) / max(reference, 1e-300)
