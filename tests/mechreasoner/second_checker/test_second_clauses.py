"""Each clause refused on its own, and the edges of small worlds worked out by hand (paper A.4)."""

from __future__ import annotations

import pytest
from second_worlds import (
    cause,
    chain,
    linked,
    mass_and_spring,
    moving,
    node,
    pushed_body,
    ring,
    two_free,
    two_tied_and_one,
    valve,
)

from scilaws_builders.mechreasoner.second_checker import CLAUSES, admitted, edges_of, refusals

A, B = ("A",), ("B",)
# World, source, target, cause, clauses that refuse. Variables: p dp q dq | x v y q r | x v q k u | level flow alarm.
TRIPLES = [
    ("allowed", two_free, node("+ - - +"), node("0 - - +"), "p", ""),
    ("moves a coordinate without event", two_free, node("+ - - +"), node("0 - 0 +"), "p", "E1"),
    ("event not taken", two_free, node("+ - - +"), node("+ 0 - +"), "p", "E1 E2"),
    ("event skips a cell", two_free, node("+ - - +"), node("- - - +"), "p", "E1 E2 E6"),
    ("two terminations that could come apart", two_free, node("+ - - +"), node("0 - 0 +"), "p q", "E3"),
    ("termination before departure", two_free, node("0 + - +"), node("0 + 0 +"), "q", "E3"),
    ("departure not united", two_free, node("0 + 0 +"), node("+ + 0 +"), "p", "E3"),
    ("departure mixed with termination", two_free, node("0 + - +"), node("+ + 0 +"), "p q", "E3"),
    ("empty cause before departure", two_free, node("0 + - +"), node("0 0 - +"), "", "E3"),
    ("against its derivative", two_free, node("+ + - +"), node("0 + - +"), "p", "E1 E2 E3 E7"),
    ("moves while its derivative is zero", two_free, node("+ 0 - +"), node("0 0 - +"), "", "E1 E7"),
    ("half of a coincidence", two_tied_and_one, node("+ + + - - -"), node("0 + + - - -"), "p", "E5"),
    ("unsolved target", mass_and_spring, moving("+ + -"), moving("+ 0 +"), "v", "E5 E6"),
    ("a change on its own", linked, node("+ + + + +", *A), node("+ + 0 + +", *A), "", "E4 E8"),
    ("a law with the event's variable", linked, node("- + + + +", *A), node("0 + 0 + +", *A), "x", ""),
    ("ring beside the event", ring, node("- + - + +"), node("0 + 0 0 0"), "x", "E8"),
    ("ring without event", ring, node("+ + + + +"), node("+ + + 0 0"), "", "E8"),
    ("image of the event", ring, node("- + - + +"), node("0 + 0 + +"), "x", ""),
    ("along a chain", chain, node("- + + + +"), node("0 + 0 0 0"), "x", ""),
    ("past a link that stays", chain, node("- + + + +"), node("0 + + 0 0"), "x", "E8"),
    ("from an event that did not happen", chain, node("- + + + +"), node("- + 0 0 0"), "x", "E1 E2 E8"),
    ("dependent jump", linked, node("- + + + +", *A), node("0 + - + +", *A), "x", "E6"),
    ("derivative jump", linked, node("- + + + +", *A), node("0 - + + +", *A), "x", "E6"),
    ("parameter moves", linked, node("- + + + +", *A), node("0 + + 0 +", *A), "x", "E1"),
    ("fixed input moves", linked, node("- + + + +", *A), node("0 + + + 0", *A), "x", "E1"),
    ("derivative moves without event", linked, node("+ + + + +", *A), node("+ 0 + + +", *A), "", ""),
    ("derivative moves with the event", linked, node("- + + + +", *A), node("0 0 + + +", *A), "x", ""),
    ("declared", linked, node("+ + + + +", *A), node("+ + + + +", *B), "", ""),
    ("not declared", linked, node("+ + + + +", *B), node("+ + + + +", *A), "", "Decl"),
]


@pytest.mark.parametrize(
    ("make", "x", "y", "c", "names"), [row[1:] for row in TRIPLES], ids=[row[0] for row in TRIPLES]
)
def test_refusals_by_hand(make, x, y, c, names) -> None:
    world = make()
    assert x in world.nodes
    assert refusals(world, x, y, cause(c)) == names.split()
    if not names:
        assert admitted(world, x, y, cause(c))
    assert ((y, cause(c)) in edges_of(world, x)) == (not names)


def test_every_clause_is_tripped_above() -> None:
    assert {name for row in TRIPLES for name in row[5].split()} == set(CLAUSES)


def test_what_is_discontinuous_may_jump() -> None:
    x, y = node("- + + + +", *A), node("0 + - + +", *A)
    assert refusals(linked(continuous=False), x, y, cause("x")) == []


