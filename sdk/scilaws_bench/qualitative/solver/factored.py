"""A relation as a product of independent factors, each a decision diagram over some of the columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from scilaws_bench.qualitative.scenario import Restrictions
from scilaws_bench.qualitative.solver.diagrams import Diagram
from scilaws_bench.qualitative.solver.frame import Frame
from scilaws_bench.qualitative.solver.limits import Budget
from scilaws_bench.qualitative.solver.protocol import Rows


@dataclass(frozen=True, eq=False)
class Factor:
    """Assignments of some columns.

    Attributes:
        columns: columns of the relation, in the diagram's order.
        cells: per such column the cells its letters stand for, rising.
        diagram: the assignments.
    """

    columns: tuple[int, ...]
    cells: tuple[tuple[int, ...], ...]
    diagram: Diagram

    @cached_property
    def count(self) -> int:
        """Exact number of assignments."""
        return self.diagram.count()

    @cached_property
    def occurring(self) -> tuple[tuple[int, ...], ...]:
        """Per column the cells that occur."""
        return tuple(
            tuple(cell for cell, used in zip(cells, self.diagram.used(position), strict=True) if used)
            for position, cells in enumerate(self.cells)
        )

    def projected(self, columns: Sequence[int], budget: Budget) -> tuple[tuple[int, ...], Rows]:
        """Those of the columns that are here, and their distinct assignments as cells."""
        positions = [position for position, column in enumerate(self.columns) if column in columns]
        if len(positions) == len(self.columns):
            budget.check_rows(self.count)
            words = self.diagram.words()
        else:
            words = self.diagram.projected(positions, budget)
        for place, position in enumerate(positions):
            words[:, place] = np.array(self.cells[position], dtype=np.int8)[words[:, place]]
        return tuple(self.columns[position] for position in positions), words

    def conditioned(self, allowed: Mapping[int, Sequence[int]]) -> Factor | None:
        """The assignments within the allowed cells of some columns, or None if there are none."""
        kept = {
            position: [letter for letter, cell in enumerate(self.cells[position]) if cell in allowed[column]]
            for position, column in enumerate(self.columns)
            if column in allowed
        }
        if not kept:
            return self
        diagram = self.diagram.filtered(kept)
        if diagram is None:
            return None
        cells = tuple(
            tuple(cells[letter] for letter in kept[position]) if position in kept else cells
            for position, cells in enumerate(self.cells)
        )
        return Factor(self.columns, cells, diagram)


class FactoredRelation:
    """A relation kept as factors; nothing is multiplied out before rows are asked for.

    Args:
        frame: the columns.
        factors: factors that have each column in exactly one of them; None for the empty relation.
        budget: limits and subject of the question; questions to the relation are counted anew.
    """

    def __init__(self, frame: Frame, factors: Sequence[Factor] | None, budget: Budget) -> None:
        self._frame = frame
        self._budget = budget
        self.factors = None if factors is None else tuple(factors)

    @property
    def variables(self) -> tuple[str, ...]:
        """See `Relation`."""
        return self._frame.variables

    @cached_property
    def count(self) -> int:
        """See `Relation`."""
        return 0 if self.factors is None else prod(factor.count for factor in self.factors)

    @property
    def is_empty(self) -> bool:
        """See `Relation`."""
        return self.factors is None

    @cached_property
    def forced(self) -> dict[str, str]:
        """See `Relation`."""
        return {
            name: self._frame.cells[column][cells[0]]
            for column, (name, cells) in enumerate(zip(self.variables, self._occurring, strict=True))
            if len(cells) == 1
        }

    def supports(self, variable: str) -> tuple[str, ...]:
        """See `Relation`."""
        column = self._frame.place(variable)
        return tuple(self._frame.cells[column][cell] for cell in self._occurring[column])

    def rows(self, limit: int | None = None) -> Rows:
        """See `Relation`."""
        self._budget.check_rows(self.count, limit)
        most = max(self._budget.limits.rows, self.count)
        return self._multiplied(range(len(self.variables)), self._budget.renewed(rows=most))

    def projection(self, variables: Sequence[str]) -> Rows:
        """See `Relation`."""
        return self.projected(self._frame.places(variables))

    def projected(self, columns: Sequence[int]) -> Rows:
        """`projection` by different columns."""
        return self._multiplied(columns, self._budget.renewed())

    def conditioned(self, restrictions: Restrictions) -> FactoredRelation:
        """See `Relation`."""
        allowed = self._frame.positions(restrictions)
        left = []
        for factor in self.factors or ():
            part = factor.conditioned(allowed)
            if part is None:
                return FactoredRelation(self._frame, None, self._budget)
            left.append(part)
        return FactoredRelation(self._frame, None if self.factors is None else left, self._budget)

    def contains(self, assignment: Mapping[str, str]) -> bool:
        """See `Relation`."""
        row = self._frame.row(assignment)
        if self.factors is None:
            return False
        for factor in self.factors:
            wanted = [row[column] for column in factor.columns]
            if any(cell not in cells for cell, cells in zip(wanted, factor.cells, strict=True)):
                return False
            if [cells.index(cell) for cell, cells in zip(wanted, factor.cells, strict=True)] not in factor.diagram:
                return False
        return True

    @cached_property
    def _occurring(self) -> tuple[tuple[int, ...], ...]:
        found: list[tuple[int, ...]] = [()] * len(self.variables)
        for factor in self.factors or ():
            for column, cells in zip(factor.columns, factor.occurring, strict=True):
                found[column] = cells
        return tuple(found)

    def _multiplied(self, columns: Sequence[int], budget: Budget) -> Rows:
        """Distinct sub-rows, sorted; the factors' own sub-rows in all combinations."""
        if self.factors is None:
            return np.empty((0, len(columns)), dtype=np.int8)
        wanted = set(columns)
        parts = [factor.projected(columns, budget) for factor in self.factors if wanted.intersection(factor.columns)]
        count = prod(len(part) for _, part in parts)
        budget.check_rows(count)
        place = {column: number for number, column in enumerate(columns)}
        rows = np.empty((count, len(columns)), dtype=np.int8, order="F")
        block = 1
        for own, part in parts:
            index = np.arange(count) // block % len(part)
            block *= len(part)
            for number, column in enumerate(own):
                rows[:, place[column]] = part[index, number]
        return np.ascontiguousarray(rows)[_lexicographic(rows)]


def _lexicographic(rows: Rows) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The permutation that sorts rows of cells (≥ 0), by as few 64-bit keys as hold them."""
    keys = []
    key = np.zeros(len(rows), dtype=np.int64)
    size = 1
    for column in range(rows.shape[1]):
        letters = int(rows[:, column].max(initial=0)) + 1
        if size * letters >= 2**62:
            keys.append(key)
            key, size = np.zeros(len(rows), dtype=np.int64), 1
        key = key * letters + rows[:, column]
        size *= letters
    return np.lexsort([key, *reversed(keys)])
