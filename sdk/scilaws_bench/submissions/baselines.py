"""Old address of `scilaws_bench.baselines`; to be deleted once its last user has moved."""

from scilaws_bench.baselines.registry import Baseline, baseline_laws
from scilaws_bench.baselines.simple import best_published_law, naive_law

__all__ = ["Baseline", "baseline_laws", "best_published_law", "naive_law"]
