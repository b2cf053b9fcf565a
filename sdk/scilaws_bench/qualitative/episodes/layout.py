"""A mechanism by positions: the look-ups that every clause needs, made once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from scilaws_bench.qualitative.mechanism import CompositeState, Mechanism
from scilaws_bench.qualitative.scenario import Restrictions

Guards = tuple[tuple[int, frozenset[int]], ...]
"""Column of a variable and the positions it may have, for each guarded variable."""


@dataclass(frozen=True)
class Position:
    """An episode by positions: component states and cells, in the mechanism's orders."""

    states: tuple[int, ...]
    cells: tuple[int, ...]


@dataclass(frozen=True)
class PlacedDeclaration:
    """A transition declaration with positions for names; `event` is a column or None."""

    id: str
    component: int
    source: int
    target: int
    event: int | None
    source_guards: Guards
    target_guards: Guards


class Layout:
    """Columns, signs, laws and declarations of a mechanism by position.

    A *column* is the place of a variable in `mechanism.variables`.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.names = tuple(variable.id for variable in mechanism.variables)
        self.column: Mapping[str, int] = {name: column for column, name in enumerate(self.names)}
        self.spaces = tuple(mechanism.space(name) for name in self.names)

    @cached_property
    def rates(self) -> Mapping[int, int]:
        """Column of each coordinate → column of its declared derivative, in rising order."""
        return {
            column: self.column[variable.derivative]
            for column, variable in enumerate(self.mechanism.variables)
            if variable.derivative is not None
        }

    @cached_property
    def fixed(self) -> frozenset[int]:
        """Columns that never change: parameters, and inputs without a declared derivative."""
        return frozenset(
            column
            for column, variable in enumerate(self.mechanism.variables)
            if variable.role in ("parameter", "input") and not variable.is_coordinate
        )

    @cached_property
    def held(self) -> tuple[int, ...]:
        """Columns that a cause settles completely (clause E1): coordinates and fixed columns."""
        return tuple(sorted(self.rates.keys() | self.fixed))

    @cached_property
    def derivatives(self) -> frozenset[int]:
        """Columns of role `derivative`: rates of change that have no rate themselves."""
        return frozenset(c for c, variable in enumerate(self.mechanism.variables) if variable.role == "derivative")

    @cached_property
    def algebraic(self) -> frozenset[int]:
        """Columns that are neither coordinates nor of role `derivative`: what E4 and E8 speak about."""
        return frozenset(range(len(self.names))) - self.rates.keys() - self.derivatives

    @cached_property
    def continuous(self) -> tuple[int, ...]:
        """Columns bound by clause E6."""
        return tuple(c for c, variable in enumerate(self.mechanism.variables) if variable.continuous)

    @cached_property
    def law_columns(self) -> tuple[tuple[int, ...], ...]:
        """For each law of the mechanism the columns of its variables."""
        return tuple(tuple(self.column[name] for name in law.variables) for law in self.mechanism.confluences)

    def active_laws(self, states: Sequence[int]) -> npt.NDArray[np.bool_]:
        """Mask of the laws that hold in a composite state."""
        named = self.mechanism.states_by_component(self.state_names(states))
        return np.array([law.is_active(named) for law in self.mechanism.confluences], dtype=bool)

    def linked(self, source: Sequence[int], target: Sequence[int]) -> tuple[tuple[int, ...], ...]:
        """Columns of each law active in at least one of two composite states."""
        active = self.active_laws(source) | self.active_laws(target)
        return tuple(columns for columns, holds in zip(self.law_columns, active, strict=True) if holds)

    @cached_property
    def declarations(self) -> tuple[PlacedDeclaration, ...]:
        """All declarations by position, in the mechanism's order."""
        place = {component.id: place for place, component in enumerate(self.mechanism.components)}
        placed = []
        for item in self.mechanism.declarations:
            states = self.mechanism.component_by_id[item.component].states
            placed.append(
                PlacedDeclaration(
                    id=item.id,
                    component=place[item.component],
                    source=states.index(item.source),
                    target=states.index(item.target),
                    event=None if item.event is None else self.column[item.event],
                    source_guards=self._guards(item.source_guards),
                    target_guards=self._guards(item.target_guards),
                )
            )
        return tuple(placed)

    @cached_property
    def declarations_from(self) -> Mapping[tuple[int, int], tuple[PlacedDeclaration, ...]]:
        """Declarations of a component (by place) out of one of its states (by position); absent if none."""
        found: dict[tuple[int, int], tuple[PlacedDeclaration, ...]] = {}
        for item in self.declarations:
            key = (item.component, item.source)
            found[key] = (*found.get(key, ()), item)
        return found

    def direction(self, coordinate: int, cells: Sequence[int]) -> int:
        """Sign of the derivative of a coordinate (by column) in an episode's cells: -1, 0 or 1."""
        rate = self.rates[coordinate]
        return self.spaces[rate].cells[cells[rate]].sign

    def cell_name(self, column: int, cell: int) -> str:
        """Name of a cell by position."""
        return self.spaces[column].cells[cell].id

    def state_names(self, states: Sequence[int]) -> CompositeState:
        """A composite state by names."""
        components = self.mechanism.components
        return tuple(component.states[place] for component, place in zip(components, states, strict=True))

    def _guards(self, guards: Restrictions) -> Guards:
        return tuple(
            (self.column[name], frozenset(self.spaces[self.column[name]].index(cell) for cell in cells))
            for name, cells in guards.items()
        )


def changed_columns(source: Position, target: Position) -> tuple[int, ...]:
    """Columns whose cells differ, in rising order."""
    pairs = zip(source.cells, target.cells, strict=True)
    return tuple(column for column, (before, after) in enumerate(pairs) if before != after)
