"""All composite states at once: component states are columns beside the variables.

A restriction links a component's column with a variable's, a law that depends on states reads the
components' columns as guards; so no loop over composite states is needed, and their number may be
far beyond what could be visited.
"""

from __future__ import annotations

from itertools import chain

import numpy as np

from scilaws_bench.errors import MechanismError
from scilaws_bench.qualitative.episode_table import EpisodeTable
from scilaws_bench.qualitative.mechanism import CompositeState, Mechanism
from scilaws_bench.qualitative.scenario import Restrictions
from scilaws_bench.qualitative.solver.factored import FactoredRelation
from scilaws_bench.qualitative.solver.frame import MOST_CELLS, Frame, frame_of, subject_of
from scilaws_bench.qualitative.solver.limits import Budget, WorkLimits
from scilaws_bench.qualitative.solver.network import Network, law_of, links_of
from scilaws_bench.qualitative.solver.solve import solved


def joint_relation(
    mechanism: Mechanism,
    restrictions: Restrictions,
    *,
    limits: WorkLimits = WorkLimits(),  # noqa: B008 - frozen
) -> FactoredRelation:
    """The set of all episodes (s, ι); its columns are the components ("component c"), then the variables.

    Two composite states that share an interpretation are two episodes.

    Raises:
        MechanismError: an unknown variable or cell, or more than 127 states or cells of one thing.
        WorkLimitError: inconclusive, more than `limits.steps`.
    """
    frame = frame_of(mechanism)
    allowed = frame.positions(restrictions)
    components = mechanism.components
    for component in components:
        if len(component.states) > MOST_CELLS:
            found = str(len(component.states))
            raise MechanismError(f"component {component.id}", f"at most {MOST_CELLS} states", found)
    offset = len(components)
    columns = {name: offset + place for place, name in enumerate(frame.variables)}
    guards = {component.id: (place, component.states) for place, component in enumerate(components)}
    network = Network(
        domains=(
            *(tuple(range(len(component.states))) for component in components),
            *(allowed.get(place, tuple(range(len(cells)))) for place, cells in enumerate(frame.cells)),
        ),
        signs=(*(() for _ in components), *(mechanism.space(name).signs for name in frame.variables)),
        laws=tuple(law_of(law, columns, guards) for law in mechanism.confluences),
        links=links_of(mechanism, mechanism.restrictions, offset),
    )
    joint_frame = Frame(
        (*(f"component {component.id}" for component in components), *frame.variables),
        tuple(chain((component.states for component in components), frame.cells)),
    )
    budget = Budget(limits, subject_of(mechanism, None))
    return FactoredRelation(joint_frame, solved(network, budget), budget)


def episode_table(
    mechanism: Mechanism,
    restrictions: Restrictions,
    *,
    limits: WorkLimits = WorkLimits(),  # noqa: B008 - frozen
) -> EpisodeTable:
    """All episodes of all composite states under restrictions: the nodes of Definition 2.

    Raises:
        MechanismError, WorkLimitError: see `joint_relation`; also for more than `limits.rows` episodes.
    """
    rows = joint_relation(mechanism, restrictions, limits=limits).rows()
    offset = len(mechanism.components)
    return EpisodeTable(mechanism, np.ascontiguousarray(rows[:, :offset]), np.ascontiguousarray(rows[:, offset:]))


def consistent_states(
    mechanism: Mechanism,
    restrictions: Restrictions,
    *,
    limits: WorkLimits = WorkLimits(),  # noqa: B008 - frozen
) -> tuple[CompositeState, ...]:
    """The composite states with at least one interpretation, in the mechanism's order.

    Raises:
        MechanismError, WorkLimitError: see `joint_relation`; also for more than `limits.rows` states.
    """
    components = mechanism.components
    found = joint_relation(mechanism, restrictions, limits=limits).projected(range(len(components)))
    return tuple(
        tuple(component.states[position] for component, position in zip(components, row, strict=True))
        for row in found.tolist()
    )
