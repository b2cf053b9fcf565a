"""Scores: pure functions of an answer, its gold and an evaluator."""

from scilaws_bench.scoring.aggregates import aggregate
from scilaws_bench.scoring.metrics import METRICS, Metric
from scilaws_bench.scoring.numeric import NUMERIC, Anchors, NumericGold, anchors_of, score_numeric
from scilaws_bench.scoring.records import Evidence, GroupEvidence, Verdict

__all__ = [
    "METRICS",
    "NUMERIC",
    "Anchors",
    "Evidence",
    "GroupEvidence",
    "Metric",
    "NumericGold",
    "Verdict",
    "aggregate",
    "anchors_of",
    "score_numeric",
]
