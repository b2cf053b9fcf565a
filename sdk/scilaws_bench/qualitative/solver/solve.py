"""The fast solver: propagate, split, compile each component to a diagram (paper A.6, Algorithm 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scilaws_bench.qualitative.mechanism import CompositeState, Mechanism
from scilaws_bench.qualitative.scenario import Restrictions
from scilaws_bench.qualitative.solver.diagrams import Diagram, Reader, compiled
from scilaws_bench.qualitative.solver.factored import Factor, FactoredRelation
from scilaws_bench.qualitative.solver.frame import check_state, frame_of, subject_of
from scilaws_bench.qualitative.solver.limits import Budget, WorkLimits
from scilaws_bench.qualitative.solver.machines import MACHINE_PRICE, Machine
from scilaws_bench.qualitative.solver.network import Law, Link, Network, network_of
from scilaws_bench.qualitative.solver.ordering import connected_components, reading_order
from scilaws_bench.qualitative.solver.propagation import propagated


class FactoredSolver:
    """Exact counts, projections and conditioning without writing interpretations out."""

    def solve(
        self,
        mechanism: Mechanism,
        state: CompositeState,
        restrictions: Restrictions,
        *,
        limits: WorkLimits = WorkLimits(),  # noqa: B008 - frozen
    ) -> FactoredRelation:
        """See `IntrastateSolver.solve`; here the steps are (diagram node, cell) pairs."""
        check_state(mechanism, state)
        frame = frame_of(mechanism)
        frame.positions(restrictions)
        budget = Budget(limits, subject_of(mechanism, state))
        domains = mechanism.domains(state, restrictions)
        network = network_of(mechanism, domains, mechanism.active_confluences(state))
        return FactoredRelation(frame, solved(network, budget), budget)


def solved(network: Network, budget: Budget) -> list[Factor] | None:
    """The factors of a network's relation, or None if it is empty.

    Raises:
        WorkLimitError: more steps than allowed.
    """
    network = propagated(network)
    if network.is_contradictory:
        return None
    constraints: list[Law | Link] = [*network.laws, *network.links]
    scopes = []
    for constraint in constraints:
        scope = _deciding(constraint, network)
        machine = _machine(constraint, scope, network, budget)
        if machine.accepts_nothing:
            return None
        scopes.append(() if machine.accepts_everything else scope)
    components = connected_components([scope for scope in scopes if scope], len(network.domains))
    factors = []
    for component in sorted(components, key=len):
        own = [number for number, scope in enumerate(scopes) if scope and scope[0] in component]
        factor = _factor(component, [(constraints[number], scopes[number]) for number in own], network, budget)
        if factor is None:
            return None
        factors.append(factor)
    return factors


def _factor(
    component: tuple[int, ...],
    constraints: Sequence[tuple[Law | Link, tuple[int, ...]]],
    network: Network,
    budget: Budget,
) -> Factor | None:
    """One connected component, its cells taken in classes of interchangeable ones while compiling."""
    classes = network.classes
    if not constraints:
        (column,) = component
        cells = network.domains[column]
        return Factor(component, (cells,), Diagram((np.zeros((1, len(cells)), dtype=np.int32),)))
    local = {column: place for place, column in enumerate(component)}
    products = [
        set(product).intersection(scope) for constraint, scope in constraints for product in constraint.products
    ]
    order = reading_order(
        [[local[column] for column in sorted(linked)] for linked in [*(scope for _, scope in constraints), *products]],
        [len(classes[column]) for column in component],
    )
    columns = tuple(component[place] for place in order)
    position = {column: place for place, column in enumerate(columns)}
    readers = []
    for constraint, scope in constraints:
        in_order = tuple(sorted(scope, key=position.__getitem__))
        machine = _machine(constraint, in_order, network, budget)
        letters = _Letters(constraint, network)
        steps = tuple(
            (position[column], level[:, letters.of_classes(column)])
            for column, level in zip(in_order, machine.levels[-len(in_order) :], strict=True)
        )
        readers.append(Reader(steps))
    diagram = compiled([len(classes[column]) for column in columns], readers, budget)
    if diagram is None:
        return None
    class_of = [{cell: number for number, group in enumerate(classes[column]) for cell in group} for column in columns]
    cells_of = tuple(network.domains[column] for column in columns)
    spread = diagram.spread([[known[cell] for cell in cells] for known, cells in zip(class_of, cells_of, strict=True)])
    return Factor(columns, cells_of, spread)


@dataclass(frozen=True)
class _Letters:
    """Which letters a constraint reads in a column of a network."""

    constraint: Law | Link
    network: Network

    def alphabet(self, column: int) -> tuple[int, ...]:
        """The letters, each once, rising. For a link these are classes of cells."""
        return tuple(sorted(set(self._letters(column))))

    def of_classes(self, column: int) -> list[int]:
        """The place of the letter of each class of cells in the alphabet."""
        alphabet = self.alphabet(column)
        return [alphabet.index(letter) for letter in self._letters(column)]

    def _letters(self, column: int) -> tuple[int, ...]:
        groups = self.network.classes[column]
        if isinstance(self.constraint, Link):
            return tuple(range(len(groups)))
        first = [group[0] for group in groups]
        return self.constraint.letters(column, first, self.network.signs[column])


def _deciding(constraint: Law | Link, network: Network) -> tuple[int, ...]:
    """The columns of a constraint in which it can read more than one letter."""
    letters = _Letters(constraint, network)
    return tuple(column for column in constraint.scope if len(letters.alphabet(column)) > 1)


def _machine(constraint: Law | Link, order: tuple[int, ...], network: Network, budget: Budget) -> Machine:
    """Its machine that reads all its other columns first (they have one letter each), then `order`."""
    whole = (*(column for column in constraint.scope if column not in order), *order)
    if isinstance(constraint, Link):
        firsts = {column: [group[0] for group in network.classes[column]] for column in whole}
        return constraint.machine(whole, firsts)
    letters = _Letters(constraint, network)
    most = budget.limits.steps // MACHINE_PRICE
    machine = constraint.machine(whole, tuple(letters.alphabet(column) for column in whole), most)
    if machine is None:
        raise budget.too_many_steps()
    return machine
