"""Intrastate solvers: which assignments satisfy the laws of a composite state, how many, and why."""

from scilaws_bench.qualitative.solver.evidence import (
    Limitation,
    Propagation,
    PropagationStep,
    Reason,
    propagation_steps,
    why_empty,
    why_forced,
)
from scilaws_bench.qualitative.solver.factored import FactoredRelation
from scilaws_bench.qualitative.solver.joint import consistent_states, episode_table, joint_relation
from scilaws_bench.qualitative.solver.limits import WorkLimits
from scilaws_bench.qualitative.solver.protocol import IntrastateSolver, Relation
from scilaws_bench.qualitative.solver.reference import ReferenceSolver
from scilaws_bench.qualitative.solver.solve import FactoredSolver
from scilaws_bench.qualitative.solver.support import cell_domains, supported_cells

__all__ = [
    "FactoredRelation",
    "FactoredSolver",
    "IntrastateSolver",
    "Limitation",
    "Propagation",
    "PropagationStep",
    "Reason",
    "ReferenceSolver",
    "Relation",
    "WorkLimits",
    "cell_domains",
    "consistent_states",
    "episode_table",
    "joint_relation",
    "propagation_steps",
    "supported_cells",
    "why_empty",
    "why_forced",
]
