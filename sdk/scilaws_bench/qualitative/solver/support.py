"""Exact support: which cells of a variable one law leaves possible (paper A.4, Definition 9)."""

from __future__ import annotations

from collections.abc import Mapping

from scilaws_bench.errors import MechanismError
from scilaws_bench.qualitative.confluences import Confluence
from scilaws_bench.qualitative.mechanism import CompositeState, Mechanism
from scilaws_bench.qualitative.scenario import Restrictions
from scilaws_bench.qualitative.solver.frame import check_state, frame_of
from scilaws_bench.qualitative.solver.limits import Budget, WorkLimits
from scilaws_bench.qualitative.solver.machines import MACHINE_PRICE, law_machine
from scilaws_bench.qualitative.spaces import Cell

CellDomains = Mapping[str, tuple[Cell, ...]]
"""Variable id → the cells it may be in, in the order of its space."""


def cell_domains(
    mechanism: Mechanism, state: CompositeState, restrictions: Restrictions
) -> dict[str, tuple[Cell, ...]]:
    """The domains of a composite state under restrictions, before any propagation.

    Raises:
        MechanismError: a composite state, variable or cell the mechanism doesn't have.
    """
    check_state(mechanism, state)
    frame_of(mechanism).positions(restrictions)
    return {
        name: tuple(mechanism.space(name).cells[position] for position in positions)
        for name, positions in mechanism.domains(state, restrictions).items()
    }


def supported_cells(
    confluence: Confluence,
    domains: CellDomains,
    variable: str,
    *,
    limits: WorkLimits = WorkLimits(),  # noqa: B008
) -> tuple[Cell, ...]:
    """The cells of `variable` that occur in an assignment from `domains` which satisfies the law.

    A variable that stands in several factors or terms has one value in all of them.

    Args:
        confluence: the law.
        domains: cells of (at least) the law's variables.
        variable: one of the law's variables.
        limits: `steps` bounds the work.

    Returns:
        A part of `domains[variable]`, in its order; () if the law can't be satisfied.

    Raises:
        MechanismError: the variable is not in the law.
        WorkLimitError: a law with so many open products that `limits.steps` don't suffice.
    """
    names = confluence.variables
    if variable not in names:
        raise MechanismError(f"support of {variable} in law {confluence.id}", "one of " + ", ".join(names), variable)
    alphabets = tuple(tuple(sorted({cell.sign for cell in domains[name]})) for name in names)
    if not all(alphabets):
        return ()
    terms = tuple(
        (term.sign, tuple((names.index(factor.variable), factor.exponent) for factor in term.factors))
        for term in confluence.terms
    )
    machine = law_machine(terms, frozenset(), alphabets, limits.steps // MACHINE_PRICE)
    if machine is None:
        raise Budget(limits, f"law {confluence.id}").too_many_steps()
    place = names.index(variable)
    supported = {sign for sign, kept in zip(alphabets[place], machine.supported[place], strict=True) if kept}
    return tuple(cell for cell in domains[variable] if cell.sign in supported)
