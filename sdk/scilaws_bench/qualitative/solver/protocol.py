"""What every intrastate solver offers: a question in, an exact relation out (paper A.4, Definition 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from scilaws_bench.qualitative.mechanism import CompositeState, Mechanism
from scilaws_bench.qualitative.scenario import Restrictions
from scilaws_bench.qualitative.solver.limits import WorkLimits

Rows = npt.NDArray[np.int8]
"""Rows of cell positions, one column a variable."""


class Relation(Protocol):
    """The set of interpretations of one composite state, or any set of assignments of that kind.

    Cells are named by the names of the variables' quantity spaces, in `Rows` by position. Every
    method that takes names raises MechanismError for one that isn't there.
    """

    @property
    def variables(self) -> tuple[str, ...]:
        """Variable ids, the columns of `rows`."""
        ...

    @property
    def count(self) -> int:
        """Exact number of interpretations (may exceed what fits in memory)."""
        ...

    @property
    def is_empty(self) -> bool:
        """Whether there is none."""
        ...

    @property
    def forced(self) -> dict[str, str]:
        """Necessary facts: variables with one cell in all interpretations. Empty for an empty relation."""
        ...

    def rows(self, limit: int | None = None) -> Rows:
        """All interpretations (count, variables), unique, in lexicographic order.

        Raises:
            WorkLimitError: more than `limit` rows (by default the rows limit of the question).
        """
        ...

    def projection(self, variables: Sequence[str]) -> Rows:
        """The distinct sub-rows (n, len(variables)), columns as given, in lexicographic order.

        Raises:
            WorkLimitError: more rows than the rows limit of the question.
        """
        ...

    def conditioned(self, restrictions: Restrictions) -> Relation:
        """The interpretations whose variables lie in the given cells."""
        ...

    def contains(self, assignment: Mapping[str, str]) -> bool:
        """Whether an assignment of a cell to every variable is an interpretation."""
        ...

    def supports(self, variable: str) -> tuple[str, ...]:
        """The cells of a variable that occur in some interpretation, in the order of its space."""
        ...


class IntrastateSolver(Protocol):
    """Σ(M, s, r) of Definition 1."""

    def solve(
        self,
        mechanism: Mechanism,
        state: CompositeState,
        restrictions: Restrictions,
        *,
        limits: WorkLimits = ...,
    ) -> Relation:
        """All interpretations of a composite state under restrictions.

        Raises:
            MechanismError: a composite state, variable or cell the mechanism doesn't have.
            WorkLimitError: inconclusive, the answer costs more than `limits` allows.
        """
        ...
