"""Does a problem reproduce the published value of its best reference law?"""

from __future__ import annotations

from typing import Any

import numpy as np

from scilaws_bench.errors import ProblemError
from scilaws_bench.sandbox import Evaluator
from scilaws_bench.scoring import NumericGold
from scilaws_bench.scoring.numeric import run_law_of


def reproduce(spec: dict[str, Any], gold: NumericGold, evaluate: Evaluator) -> dict[str, Any]:
    """Recompute the value a published task states for one reference law.

    `spec` is the `reproduction` block of a problem. `basis` says how the publication pooled it:
    over all scored rows together (pooled), as the mean of per-group values (per-group-mean), or
    over the one test set (test). Returns the manifest's record of it.

    Raises:
        ProblemError: the law fails on a scored group.
    """
    sources = dict(gold.references)
    run = run_law_of(sources[spec["law"]], gold, evaluate)
    predictions = [group.predictions for group in run.groups]
    if run.failure is not None or any(values is None for values in predictions):
        reason = run.reason or next(group.reason for group in run.groups if group.failure)
        raise ProblemError(f"{spec['law']} of {gold.task_id}", "predictions for every scored group", reason)
    pairs = [
        (unit.scored.target, values) for unit, values in zip(gold.units, predictions, strict=True) if values is not None
    ]
    if spec["basis"] == "per-group-mean":
        measured = float(np.mean([gold.metric(truth, values, gold.epsilon) for truth, values in pairs]))
    else:
        truth = np.concatenate([truth for truth, _ in pairs])
        measured = gold.metric(truth, np.concatenate([values for _, values in pairs]), gold.epsilon)
    return {
        "id": gold.task_id.split("/")[1],
        "law": spec["law"],
        "basis": spec["basis"],
        "published": spec["published"],
        "measured": float(f"{measured:.10g}"),
        "tolerance": spec["tolerance"],
        "reproduced": abs(measured - spec["published"]) <= spec["tolerance"],
    }
