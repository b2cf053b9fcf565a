"""The slow, obvious solver: try every cell of every variable, check each law as soon as it can be checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from scilaws_bench.qualitative.confluences import Confluence, is_satisfied
from scilaws_bench.qualitative.mechanism import CompositeState, Mechanism
from scilaws_bench.qualitative.scenario import Restrictions
from scilaws_bench.qualitative.solver.frame import Frame, check_state, frame_of, subject_of
from scilaws_bench.qualitative.solver.limits import Budget, WorkLimits
from scilaws_bench.qualitative.solver.protocol import Rows


class ReferenceSolver:
    """Backtracking in the order of the variables; exact, for small relations and for checking others."""

    def solve(
        self,
        mechanism: Mechanism,
        state: CompositeState,
        restrictions: Restrictions,
        *,
        limits: WorkLimits = WorkLimits(),  # noqa: B008 - frozen
    ) -> ReferenceRelation:
        """See `IntrastateSolver.solve`; here the steps are the cells tried."""
        check_state(mechanism, state)
        frame = frame_of(mechanism)
        frame.positions(restrictions)
        budget = Budget(limits, subject_of(mechanism, state))
        rows: list[tuple[int, ...]] = []
        for row in _interpretations(mechanism, state, restrictions, budget):
            rows.append(row)
            budget.check_rows(len(rows))
        return ReferenceRelation(frame, rows, budget)


def _interpretations(
    mechanism: Mechanism, state: CompositeState, restrictions: Restrictions, budget: Budget
) -> Iterator[tuple[int, ...]]:
    domains = mechanism.domains(state, restrictions)
    names = [variable.id for variable in mechanism.variables]
    signs_of = {name: mechanism.space(name).signs for name in names}

    # A law can be checked once the last of its variables has a cell.
    due: dict[str, list[Confluence]] = {name: [] for name in names}
    for law in mechanism.active_confluences(state):
        due[max(law.variables, key=names.index)].append(law)

    row: list[int] = []
    signs: dict[str, int] = {}

    def extend() -> Iterator[tuple[int, ...]]:
        if len(row) == len(names):
            yield tuple(row)
            return
        name = names[len(row)]
        for cell in domains[name]:
            budget.spend(1)
            signs[name] = signs_of[name][cell]
            if all(is_satisfied(law, signs) for law in due[name]):
                row.append(cell)
                yield from extend()
                row.pop()

    return extend()


class ReferenceRelation:
    """A relation as a plain list of rows."""

    def __init__(self, frame: Frame, rows: list[tuple[int, ...]], budget: Budget) -> None:
        self._frame = frame
        self._rows = rows
        self._budget = budget

    @property
    def variables(self) -> tuple[str, ...]:
        """See `Relation`."""
        return self._frame.variables

    @property
    def count(self) -> int:
        """See `Relation`."""
        return len(self._rows)

    @property
    def is_empty(self) -> bool:
        """See `Relation`."""
        return not self._rows

    @property
    def forced(self) -> dict[str, str]:
        """See `Relation`."""
        supports = {name: self.supports(name) for name in self.variables}
        return {name: cells[0] for name, cells in supports.items() if len(cells) == 1}

    def rows(self, limit: int | None = None) -> Rows:
        """See `Relation`."""
        self._budget.check_rows(len(self._rows), limit)
        return _array(self._rows, len(self.variables))

    def projection(self, variables: Sequence[str]) -> Rows:
        """See `Relation`."""
        places = self._frame.places(variables)
        return _array(sorted({tuple(row[place] for place in places) for row in self._rows}), len(places))

    def conditioned(self, restrictions: Restrictions) -> ReferenceRelation:
        """See `Relation`."""
        allowed = self._frame.positions(restrictions)
        kept = [row for row in self._rows if all(row[place] in cells for place, cells in allowed.items())]
        return ReferenceRelation(self._frame, kept, self._budget)

    def contains(self, assignment: Mapping[str, str]) -> bool:
        """See `Relation`."""
        return self._frame.row(assignment) in self._rows

    def supports(self, variable: str) -> tuple[str, ...]:
        """See `Relation`."""
        place = self._frame.place(variable)
        occurring = {row[place] for row in self._rows}
        return tuple(name for cell, name in enumerate(self._frame.cells[place]) if cell in occurring)


def _array(rows: list[tuple[int, ...]], width: int) -> Rows:
    return np.array(rows, dtype=np.int8).reshape(len(rows), width)
