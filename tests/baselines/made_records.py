"""Made-up tasks and records for the baselines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd


def made_task(
    ranges: dict[str, tuple[float, float]],
    *,
    local_params: int | None = None,
    law_constants: int = 4,
    metric: str = "rmse",
    missing: dict[str, str] | None = None,
    scored: dict[str, tuple[float, float]] | None = None,
) -> dict[str, Any]:
    """The parts of a public task that a solver reads; multi-group if `local_params` is given."""
    multi = local_params is not None
    return {
        "task_id": "scilaws_real/made",
        "structure": "multi" if multi else "single",
        "metric": metric,
        "epsilon": 1e-9 if metric == "log_mae" else None,
        "target": {"name": "target"},
        "inputs": [
            {
                "name": name,
                "missing": (missing or {}).get(name, "refuse"),
                "train_range": list(limits),
                "scored_range": list((scored or {}).get(name, limits)),
            }
            for name, limits in ranges.items()
        ],
        "caps": {"law_constants": law_constants, "local_params": local_params or 0, "init_size": 1},
        "scored": {"fit_rows": 10 if multi else 0, "rows": 10, "groups": 2 if multi else 0},
    }


def made_inputs(ranges: dict[str, tuple[float, float]], rows: int) -> pd.DataFrame:
    """Inputs drawn evenly from their ranges."""
    generator = np.random.default_rng(7)
    return pd.DataFrame({name: generator.uniform(low, high, rows) for name, (low, high) in ranges.items()})