@pytest.mark.parametrize(
    ("target", "c", "names"), [("0 - + + +", "x", []), ("- - + + +", "", ["E6"]), ("- 0 + + +", "", [])]
)
def test_a_discontinuous_derivative_jumps_at_events_only(target: str, c: str, names: list[str]) -> None:
    """Under the empty cause a derivative moves one cell at most, continuous or not (A2)."""
    world = linked(dynamic_continuous=False)
    assert refusals(world, node("- + + + +", *A), node(target, *A), cause(c)) == names


@pytest.mark.parametrize(("states", "names"), [(["A"], []), (["B"], []), (["A", "B"], [])])
def test_a_law_of_either_end_carries_a_change(states: list[str], names: list[str]) -> None:
    world = linked(active={"PART": states})
    assert refusals(world, node("- + + + +", *A), node("0 + 0 + +", *B), cause("x")) == names


def test_a_law_of_neither_end_carries_nothing() -> None:
    world = linked(active={"PART": ["B"]})
    assert refusals(world, node("- + + + +", *A), node("0 + 0 + +", *A), cause("x")) == ["E4", "E8"]


# Guards of the valve's declaration OPEN → CLOSED, and whether it licenses (part, + , 0) → (full, +, 0) by `level`.
GUARDS = [
    ({}, True),
    ({"source_guards": {"level": ["part"]}}, True),
    ({"source_guards": {"level": ["full"]}}, False),
    ({"source_guards": {"level": ["part"], "flow": ["0"]}}, False),
    ({"target_guards": {"level": ["full"]}}, True),
    ({"target_guards": {"level": ["part"]}}, False),
    ({"target_guards": {"alarm": ["-", "0"]}}, True),
    ({"source_guards": {"level": ["part"]}, "target_guards": {"flow": ["0"]}}, False),
    ({"event": None}, True),
    ({"event": "flow"}, False),
]


@pytest.mark.parametrize(("guards", "fits"), GUARDS)
def test_a_declaration_licenses_only_what_its_guards_and_event_allow(guards, fits) -> None:
    world = valve(**guards)
    x, y = node("part + 0", "OPEN"), node("full + 0", "CLOSED")
    assert refusals(world, x, y, cause("level")) == ([] if fits else ["Decl"])


def test_a_component_that_stays_needs_no_declaration() -> None:
    assert refusals(valve(event="flow"), node("part + 0", "OPEN"), node("full + 0", "OPEN"), cause("level")) == []


def test_mass_and_spring_turn_in_one_ring() -> None:
    ring_of_eight = ["0 + 0", "+ + -", "+ 0 -", "+ - -", "0 - 0", "- - +", "- 0 +", "- + +"]
    events = ["x", "v", "v", "x", "x", "v", "v", "x"]
    world = mass_and_spring()
    assert len(world.episodes) == 9
    for here, there, event in zip(ring_of_eight, ring_of_eight[1:] + ring_of_eight[:1], events, strict=True):
        assert edges_of(world, moving(here)) == {(moving(there), cause(event))}
    assert edges_of(world, moving("0 0 0")) == set()


def test_a_body_departs_from_rest() -> None:
    world = pushed_body()
    assert edges_of(world, moving("0 0 + +")) == {(moving("0 + + +"), cause("v"))}
    assert edges_of(world, moving("0 + + +")) == {(moving("+ + + +"), cause("x"))}
    assert edges_of(world, moving("+ + + +")) == set()
    assert edges_of(world, moving("+ - + +")) == {
        (moving("0 - + +"), cause("x")),
        (moving("+ 0 + +"), cause("v")),
    }


def test_two_free_coordinates_end_one_at_a_time_while_rates_drift() -> None:
    found = edges_of(two_free(), node("+ - - +"))
    drifts = [(dp, dq) for dp in "-0" for dq in "0+"]
    ends = {(node(f"0 {dp} - {dq}"), cause("p")) for dp, dq in drifts}
    ends |= {(node(f"+ {dp} 0 {dq}"), cause("q")) for dp, dq in drifts}
    only_rates = {(node(f"+ {dp} - {dq}"), cause("")) for dp, dq in drifts if (dp, dq) != ("-", "+")}
    assert found == ends | only_rates


def test_tied_coordinates_end_together() -> None:
    # The rates may not be zero here and move one cell at most, so they stay.
    assert edges_of(two_tied_and_one(), node("+ + + - - -")) == {
        (node("0 0 + - - -"), cause("p q")),
        (node("+ + 0 - - -"), cause("r")),
    }


def test_nothing_is_admitted_from_what_is_no_episode_or_to_itself() -> None:
    world = mass_and_spring()
    assert not admitted(two_free(), node("0 0 0 0"), node("0 0 0 0"), cause(""))
    assert refusals(world, moving("+ + 0"), moving("+ + -"), cause("")) == []
    assert not admitted(world, moving("+ + 0"), moving("+ + -"), cause(""))
