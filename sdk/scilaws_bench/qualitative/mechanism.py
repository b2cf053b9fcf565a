"""Mechanisms: M = (P, τ, V, Q, E, N, S, G, T, B) of Definition 1, as plain frozen records.

A mechanism built by `scilaws_bench.qualitative.mechanism_from_document` is valid: every name
resolves and every space is sound. The solvers rely on that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

from scilaws_bench.qualitative.confluences import Confluence
from scilaws_bench.qualitative.scenario import Restrictions, Scenario
from scilaws_bench.qualitative.spaces import QuantitySpace
from scilaws_bench.qualitative.variables import Variable

CompositeState = tuple[str, ...]
"""One component state for each component, in the mechanism's component order."""


@dataclass(frozen=True)
class Component:
    """A component instance (P), its type (τ) and its component states in display order (at least one)."""

    id: str
    type: str
    states: tuple[str, ...]


@dataclass(frozen=True)
class StateRestriction:
    """A domain restriction (G): in `state`, `variable` stays within `cells`."""

    component: str
    state: str
    variable: str
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Declaration:
    """A transition declaration (T) of one component.

    Attributes:
        id: unique name.
        component: the component that changes.
        source: its component state before.
        target: its component state after, another one.
        event: the coordinate that must be in the cause, or None.
        source_guards: variable → cells that must hold in the source episode.
        target_guards: variable → cells that must hold in the target episode.
    """

    id: str
    component: str
    source: str
    target: str
    event: str | None = None
    source_guards: Restrictions = field(default_factory=dict)
    target_guards: Restrictions = field(default_factory=dict)


@dataclass(frozen=True)
class Mechanism:
    """A qualitative mechanism; the order of every tuple is part of it and fixes the order of all results."""

    id: str
    title: str
    components: tuple[Component, ...]
    spaces: tuple[QuantitySpace, ...]
    variables: tuple[Variable, ...]
    confluences: tuple[Confluence, ...]
    restrictions: tuple[StateRestriction, ...]
    declarations: tuple[Declaration, ...]
    scenarios: tuple[Scenario, ...]

    @cached_property
    def space_by_id(self) -> Mapping[str, QuantitySpace]:
        """Quantity spaces by id."""
        return {space.id: space for space in self.spaces}

    @cached_property
    def variable_by_id(self) -> Mapping[str, Variable]:
        """Variables by id."""
        return {variable.id: variable for variable in self.variables}

    @cached_property
    def component_by_id(self) -> Mapping[str, Component]:
        """Components by id."""
        return {component.id: component for component in self.components}

    @cached_property
    def scenario_by_id(self) -> Mapping[str, Scenario]:
        """Scenarios by id."""
        return {scenario.id: scenario for scenario in self.scenarios}

    def space(self, variable: str) -> QuantitySpace:
        """Quantity space Q(v) of a variable (KeyError for an unknown one)."""
        return self.space_by_id[self.variable_by_id[variable].space]

    @property
    def state_count(self) -> int:
        """Number of composite states, the product of the components' numbers of states."""
        count = 1
        for component in self.components:
            count *= len(component.states)
        return count

    def composite_states(self) -> Iterator[CompositeState]:
        """All composite states (S), the last component varying fastest. May be very many."""
        return product(*(component.states for component in self.components))

    def states_by_component(self, state: CompositeState) -> dict[str, str]:
        """A composite state as component id → component state."""
        return {component.id: name for component, name in zip(self.components, state, strict=True)}

    def active_confluences(self, state: CompositeState) -> tuple[Confluence, ...]:
        """The constraints C(s, r): component and connection laws active in a composite state."""
        states = self.states_by_component(state)
        return tuple(law for law in self.confluences if law.is_active(states))

    def domains(self, state: CompositeState, restrictions: Restrictions) -> dict[str, tuple[int, ...]]:
        """The domains D(v): cell positions left by the state's restrictions and the given ones, in rising order.

        A variable without a cell left has an empty tuple; that is an answer, not an error.
        """
        states = self.states_by_component(state)
        allowed: dict[str, set[str]] = {}
        for item in self.restrictions:
            if states[item.component] == item.state:
                allowed.setdefault(item.variable, set(item.cells)).intersection_update(item.cells)
        for name, cells in restrictions.items():
            allowed.setdefault(name, set(cells)).intersection_update(cells)
        result = {}
        for variable in self.variables:
            names = self.space(variable.id).names
            kept = allowed.get(variable.id)
            result[variable.id] = tuple(i for i, name in enumerate(names) if kept is None or name in kept)
        return result
