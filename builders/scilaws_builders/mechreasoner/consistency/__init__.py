"""Numbers against signs: frozen simulations scored by the qualitative simulator (paper A.9)."""

from scilaws_builders.mechreasoner.consistency.frozen import Frozen, extract, frozen
from scilaws_builders.mechreasoner.consistency.report import consistency_report
from scilaws_builders.mechreasoner.consistency.scoring import Acceptance, Scored, acceptance, score
from scilaws_builders.mechreasoner.consistency.suite import Run, suite

__all__ = [
    "Acceptance",
    "Frozen",
    "Run",
    "Scored",
    "acceptance",
    "consistency_report",
    "extract",
    "frozen",
    "score",
    "suite",
]
