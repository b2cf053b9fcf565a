"""Names and positions: the checked door between what people write and what the solvers compute on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from scilaws_bench.errors import MechanismError
from scilaws_bench.qualitative.mechanism import CompositeState, Mechanism
from scilaws_bench.qualitative.scenario import Restrictions

MOST_CELLS = 127  # positions are int8


@dataclass(frozen=True)
class Frame:
    """The columns of a relation.

    Attributes:
        variables: names of the columns.
        cells: for each column the names of all its cells in order.
    """

    variables: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.variables)}

    def place(self, variable: str) -> int:
        """Column of a variable (MechanismError if there is none)."""
        if variable not in self._places:
            raise MechanismError(f"variable {variable!r}", "one of " + ", ".join(self.variables), repr(variable))
        return self._places[variable]

    def positions(self, restrictions: Restrictions) -> dict[int, tuple[int, ...]]:
        """Restrictions as column → cell positions in rising order (MechanismError for unknown names)."""
        result = {}
        for variable, names in restrictions.items():
            known = self.cells[self.place(variable)]
            unknown = [name for name in names if name not in known]
            if unknown:
                raise MechanismError(f"restriction of {variable}", "cells among " + ", ".join(known), repr(unknown[0]))
            result[self.place(variable)] = tuple(sorted({known.index(name) for name in names}))
        return result

    def row(self, assignment: Mapping[str, str]) -> tuple[int, ...]:
        """A complete assignment as cell positions (MechanismError for a missing or unknown name)."""
        missing = [name for name in self.variables if name not in assignment]
        if missing:
            remedy = "Ask `conditioned(…).is_empty` about partial assignments."
            raise MechanismError("assignment", "a cell for every variable", f"none for {missing[0]}", remedy)
        found = self.positions({name: (cell,) for name, cell in assignment.items()})
        return tuple(found[place][0] for place in range(len(self.variables)))

    def places(self, variables: Sequence[str]) -> tuple[int, ...]:
        """Columns of different variables (MechanismError for an unknown or repeated one)."""
        if len(set(variables)) < len(variables):
            raise MechanismError("projection", "different variables", ", ".join(variables), "Name each once.")
        return tuple(self.place(name) for name in variables)


def frame_of(mechanism: Mechanism) -> Frame:
    """The frame of a mechanism's variables.

    Raises:
        MechanismError: a quantity space with more than 127 cells.
    """
    for space in mechanism.spaces:
        if len(space.cells) > MOST_CELLS:
            raise MechanismError(f"quantity space {space.id}", f"at most {MOST_CELLS} cells", str(len(space.cells)))
    names = tuple(variable.id for variable in mechanism.variables)
    return Frame(names, tuple(mechanism.space(name).names for name in names))


def check_state(mechanism: Mechanism, state: CompositeState) -> None:
    """Refuse what is not a composite state of the mechanism (MechanismError)."""
    components = mechanism.components
    thing = f"composite state ({', '.join(state)}) of {mechanism.id}"
    if len(state) != len(components):
        raise MechanismError(thing, f"{len(components)} component states", str(len(state)))
    for component, name in zip(components, state, strict=True):
        if name not in component.states:
            expected = f"a state of {component.id}: " + ", ".join(component.states)
            raise MechanismError(thing, expected, repr(name))


def subject_of(mechanism: Mechanism, state: CompositeState | None) -> str:
    """How messages name a question."""
    where = "all composite states" if state is None else f"composite state ({', '.join(state)})"
    return f"mechanism {mechanism.id}, {where}"
