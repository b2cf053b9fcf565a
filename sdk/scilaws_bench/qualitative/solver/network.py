"""A question as columns and constraints, the form in which the fast solver works.

A column is a variable or, in questions about all composite states, a component whose cells are its
states. Constraints see a cell only through its letter (a sign, or whether a state is among some
states), so cells that have the same letters everywhere are interchangeable.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from scilaws_bench.qualitative.confluences import Confluence
from scilaws_bench.qualitative.mechanism import Mechanism, StateRestriction
from scilaws_bench.qualitative.solver.machines import Letters, Machine, law_machine, pair_machine


@dataclass(frozen=True)
class Law:
    """A confluence over columns.

    Attributes:
        terms: per term the coefficient's sign and the (column, exponent) of its factors.
        guards: (column of a component, its states in which the law is active); one that is in
            another state switches the law off.
    """

    terms: tuple[tuple[int, tuple[tuple[int, int], ...]], ...]
    guards: tuple[tuple[int, frozenset[int]], ...] = ()

    @cached_property
    def scope(self) -> tuple[int, ...]:
        """The columns, guards first, then in order of appearance."""
        factors = (column for _, term in self.terms for column, _ in term)
        return tuple(dict.fromkeys([*(column for column, _ in self.guards), *factors]))

    @property
    def products(self) -> tuple[tuple[int, ...], ...]:
        """The columns of each term of several factors, best read one soon after the other."""
        return tuple(tuple(column for column, _ in term) for _, term in self.terms if len(term) > 1)

    def letters(self, column: int, cells: Sequence[int], signs: Sequence[int]) -> Letters:
        """The letter of each cell of a column: 1 or 0 at a guard (active or not), else the sign."""
        states = [states for guard, states in self.guards if guard == column]
        if states:
            return tuple(int(all(cell in allowed for allowed in states)) for cell in cells)
        return tuple(signs[cell] for cell in cells)

    def machine(self, order: Sequence[int], alphabets: tuple[Letters, ...], most: int) -> Machine | None:
        """The machine that reads the columns in this order (see `law_machine`)."""
        position = {column: place for place, column in enumerate(order)}
        terms = tuple((sign, tuple((position[column], power) for column, power in term)) for sign, term in self.terms)
        return law_machine(terms, frozenset(position[column] for column, _ in self.guards), alphabets, most)


@dataclass(frozen=True)
class Link:
    """A component's state restricts a variable: allowed cells of the column `variable` for each state."""

    component: int
    variable: int
    allowed: tuple[frozenset[int], ...]

    @property
    def scope(self) -> tuple[int, ...]:
        """The two columns."""
        return (self.component, self.variable)

    @property
    def products(self) -> tuple[tuple[int, ...], ...]:
        """None: see `Law.products`."""
        return ()

    def machine(self, order: Sequence[int], cells: Mapping[int, Sequence[int]]) -> Machine:
        """The machine that reads these cells of the two columns in this order."""
        table = np.array(
            [[cell in self.allowed[state] for cell in cells[self.variable]] for state in cells[self.component]],
            dtype=bool,
        )
        return pair_machine(table if order[0] == self.component else table.T)


@dataclass(frozen=True)
class Network:
    """Columns and constraints.

    Attributes:
        domains: per column the cells it may be in, rising.
        signs: per column the sign of every cell of its space (nothing reads those of components).
        laws, links: the constraints.
    """

    domains: tuple[tuple[int, ...], ...]
    signs: tuple[tuple[int, ...], ...]
    laws: tuple[Law, ...]
    links: tuple[Link, ...] = ()

    @property
    def is_contradictory(self) -> bool:
        """Whether a column has no cell left."""
        return not all(self.domains)

    def within(self, domains: Iterable[tuple[int, ...]]) -> Network:
        """The same constraints on other domains."""
        return replace(self, domains=tuple(domains))

    @cached_property
    def classes(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """Per column its cells in groups of interchangeable ones, by the first of each group."""
        seen: list[list[tuple[object, ...]]] = [[] for _ in self.domains]
        for law in self.laws:
            for column in law.scope:
                seen[column].append(law.letters(column, self.domains[column], self.signs[column]))
        for link in self.links:
            states, cells = self.domains[link.component], self.domains[link.variable]
            seen[link.component].append(tuple(link.allowed[state].intersection(cells) for state in states))
            seen[link.variable].append(tuple(tuple(cell in link.allowed[state] for state in states) for cell in cells))
        result = []
        for cells, letters in zip(self.domains, seen, strict=True):
            groups: dict[tuple[object, ...], list[int]] = {}
            for place, cell in enumerate(cells):
                groups.setdefault(tuple(word[place] for word in letters), []).append(cell)
            result.append(tuple(tuple(group) for group in groups.values()))
        return tuple(result)


def law_of(confluence: Confluence, columns: Mapping[str, int], guards: Mapping[str, tuple[int, Sequence[str]]]) -> Law:
    """A confluence over columns; `guards` gives the column and the states of each component that is a column."""
    return Law(
        tuple(
            (term.sign, tuple((columns[factor.variable], factor.exponent) for factor in term.factors))
            for term in confluence.terms
        ),
        tuple(
            (guards[component][0], frozenset(guards[component][1].index(state) for state in states))
            for component, states in confluence.active
            if component in guards
        ),
    )


def network_of(mechanism: Mechanism, domains: Mapping[str, tuple[int, ...]], laws: Iterable[Confluence]) -> Network:
    """The network of one composite state: its variables on these domains under these laws."""
    names = [variable.id for variable in mechanism.variables]
    columns = {name: place for place, name in enumerate(names)}
    return Network(
        tuple(domains[name] for name in names),
        tuple(mechanism.space(name).signs for name in names),
        tuple(law_of(law, columns, {}) for law in laws),
    )


def links_of(mechanism: Mechanism, restrictions: Iterable[StateRestriction], offset: int) -> tuple[Link, ...]:
    """One link for each restricted (component, variable); components are columns 0, 1, …, variables follow."""
    columns = {variable.id: offset + place for place, variable in enumerate(mechanism.variables)}
    tables: dict[tuple[str, str], list[frozenset[int]]] = {}
    for item in restrictions:
        names = mechanism.space(item.variable).names
        states = mechanism.component_by_id[item.component].states
        free = [frozenset(range(len(names)))] * len(states)
        table = tables.setdefault((item.component, item.variable), free)
        table[states.index(item.state)] &= {names.index(cell) for cell in item.cells}
    places = {component.id: place for place, component in enumerate(mechanism.components)}
    return tuple(
        Link(places[component], columns[variable], tuple(table)) for (component, variable), table in tables.items()
    )
