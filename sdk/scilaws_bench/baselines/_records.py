"""What a baseline learns from: the public training records of one task, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from scilaws_bench.baselines._expressions import Floats
from scilaws_bench.scoring.metrics import METRICS, Metric

if TYPE_CHECKING:
    import pandas as pd

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Records:
    """Training records of one task.

    `X` (n, d) holds the columns `names`; those that may be NaN are left out. `truth` (n,) is the
    target as recorded and `y` (n,) the target of the regression: log10 of it for log_mae. `group`
    (n,) numbers the groups 0, 1, … (all 0 in a single-group task). `low` and `high` (d,) bound the
    training and the scored ranges together, `scored_low` and `scored_high` the scored ones alone.
    """

    names: tuple[str, ...]
    X: Floats
    y: Floats
    truth: Floats
    group: Rows
    multi: bool
    metric: Metric
    epsilon: float | None
    low: Floats
    high: Floats
    scored_low: Floats
    scored_high: Floats

    @property
    def logarithmic(self) -> bool:
        """Whether the regression is on log10 of the target."""
        return self.metric.name == "log_mae"

    @property
    def groups(self) -> int:
        """Number of groups, 1 in a single-group task."""
        return int(self.group.max()) + 1

    def rows(self, chosen: npt.NDArray[np.bool_] | Rows) -> Records:
        """The chosen rows, their groups numbered from 0 again."""
        group = np.unique(self.group[chosen], return_inverse=True)[1].astype(np.int64)
        return replace(self, X=self.X[chosen], y=self.y[chosen], truth=self.truth[chosen], group=group)

    def target_of(self, y: Floats) -> Floats:
        """Regression values back as values of the target."""
        with np.errstate(over="ignore"):
            return np.power(10.0, y) if self.logarithmic else y


def records_of(frame: pd.DataFrame, task: dict[str, Any]) -> Records:
    """Records of a task (schema `task`) from its training table; rows that are not finite are left out."""
    columns = [column for column in task["inputs"] if column["missing"] != "pass"]
    names = tuple(column["name"] for column in columns)
    X = frame[list(names)].to_numpy(dtype=np.float64)
    truth = frame[task["target"]["name"]].to_numpy(dtype=np.float64)
    multi = task["structure"] == "multi"
    labels = frame["group_id"].to_numpy() if multi else np.zeros(len(frame))
    kept = np.isfinite(truth) & np.isfinite(X).all(axis=1)
    X, truth = X[kept], truth[kept]
    y = np.log10(np.maximum(truth, task["epsilon"])) if task["metric"] == "log_mae" else truth
    trained, scored = (
        np.array([column[kind] for column in columns], dtype=np.float64).reshape(-1, 2)
        for kind in ("train_range", "scored_range")
    )
    return Records(
        names=names,
        X=X,
        y=y,
        truth=truth,
        group=np.unique(labels[kept], return_inverse=True)[1].astype(np.int64),
        multi=multi,
        metric=METRICS[task["metric"]],
        epsilon=task["epsilon"],
        low=np.minimum(trained[:, 0], scored[:, 0]),
        high=np.maximum(trained[:, 1], scored[:, 1]),
        scored_low=scored[:, 0],
        scored_high=scored[:, 1],
    )
