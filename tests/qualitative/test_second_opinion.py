"""The episode graph against a second checker that was written from the paper alone and shares no code with it.

Both read the same document; every episode, every cause and every edge must be the same by name.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from random_mechanisms import random_document

from scilaws_bench.qualitative import document_of_mechanism, mechanism_from_document
from scilaws_bench.qualitative.episodes import EpisodeGraph
from scilaws_bench.qualitative.solver import episode_table
from scilaws_builders.mechreasoner import catalogue
from scilaws_builders.mechreasoner.second_checker import Cause, Edge, Episode, causes_of, edges_of, world_of

# Worlds above this size are left out: the second checker is plain Python and looks at pairs.
MOST_EPISODES = 2000
CHUNK = 50

Opinion = tuple[set[Cause], set[Edge]]
Restrictions = Mapping[str, Sequence[str]]


def first_opinion(document: dict[str, Any], restrictions: Restrictions) -> dict[Episode, Opinion] | None:
    """Causes and edges of every episode by the SDK's graph; None for a world too large to compare."""
    table = episode_table(
        mechanism_from_document(document), {name: tuple(cells) for name, cells in restrictions.items()}
    )
    if len(table) > MOST_EPISODES:
        return None
    graph = EpisodeGraph(table)
    nodes = [Episode(one.state, one.cells) for one in map(table.episode, range(len(table)))]

    def names(cause: Any) -> Cause:
        return frozenset(event.variable for event in cause)

    return {
        node: (
            {names(cause) for cause in graph.causes(row)},
            {(nodes[edge.target], names(edge.cause)) for edge in graph.edges(row)},
        )
        for row, node in enumerate(nodes)
    }


def second_opinion(document: dict[str, Any], restrictions: Restrictions) -> dict[Episode, Opinion]:
    """The same by the second checker."""
    world = world_of(document, restrictions)
    return {x: (set(causes_of(world, x)), edges_of(world, x)) for x in world.episodes}


def compare(document: dict[str, Any], *, scenarios: slice = slice(None)) -> dict[str, int]:
    """Assert that both agree in these scenarios; what was compared, counted."""
    numbers = {"worlds": 0, "too large": 0, "episodes": 0, "edges": 0, "boundary edges": 0, "joint causes": 0}
    for scenario in document["scenarios"][scenarios]:
        first = first_opinion(document, scenario["context"])
        if first is None:
            numbers["too large"] += 1
            continue
        second = second_opinion(document, scenario["context"])
        place = f"{document['id']} {scenario['id']}"
        assert set(first) == set(second), place
        for x, (causes, edges) in first.items():
            assert causes == second[x][0], (place, x)
            assert edges == second[x][1], (place, x)
            numbers["edges"] += len(edges)
            numbers["boundary edges"] += sum(bool(cause) for _, cause in edges)
            numbers["joint causes"] += sum(len(cause) > 1 for cause in causes)
        numbers["worlds"] += 1
        numbers["episodes"] += len(first)
    return numbers


def added(counts: list[dict[str, int]]) -> dict[str, int]:
    return {name: sum(one[name] for one in counts) for name in counts[0]}


def test_both_agree_on_150_random_mechanisms() -> None:
    """One scenario each, free and held in turn."""
    numbers = added(
        [compare(random_document(seed, variables=5), scenarios=slice(seed % 2, None, 2)) for seed in range(150)]
    )
    assert numbers["worlds"] == 150 - numbers["too large"] >= 145
    # A comparison of empty sets would agree too.
    assert numbers["episodes"] > 5000
    assert numbers["edges"] > numbers["boundary edges"] > 2000
    assert numbers["joint causes"] > 100


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 3000, CHUNK))
def test_both_agree_on_2000_random_mechanisms(start: int) -> None:
    numbers = added([compare(random_document(seed)) for seed in range(start, start + CHUNK)])
    assert numbers["worlds"] + numbers["too large"] == 2 * CHUNK
    assert numbers["too large"] <= 8
    assert numbers["boundary edges"] > 1000


def jumping_rates(document: dict[str, Any]) -> None:
    """Derivatives that are not continuous: one cell under the empty cause, free at events."""
    _each(document, lambda one: one["role"] == "derivative", continuous=False)


def jumping_coordinates(document: dict[str, Any]) -> None:
    """Coordinates that are not continuous: their events still reach the nearest cell only."""
    _each(document, lambda one: one["derivative"] is not None, continuous=False)


def rates_of_dependent_role(document: dict[str, Any]) -> None:
    """A coordinate's derivative that is an ordinary quantity and so needs a causal path."""
    _each(document, lambda one: one["role"] == "derivative", role="quantity")


def rates_that_are_inputs(document: dict[str, Any]) -> None:
    """A coordinate driven by a fixed input."""
    _each(document, lambda one: one["role"] == "derivative", role="input")


def derivatives_of_nothing(document: dict[str, Any]) -> None:
    """Quantities with the role of a derivative that no variable declares."""
    _each(document, lambda one: one["role"] == "quantity" and not one["derivative"], role="derivative")


def rates_with_levels(document: dict[str, Any]) -> None:
    """Derivatives over seven cells: a move of one cell need not change the sign."""
    _each(document, lambda one: one["role"] == "derivative", space="levels")
    names = {one["id"]: one["space"] for one in document["variables"]}
    document["restrictions"] = [one for one in document["restrictions"] if names[one["variable"]] != "levels"]
    limited = [scenario["context"] for scenario in document["scenarios"]]
    limited += [one[side] for one in document["declarations"] for side in ("source_guards", "target_guards")]
    for restrictions in limited:
        for name in [name for name in restrictions if names[name] == "levels"]:
            del restrictions[name]


def laws_with_two_conditions(document: dict[str, Any]) -> None:
    """A second condition on the same component: both must hold."""
    first_states = {one["id"]: one["states"][:1] for one in document["components"]}
    for law in document["confluences"]:
        owners = [condition["component"] for condition in law["active"][:1]]
        law["active"] += [{"component": owner, "states": first_states[owner]} for owner in owners]


CHANGES = [
    jumping_rates,
    jumping_coordinates,
    rates_of_dependent_role,
    rates_that_are_inputs,
    derivatives_of_nothing,
    rates_with_levels,
    laws_with_two_conditions,
]


def _each(document: dict[str, Any], chosen: Any, **values: Any) -> None:
    for one in filter(chosen, document["variables"]):
        one.update(values)


def unusual(change: Any, seeds: range, variables: int) -> dict[str, int]:
    """Compare the random mechanisms that a change changes."""
    counts = []
    for seed in seeds:
        plain = random_document(seed, variables=variables)
        changed = copy.deepcopy(plain)
        change(changed)
        if changed != plain:
            counts.append(compare(changed))
    return added(counts)


@pytest.mark.parametrize("change", CHANGES)
def test_both_agree_on_what_random_mechanisms_never_have(change: Any) -> None:
    assert unusual(change, range(12), 4)["edges"] > 20


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES)
def test_both_agree_on_many_mechanisms_of_unusual_kinds(change: Any) -> None:
    assert unusual(change, range(3000, 3100), 5)["edges"] > 1000


QUICK = ("electrical_resistor", "thermal_three_node_chain", "thermal_two_masses")
"""Catalogue mechanisms compared in every run; `make test-slow` takes all that are small enough."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in catalogue.ids()]
)
def test_both_agree_on_the_catalogue(name: str) -> None:
    document = document_of_mechanism(catalogue.load(name).mechanism)
    numbers = compare(document)
    assert numbers["edges"] > 0 or numbers["too large"] > 0
