"""Model-free answers to every task: the floor, the anchor and the classical engine of each table."""

from scilaws_bench.baselines.registry import BASELINES, Baseline, baseline_laws
from scilaws_bench.baselines.simple import best_published_law, naive_law

__all__ = ["BASELINES", "Baseline", "baseline_laws", "best_published_law", "naive_law"]
