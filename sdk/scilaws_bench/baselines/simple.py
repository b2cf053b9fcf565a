"""The two baselines that search for nothing: the training median, and the best published law."""

from __future__ import annotations

from typing import Any

import numpy as np

from scilaws_bench.release import Release
from scilaws_bench.release.gold import open_gold
from scilaws_bench.sandbox import Evaluator
from scilaws_bench.scoring import Anchors, NumericGold, anchors_of

NAIVE_LAW = '''"""Naive baseline: the median of the training targets, whatever the inputs."""
import numpy as np

USED_INPUTS = [{column!r}]
LAW_CONSTANTS = {{"median": {median!r}}}
OTHER_CONSTANTS = {{}}
LOCAL_FITTABLE = {{}}


def predict(X, median):
    return np.full(len(X), median)
'''


def naive_law(release: Release, task: dict[str, Any]) -> str:
    """A law that always answers the training median; it reads public records only."""
    median = float(np.median(release.records(task["problem_id"])[task["target"]["name"]]))
    return NAIVE_LAW.format(column=task["inputs"][0]["name"], median=median)


def best_published_law(
    release: Release, task: dict[str, Any], evaluate: Evaluator, anchors: dict[str, Anchors] | None = None
) -> str:
    """Source of the reference law that anchors the task; it scores 0.5 by construction.

    It is taken from gold, so this is a grader-side tool. `anchors` by gold hash are used and added to.
    """
    gold = NumericGold.from_json(open_gold(release, task["task_id"]), task)
    known = {} if anchors is None else anchors
    if gold.gold_hash not in known:
        known[gold.gold_hash] = anchors_of(gold, evaluate)
    return dict(gold.references)[known[gold.gold_hash].best]
