"""Why: the steps by which laws narrow domains, and smallest sets of laws that rule something out."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from scilaws_bench.qualitative.confluences import Confluence
from scilaws_bench.qualitative.mechanism import CompositeState, Mechanism
from scilaws_bench.qualitative.scenario import Restrictions
from scilaws_bench.qualitative.solver.frame import check_state, frame_of, subject_of
from scilaws_bench.qualitative.solver.limits import Budget, WorkLimits
from scilaws_bench.qualitative.solver.network import network_of
from scilaws_bench.qualitative.solver.solve import solved
from scilaws_bench.qualitative.solver.support import cell_domains, supported_cells

Names = tuple[str, ...]
_Item = TypeVar("_Item")


@dataclass(frozen=True)
class PropagationStep:
    """One law narrows one variable: `after` are the cells of `before` that the law supports."""

    law: str
    variable: str
    before: Names
    after: Names


@dataclass(frozen=True)
class Propagation:
    """A replay of generalized arc consistency.

    Attributes:
        initial: the domains after restrictions, before any law.
        steps: the narrowings in order; each takes the domains its predecessors left.
        final: the domains at the end. If one of them is empty the steps end there, and the
            composite state has no interpretation; the reverse doesn't hold.
    """

    initial: Mapping[str, Names]
    steps: tuple[PropagationStep, ...]
    final: Mapping[str, Names]


@dataclass(frozen=True)
class Limitation:
    """A restriction as part of a reason.

    Attributes:
        variable, cells: the restriction.
        component, state: the component state it comes from; None for one given with the question.
    """

    variable: str
    cells: Names
    component: str | None = None
    state: str | None = None

    def text(self) -> str:
        """E.g. `mass.v in {0} (mass is REST)`."""
        origin = "given" if self.component is None else f"{self.component} is {self.state}"
        return f"{self.variable} in {{{', '.join(self.cells)}}} ({origin})"


@dataclass(frozen=True)
class Reason:
    """Laws and restrictions that together suffice; without any one of them they don't."""

    laws: tuple[Confluence, ...]
    limitations: tuple[Limitation, ...]

    def text(self) -> str:
        """One line a law and restriction."""
        laws = [f"{law.id}: {law.text()}" for law in self.laws]
        return "\n".join([*laws, *(item.text() for item in self.limitations)])


def propagation_steps(
    mechanism: Mechanism,
    state: CompositeState,
    restrictions: Restrictions,
    *,
    limits: WorkLimits = WorkLimits(),  # noqa: B008 - frozen
) -> Propagation:
    """Replays propagation law by law: first in, first out, laws in the mechanism's order, variables in the law's.

    Raises:
        MechanismError: a composite state, variable or cell the mechanism doesn't have.
        WorkLimitError: a law too wide for `limits.steps`.
    """
    domains = cell_domains(mechanism, state, restrictions)
    initial = {name: tuple(cell.id for cell in cells) for name, cells in domains.items()}
    laws = mechanism.active_confluences(state)
    queue = deque(laws)
    steps = []
    while queue and all(domains.values()):
        law = queue.popleft()
        for variable in law.variables:
            before = domains[variable]
            after = supported_cells(law, domains, variable, limits=limits)
            if after == before:
                continue
            domains[variable] = after
            steps.append(
                PropagationStep(law.id, variable, tuple(cell.id for cell in before), tuple(cell.id for cell in after))
            )
            if not after:
                break
            queue.extend(
                other for other in laws if other is not law and variable in other.variables and other not in queue
            )
    final = {name: tuple(cell.id for cell in cells) for name, cells in domains.items()}
    return Propagation(initial, tuple(steps), final)


def why_empty(
    mechanism: Mechanism,
    state: CompositeState,
    restrictions: Restrictions,
    *,
    limits: WorkLimits = WorkLimits(),  # noqa: B008 - frozen
) -> Reason | None:
    """A minimal set of laws and restrictions that leaves a composite state without interpretation.

    None if it has one. Minimal means that no member can be dropped, not that no smaller set exists.

    Raises:
        MechanismError, WorkLimitError: see `IntrastateSolver.solve`; `limits` holds for each trial.
    """
    return _reason(mechanism, state, restrictions, None, limits)


def why_forced(
    mechanism: Mechanism,
    state: CompositeState,
    restrictions: Restrictions,
    variable: str,
    *,
    limits: WorkLimits = WorkLimits(),  # noqa: B008 - frozen
) -> Reason | None:
    """A minimal set of laws and restrictions that leaves a variable the one cell it has in all interpretations.

    None if it has several, or if there is no interpretation. A variable whose space has one cell
    needs no reason: the set is empty.

    Raises:
        MechanismError, WorkLimitError: see `IntrastateSolver.solve`; `limits` holds for each trial.
    """
    check_state(mechanism, state)
    place = frame_of(mechanism).place(variable)
    budget = Budget(limits, subject_of(mechanism, state))
    network = network_of(mechanism, mechanism.domains(state, restrictions), mechanism.active_confluences(state))
    for factor in solved(network, budget) or ():
        if place in factor.columns:
            cells = factor.occurring[factor.columns.index(place)]
            if len(cells) == 1:
                names = mechanism.space(variable).names
                others = tuple(name for position, name in enumerate(names) if position != cells[0])
                return _reason(mechanism, state, restrictions, (variable, others), limits)
    return None


def _reason(
    mechanism: Mechanism,
    state: CompositeState,
    restrictions: Restrictions,
    denied: tuple[str, Names] | None,
    limits: WorkLimits,
) -> Reason | None:
    """Deletion filter: laws and restrictions that can't hold together (with `denied`, which always stays)."""
    check_state(mechanism, state)
    frame_of(mechanism).positions(restrictions)
    states = mechanism.states_by_component(state)
    spaces = {variable.id: mechanism.space(variable.id).names for variable in mechanism.variables}

    def holds_together(laws: Sequence[Confluence], limitations: Sequence[Limitation]) -> bool:
        kept = {name: set(cells) for name, cells in spaces.items()}
        for item in limitations:
            kept[item.variable] &= set(item.cells)
        if denied is not None:
            kept[denied[0]] &= set(denied[1])
        domains = {
            name: tuple(place for place, cell in enumerate(cells) if cell in kept[name])
            for name, cells in spaces.items()
        }
        budget = Budget(limits, subject_of(mechanism, state))
        return solved(network_of(mechanism, domains, laws), budget) is not None

    laws = mechanism.active_confluences(state)
    limitations = (
        *(
            Limitation(item.variable, item.cells, item.component, item.state)
            for item in mechanism.restrictions
            if states[item.component] == item.state
        ),
        *(Limitation(variable, tuple(cells)) for variable, cells in restrictions.items()),
    )
    if holds_together(laws, limitations):
        return None
    laws = _needed(laws, lambda part: not holds_together(part, limitations))
    limitations = _needed(limitations, lambda part: not holds_together(laws, part))
    return Reason(laws, limitations)


def _needed(items: tuple[_Item, ...], suffice: Callable[[tuple[_Item, ...]], bool]) -> tuple[_Item, ...]:
    """Items left when each in turn is dropped if the rest suffice."""
    place = 0
    while place < len(items):
        rest = items[:place] + items[place + 1 :]
        if suffice(rest):
            items = rest
        else:
            place += 1
    return items
