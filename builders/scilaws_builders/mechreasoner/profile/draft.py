"""A mechanism in the making: templates are instantiated here, the topology adds its laws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

from scilaws_bench.qualitative import (
    NON_NEGATIVE,
    POSITIVE,
    SIGNS,
    Cell,
    Component,
    Confluence,
    Declaration,
    Factor,
    QuantitySpace,
    StateRestriction,
    Term,
    Variable,
    parse_confluence,
)
from scilaws_builders.mechreasoner.profile.component_types import Template, VariableRow, type_table
from scilaws_builders.mechreasoner.profile.plant import Part

NEGATIVE = QuantitySpace("negative", (Cell("-", "interval", -1),))
ZERO = QuantitySpace("zero", (Cell("0", "point", 0, 0.0),))
SPACES = {space.id: space for space in (SIGNS, NON_NEGATIVE, POSITIVE, NEGATIVE, ZERO)}
REGIME_CELLS = ("below", "-limit", "falling", "0", "rising", "limit", "above")
"""Symbols of the seven cells of a space with landmarks -limit, 0 and limit."""

Product = tuple[int, str]
"""Coefficient and variable of a linear term; only the coefficient's sign matters."""


@dataclass(frozen=True)
class Observable:
    """A qualitative variable's number: `sum of coefficient × Modelica variable + offset`."""

    terms: tuple[tuple[float, str], ...]
    offset: float = 0.0

    def to_document(self) -> dict[str, Any]:
        """JSON form."""
        return {"terms": [[coefficient, name] for coefficient, name in self.terms], "offset": self.offset}


def one_cell(value: float) -> QuantitySpace:
    """The space of a constant."""
    return POSITIVE if value > 0 else NEGATIVE if value < 0 else ZERO


def sign(value: float) -> Literal[-1, 1]:
    """Sign of a number that is not zero."""
    return 1 if value > 0 else -1


