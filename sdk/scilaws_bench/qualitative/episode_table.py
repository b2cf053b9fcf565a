"""The episodes of a scenario as one sorted table: the node set of the episode graph (Definition 2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scilaws_bench.errors import MechanismError
from scilaws_bench.qualitative.mechanism import CompositeState, Mechanism


@dataclass(frozen=True)
class Episode:
    """One node: a composite state and an interpretation, as names."""

    state: CompositeState
    cells: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class EpisodeTable:
    """All episodes of a mechanism under some restrictions.

    Attributes:
        mechanism: the mechanism.
        states: int8 array (episodes, components): position of each component's state.
        cells: int8 array (episodes, variables): position of each variable's cell in its space.

    Rows are unique and sorted by (states, cells), so a row number names an episode for good.
    """

    mechanism: Mechanism
    states: npt.NDArray[np.int8]
    cells: npt.NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.cells)

    def state(self, row: int) -> CompositeState:
        """Composite state of an episode."""
        components = self.mechanism.components
        return tuple(c.states[position] for c, position in zip(components, self.states[row], strict=True))

    def interpretation(self, row: int) -> dict[str, str]:
        """Variable id → cell name of an episode."""
        mechanism = self.mechanism
        return {
            variable.id: mechanism.space(variable.id).cells[position].id
            for variable, position in zip(mechanism.variables, self.cells[row], strict=True)
        }

    def episode(self, row: int) -> Episode:
        """An episode by names."""
        return Episode(self.state(row), tuple(self.interpretation(row).values()))

    def matching(self, facts: Mapping[str, tuple[str, ...]]) -> npt.NDArray[np.bool_]:
        """Mask of the episodes whose variables lie in the given cells (variable → cell names).

        Raises:
            MechanismError: an unknown variable or cell.
        """
        mask = np.ones(len(self), dtype=bool)
        order = {variable.id: place for place, variable in enumerate(self.mechanism.variables)}
        for variable, names in facts.items():
            if variable not in order:
                raise MechanismError(f"facts on {variable}", "a variable of the mechanism", repr(variable))
            known = self.mechanism.space(variable).names
            unknown = [name for name in names if name not in known]
            if unknown:
                raise MechanismError(f"facts on {variable}", "cells among " + ", ".join(known), repr(unknown[0]))
            mask &= np.isin(self.cells[:, order[variable]], [known.index(name) for name in names])
        return mask
