"""Predict and score: what the qualitative simulator says to each frozen observation (paper A.9).

Stricter than the paper in one point: observations hold every crossing as a row, so a component change
must be one declared edge. A directed path, which the paper asks for, would accept almost every pair.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from scilaws_bench.errors import WorkLimitError
from scilaws_bench.qualitative import CompositeState, Mechanism
from scilaws_bench.qualitative.solver import FactoredSolver, WorkLimits, consistent_states
from scilaws_builders.mechreasoner import catalogue
from scilaws_builders.mechreasoner.consistency.frozen import Frozen

Disposition = Literal["direct", "boundary", "contradiction", "inconclusive"]
LIMITS = WorkLimits()
FLAGGED = 0.5
"""A rule that accepts more than this share of what it could be asked says little about its mechanism."""


@dataclass(frozen=True)
class Scored:
    """One frozen observation with its disposition."""

    id: str
    kind: Literal["state", "transition"]
    disposition: Disposition
    observation: Mapping[str, Any]


@dataclass(frozen=True)
class Acceptance:
    """How much the rule would accept of everything it could be asked."""

    states: float
    pairs: float

    @property
    def flagged(self) -> tuple[str, ...]:
        """Which of the two shares are above one half."""
        return tuple(name for name, share in vars(self).items() if share > FLAGGED)


def score(observed: Frozen, mechanism: Mechanism | None = None, *, limits: WorkLimits = LIMITS) -> list[Scored]:
    """The dispositions of one mechanism's observations, states first, in their frozen order.

    Args:
        observed: frozen observations.
        mechanism: the mechanism; the catalogue's by default.
        limits: work allowed for each composite state.
    """
    known = mechanism or catalogue.load(observed.mechanism).mechanism
    declared = {(item.component, item.source, item.target) for item in known.declarations}
    found = []
    for item in observed.document["states"]:
        found.append(Scored(item["id"], "state", _state(known, item, limits), item))
    for item in observed.document["transitions"]:
        step = (item["component"], item["source"], item["target"])
        disposition: Disposition = "direct" if step in declared else "contradiction"
        found.append(Scored(item["id"], "transition", disposition, item))
    return found


def acceptance(mechanism: Mechanism) -> Acceptance:
    """Share of all composite states with an interpretation, and of all ordered state pairs that are declared."""
    pairs = sum(len(item.states) * (len(item.states) - 1) for item in mechanism.components)
    declared = {(item.component, item.source, item.target) for item in mechanism.declarations}
    states = len(consistent_states(mechanism, {})) / mechanism.state_count
    return Acceptance(states, len(declared) / pairs if pairs else 0.0)


def _state(mechanism: Mechanism, item: Mapping[str, Any], limits: WorkLimits) -> Disposition:
    try:
        if _admitted(mechanism, item["states"], limits):
            return "direct"
        groups = [
            any(_admitted(mechanism, states, limits) for states in group["alternatives"]) for group in item["groups"]
        ]
    except WorkLimitError:
        return "inconclusive"
    return "boundary" if groups and all(groups) else "contradiction"


def _admitted(mechanism: Mechanism, states: Iterable[str], limits: WorkLimits) -> bool:
    state: CompositeState = tuple(states)
    return not FactoredSolver().solve(mechanism, state, {}, limits=limits).is_empty
