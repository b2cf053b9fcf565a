"""A world: one mechanism under one set of restrictions, with every episode it has (Definitions 1 and 2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

from scilaws_bench.errors import MechanismError

from .interpretations import Domain, Law, Term, interpretations

# {variable: names of the cells it may take}
Restrictions = Mapping[str, Sequence[str]]


class Episode(NamedTuple):
    """A composite state and an interpretation, by names, in the document's order; equal to the plain pair."""

    state: tuple[str, ...]
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Quantity:
    """A variable and its ordered cells; `role` and `derivative` as in the document."""

    name: str
    role: str
    derivative: str | None
    continuous: bool
    cells: tuple[str, ...]
    points: frozenset[str]
    signs: Domain

    @property
    def is_coordinate(self) -> bool:
        """Whether the variable has a declared derivative."""
        return self.derivative is not None

    @property
    def is_held(self) -> bool:
        """Whether only an event may change it: a coordinate; a parameter or a fixed input never changes."""
        return self.is_coordinate or self.role in {"parameter", "input"}

    def neighbour(self, cell: str, direction: int) -> str | None:
        """The next cell upwards (1) or downwards (-1); None where the space ends."""
        place = self.cells.index(cell) + direction
        return self.cells[place] if 0 <= place < len(self.cells) else None


@dataclass(frozen=True)
class Declaration:
    """A declared change of one component's state; guards are (variable, cells) pairs."""

    component: str
    source: str
    target: str
    event: str | None
    source_guards: tuple[tuple[str, frozenset[str]], ...]
    target_guards: tuple[tuple[str, frozenset[str]], ...]


@dataclass(frozen=True)
class World:
    """A mechanism under restrictions, and all its episodes.

    `components` and `quantities` are in the document's order, as are an episode's states and cells;
    `states` are all composite states, with episodes or without.
    """

    components: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    quantities: Mapping[str, Quantity]
    laws: tuple[Law, ...]
    declarations: tuple[Declaration, ...]
    episodes: tuple[Episode, ...]

    @cached_property
    def places(self) -> Mapping[str, int]:
        """Place of each variable in `Episode.cells`."""
        return {name: place for place, name in enumerate(self.quantities)}

    @cached_property
    def nodes(self) -> frozenset[Episode]:
        """The episodes, to ask for one."""
        return frozenset(self.episodes)

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """Variables with a declared derivative."""
        return tuple(name for name, quantity in self.quantities.items() if quantity.is_coordinate)

    @cached_property
    def held(self) -> tuple[str, ...]:
        """Variables that stay unless an event moves them: coordinates, parameters, inputs without derivative."""
        return tuple(name for name, quantity in self.quantities.items() if quantity.is_held)

    @cached_property
    def by_held_cells(self) -> Mapping[tuple[str | None, ...], tuple[Episode, ...]]:
        """Episodes grouped by the cells of the variables in `held`."""
        groups: dict[tuple[str | None, ...], list[Episode]] = {}
        for episode in self.episodes:
            groups.setdefault(tuple(self.cell(episode, name) for name in self.held), []).append(episode)
        return {cells: tuple(group) for cells, group in groups.items()}

    @cached_property
    def links(self) -> Mapping[tuple[str, ...], tuple[frozenset[str], ...]]:
        """For each composite state the variables of each law active there."""
        return {
            state: tuple(
                law.variables for law in self.laws if law.active_in(dict(zip(self.components, state, strict=True)))
            )
            for state in self.states
        }

    def cell(self, episode: Episode, name: str) -> str:
        """The cell of a variable in an episode."""
        return episode.cells[self.places[name]]


def world_of(document: Mapping[str, Any], restrictions: Restrictions) -> World:
    """The world of a mechanism document (`mechanism.schema.json`) under a scenario's restrictions.

    Args:
        document: a document that follows the schema.
        restrictions: {variable: names of the cells it may take}, a scenario's `context` for example.

    Raises:
        MechanismError: a restriction names a variable or a cell that is not there.
    """
    quantities = {item["id"]: _quantity(item, document["spaces"]) for item in document["variables"]}
    laws = tuple(_law(item) for item in document["confluences"])
    declarations = tuple(_declaration(item) for item in document["declarations"])
    _check("scenario", restrictions, quantities)
    for item in document["restrictions"]:
        _check(f"{item['component']} in {item['state']}", {item["variable"]: item["cells"]}, quantities)
    for declared in declarations:
        _check(f"declaration of {declared.component}", dict(declared.source_guards), quantities)
        _check(f"declaration of {declared.component}", dict(declared.target_guards), quantities)
    components = tuple(item["id"] for item in document["components"])
    states = tuple(product(*(item["states"] for item in document["components"])))
    episodes = tuple(
        Episode(state, tuple(found[name] for name in quantities))
        for state in states
        for found in _interpretations(
            dict(zip(components, state, strict=True)), document, restrictions, quantities, laws
        )
    )
    return World(components, states, quantities, laws, declarations, episodes)


def _interpretations(
    state: Mapping[str, str],
    document: Mapping[str, Any],
    restrictions: Restrictions,
    quantities: Mapping[str, Quantity],
    laws: Sequence[Law],
) -> Iterator[dict[str, str]]:
    allowed = [(name, frozenset(cells)) for name, cells in restrictions.items()]
    for item in document["restrictions"]:
        if state[item["component"]] == item["state"]:
            allowed.append((item["variable"], frozenset(item["cells"])))
    domains = {
        name: {
            cell: sign
            for cell, sign in quantity.signs.items()
            if all(cell in cells for variable, cells in allowed if variable == name)
        }
        for name, quantity in quantities.items()
    }
    return interpretations(domains, [law for law in laws if law.active_in(state)])


def _quantity(item: Mapping[str, Any], spaces: Sequence[Mapping[str, Any]]) -> Quantity:
    (cells,) = (space["cells"] for space in spaces if space["id"] == item["space"])
    return Quantity(
        item["id"],
        item["role"],
        item["derivative"],
        item["continuous"],
        tuple(cell["id"] for cell in cells),
        frozenset(cell["id"] for cell in cells if cell["kind"] == "point"),
        {cell["id"]: cell["sign"] for cell in cells},
    )


def _law(item: Mapping[str, Any]) -> Law:
    terms = tuple(
        Term(term["sign"], tuple((factor["variable"], factor["exponent"]) for factor in term["factors"]))
        for term in item["terms"]
    )
    conditions = tuple((condition["component"], frozenset(condition["states"])) for condition in item["active"])
    return Law(item["id"], terms, conditions)


def _declaration(item: Mapping[str, Any]) -> Declaration:
    guards = [
        tuple((name, frozenset(cells)) for name, cells in item[side].items())
        for side in ("source_guards", "target_guards")
    ]
    return Declaration(item["component"], item["source"], item["target"], item["event"], guards[0], guards[1])


def _check(
    thing: str, restrictions: Mapping[str, Sequence[str] | frozenset[str]], quantities: Mapping[str, Quantity]
) -> None:
    for name, cells in restrictions.items():
        if name not in quantities:
            raise MechanismError(thing, "a variable of the mechanism", repr(name), "Name a variable of the document.")
        unknown = sorted(set(cells) - set(quantities[name].cells))
        if unknown:
            raise MechanismError(
                f"{thing}, variable {name}",
                f"cells among {', '.join(quantities[name].cells)}",
                ", ".join(unknown),
                "Name cells of the variable's space.",
            )
