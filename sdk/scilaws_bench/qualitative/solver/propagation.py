"""Generalized arc consistency: every cell that one constraint alone rules out is dropped, until none is."""

from __future__ import annotations

from collections import deque

from scilaws_bench.qualitative.solver.network import Law, Link, Network

GAC_STEPS = 20_000
"""Laws whose machine takes more (node, letter) pairs are left to the compilation, which checks all laws."""


def propagated(network: Network) -> Network:
    """The network with the largest domains on which every bounded constraint supports every cell.

    The result does not depend on the order of the constraints. A column without a cell left ends
    the propagation at once (`Network.is_contradictory`).
    """
    domains = list(network.domains)
    constraints: list[Law | Link] = [*network.laws, *network.links]
    readers: dict[int, list[int]] = {}
    for number, constraint in enumerate(constraints):
        for column in constraint.scope:
            readers.setdefault(column, []).append(number)
    queue = deque(range(len(constraints)))
    waiting = set(queue)
    while queue and all(domains):
        number = queue.popleft()
        waiting.discard(number)
        for column, kept in _supported(constraints[number], domains, network).items():
            if len(kept) < len(domains[column]):
                domains[column] = kept
                for reader in readers[column]:
                    if reader != number and reader not in waiting:
                        waiting.add(reader)
                        queue.append(reader)
    return network.within(domains)


def _supported(constraint: Law | Link, domains: list[tuple[int, ...]], network: Network) -> dict[int, tuple[int, ...]]:
    """Cells of each column of one constraint that it supports; one pass makes it arc consistent."""
    if isinstance(constraint, Link):
        states, cells = domains[constraint.component], domains[constraint.variable]
        allowed = [constraint.allowed[state] for state in states]
        return {
            constraint.component: tuple(s for s, kept in zip(states, allowed, strict=True) if kept.intersection(cells)),
            constraint.variable: tuple(cell for cell in cells if any(cell in kept for kept in allowed)),
        }
    scope = constraint.scope
    letters = [constraint.letters(column, domains[column], network.signs[column]) for column in scope]
    alphabets = tuple(tuple(sorted(set(word))) for word in letters)
    machine = constraint.machine(scope, alphabets, GAC_STEPS)
    if machine is None:
        return {}
    result = {}
    for place, column in enumerate(scope):
        kept = {x for x, supported in zip(alphabets[place], machine.supported[place], strict=True) if supported}
        result[column] = tuple(cell for cell, x in zip(domains[column], letters[place], strict=True) if x in kept)
    return result