@dataclass
class Draft:
    """What has been collected so far, in the order in which it was added."""

    components: list[Component] = field(default_factory=list)
    spaces: dict[str, QuantitySpace] = field(default_factory=dict)
    variables: list[Variable] = field(default_factory=list)
    confluences: list[Confluence] = field(default_factory=list)
    restrictions: list[StateRestriction] = field(default_factory=list)
    declarations: list[Declaration] = field(default_factory=list)
    observables: dict[str, Observable] = field(default_factory=dict)
    _stateful: list[tuple[Part, Template, Mapping[str, str]]] = field(default_factory=list)

    def add(
        self,
        part: Part,
        *,
        variant: str | None = None,
        context: Mapping[str, str] | None = None,
        spaces: Mapping[str, QuantitySpace] | None = None,
        observables: Mapping[str, Observable] | None = None,
    ) -> None:
        """Instantiate a part's template.

        Args:
            part: the component.
            variant: the circumstance that chooses another template than the type's usual one.
            context: what `body.*`, `input.*`, `heat.*` and `heater.*` stand for, as variable ids.
            spaces: quantity → space, where it is not the template's.
            observables: quantity → its number in a Modelica result.
        """
        table = type_table()
        template = table.templates[part.type.variants[variant] if variant else part.type.template]
        names = {row.quantity: variable_id(part, row.quantity) for row in template.variables} | dict(context or {})
        rates = {row.rate for row in template.variables}
        for row in template.variables:
            space = (spaces or {}).get(row.quantity, SPACES[row.space])
            self._variable(part, row, space, is_rate=row.quantity in rates)
            if row.quantity in (observables or {}):
                self.observables[names[row.quantity]] = (observables or {})[row.quantity]
        self.components.append(Component(part.id, part.type.name, tuple(template.states)))
        for law in template.laws:
            parsed = parse_confluence(f"{part.id}.{law.id}", _named(law.terms, names), part.id)
            active = ((part.id, law.states),) if law.states else ()
            self.confluences.append(Confluence(parsed.id, parsed.terms, part.id, active))
        for state, limits in template.restrictions.items():
            for quantity, cells in limits.items():
                self.restrictions.append(StateRestriction(part.id, state, names[quantity], cells))
        if template.states_by is not None:
            self._stateful.append((part, template, names))

    def add_boundary(self, variable: Variable, space: QuantitySpace, observable: Observable) -> None:
        """Add a variable of no component."""
        self.spaces.setdefault(space.id, space)
        self.variables.append(variable)
        self.observables[variable.id] = observable

    def finish(self) -> None:
        """Write the component states' restrictions and declarations, once every part has been added."""
        for part, template, names in self._stateful:
            self._states(part, template, names)
        self._stateful.clear()

    def law(self, name: str, terms: Sequence[Product], component: str | None = None) -> None:
        """Add a linear law of the topology; a law that says the same as an earlier connection law is left out."""
        law = Confluence(name, tuple(Term(sign(k), (Factor(variable),)) for k, variable in terms), component)
        if _normal(law) not in {_normal(known) for known in self.confluences if not known.active}:
            self.confluences.append(law)

    def _variable(self, part: Part, row: VariableRow, space: QuantitySpace, *, is_rate: bool) -> None:
        self.spaces.setdefault(space.id, space)
        self.variables.append(
            Variable(
                id=variable_id(part, row.quantity),
                component=part.id,
                space=space.id,
                role=row.role or ("derivative" if is_rate and row.rate is None else "quantity"),
                derivative=None if row.rate is None else variable_id(part, row.rate),
                continuous=row.continuous,
                unit=type_table().quantities[part.type.domain][row.quantity].unit,
                meaning=row.meaning,
            )
        )

    def _states(self, part: Part, template: Template, names: Mapping[str, str]) -> None:
        """Domain restrictions of the component states, and declarations between neighbouring ones."""
        assert template.states_by is not None
        assert template.event is not None
        known = {variable.id: variable for variable in self.variables}
        by, event = names[template.states_by], names[template.event]
        cells = {state: cells_of(self.spaces[known[by].space], symbols) for state, symbols in template.states.items()}
        self.restrictions.extend(StateRestriction(part.id, state, by, held) for state, held in cells.items())
        rate = known[event].derivative
        for lower, upper in pairwise(template.states):
            for source, target, direction in ((lower, upper, "+"), (upper, lower, "-")):
                guards = {}
                if rate is not None and not template.unguarded:
                    guards = {rate: cells_of(self.spaces[known[rate].space], (direction,))}
                name = f"{part.id}.{source}.{target}"
                self.declarations.append(Declaration(name, part.id, source, target, event, guards, {by: cells[target]}))


def variable_id(part: Part, quantity: str) -> str:
    """Id of a quantity of a part, e.g. `mass1.v`."""
    return f"{part.id}.{type_table().quantities[part.type.domain][quantity].id}"


def cells_of(space: QuantitySpace, symbols: Sequence[str]) -> tuple[str, ...]:
    """The cells of a space that symbols stand for: all of a sign, or those of a regime."""
    signs = {"-": -1, "0": 0, "+": 1}
    found = []
    for place, cell in enumerate(space.cells):
        regime = REGIME_CELLS[place] if len(space.cells) == len(REGIME_CELLS) else None
        if regime in symbols or any(signs[symbol] == cell.sign for symbol in symbols if symbol in signs):
            found.append(cell.id)
    return tuple(found)


def _named(terms: str, names: Mapping[str, str]) -> str:
    tokens = []
    for token in terms.split():
        quantity, mark, power = token.partition("^")
        tokens.append(token if token in ("+", "-", "*") else names[quantity] + mark + power)
    return " ".join(tokens)


def _normal(law: Confluence) -> tuple[str, ...]:
    """The same for a law and for the law with all signs turned, whatever the order of terms."""
    both = (tuple(sorted(repr((turn * term.sign, term.factors)) for term in law.terms)) for turn in (1, -1))
    return min(both)
