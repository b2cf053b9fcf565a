"""Which sets of events are causes, worked out by hand (paper A.4; table 3.6, A1 and A3)."""

from __future__ import annotations

import pytest
from second_worlds import (
    cause,
    document,
    law,
    linked,
    mass_and_spring,
    moving,
    node,
    pushed_body,
    ring,
    two_free,
    two_tied_and_one,
    valve,
    variable,
)

from scilaws_builders.mechreasoner.second_checker import causes_of, is_cause, world_of
from scilaws_builders.mechreasoner.second_checker.causes import departures, event_target, subsets, terminations

# World, episode, its causes.
CASES = [
    # Mass and spring: x away and outward has no event of x (the space ends), only v's.
    (mass_and_spring, moving("0 + 0"), ["x"]),
    (mass_and_spring, moving("+ + -"), ["", "v"]),
    (mass_and_spring, moving("+ 0 -"), ["v"]),
    (mass_and_spring, moving("+ - -"), ["", "x"]),
    (mass_and_spring, moving("0 0 0"), [""]),
    # At rest and pushed only v departs: x has no direction yet.
    (pushed_body, moving("0 0 + +"), ["v"]),
    # A departure of x keeps v from its termination.
    (pushed_body, moving("0 - + +"), ["x"]),
    # x and v could terminate: each on its own, never as one cause.
    (pushed_body, moving("+ - + +"), ["", "x", "v"]),
    (two_free, node("+ - - +"), ["", "p", "q"]),
    (two_free, node("+ - - -"), ["", "p"]),
    (two_free, node("0 + 0 -"), ["p q"]),
    (two_free, node("0 + + -"), ["p"]),
    (two_free, node("0 0 + -"), ["", "q"]),
    (two_free, node("- + 0 0"), ["", "p"]),
    # Tied coordinates terminate together; the third one is a cause of its own.
    (two_tied_and_one, node("+ + + - - -"), ["", "r", "p q"]),
    (two_tied_and_one, node("+ + - - - -"), ["", "p q"]),
    (two_tied_and_one, node("0 0 0 + + -"), ["p q r"]),
    # A tank that ends in points: full and filling has no event, part full terminates at full.
    (lambda: valve(), node("full + 0", "OPEN"), [""]),
    (lambda: valve(), node("part + 0", "OPEN"), ["", "level"]),
    (lambda: valve(), node("empty + 0", "OPEN"), ["level"]),
]


@pytest.mark.parametrize(("make", "x", "expected"), CASES, ids=range(len(CASES)))
def test_causes_by_hand(make, x, expected) -> None:
    world = make()
    assert x in world.nodes
    found = causes_of(world, x)
    assert len(found) == len(set(found))
    assert set(found) == {cause(names) for names in expected}


def test_a_termination_that_no_episode_realises_is_no_cause() -> None:
    world = world_of(document([variable("p", rate="dp"), variable("dp", "derivative")]), {"p": ["+"], "dp": ["-"]})
    assert causes_of(world, node("+ -")) == [cause("")]


@pytest.mark.parametrize("tied", ["k", "u", "other"])
def test_a_termination_realised_only_with_another_parameter_or_input_is_no_cause(tied: str) -> None:
    """What is held must stay; a dependent quantity may follow."""
    variables = [variable("p", rate="dp"), variable("dp", "derivative")]
    variables += [variable("k", "parameter"), variable("u", "input"), variable("other")]
    world = world_of(document(variables, [law("tie", f"+p -{tied}")]), {"dp": ["-"], "p": ["0", "+"]})
    x = node("+ - + + +")
    assert set(causes_of(world, x)) == {cause(""), *([cause("p")] if tied == "other" else [])}


@pytest.mark.parametrize(
    ("space", "cell", "rate", "target"),
    [
        ("tank", "empty", "-", None),
        ("tank", "empty", "+", "part"),
        ("tank", "part", "-", "empty"),
        ("tank", "part", "0", None),
        ("tank", "full", "+", None),
        ("tank", "full", "-", "part"),
        ("signs", "-", "-", None),
        ("signs", "-", "+", "0"),
        ("adjoining", "low", "+", None),
    ],
)
def test_an_event_ends_at_a_neighbouring_point_or_leaves_one(space, cell, rate, target) -> None:
    world = world_of(document([variable("p", rate="dp", space=space), variable("dp", "derivative")]), {})
    assert event_target(world, node(f"{cell} {rate}"), "p") == target


def test_departures_and_terminations_are_told_apart() -> None:
    world, x = two_free(), node("0 + - +")
    assert (departures(world, x), terminations(world, x)) == (cause("p"), cause("q"))


@pytest.mark.parametrize("names", ["q", "x q", "k", "u", "v"])
def test_what_is_no_coordinate_causes_nothing(names: str) -> None:
    world = linked()
    assert not is_cause(world, node("- + + + +", "A"), cause(names))


def test_departures_are_a_cause_even_when_nothing_realises_them() -> None:
    """A dead end: the departure is mandatory, so nothing else may happen (A3)."""
    world = world_of(document([variable("p", rate="dp"), variable("dp", "derivative")]), {"p": ["0"], "dp": ["+"]})
    assert causes_of(world, node("0 +")) == [cause("p")]


@pytest.mark.parametrize("make", [mass_and_spring, pushed_body, two_free, ring, linked])
def test_realised_sets_by_their_definition(make) -> None:
    """Without groups, tables or short cuts: some episode has the events' targets and all else that is held as in x."""
    world = make()
    for x in world.episodes[:: max(1, len(world.episodes) // 20)]:
        events = [name for name in world.coordinates if event_target(world, x, name)]
        realised = {
            c
            for c in subsets(events)
            if any(
                all(
                    world.cell(y, name) == (event_target(world, x, name) if name in c else world.cell(x, name))
                    for name, quantity in world.quantities.items()
                    if quantity.derivative or quantity.role in ("parameter", "input")
                )
                for y in world.episodes
            )
        }
        departing = {name for name in events if world.cell(x, name) in ("0", "empty", "full")}
        minimal = {c for c in realised if c and not any(part and part < c for part in realised)}
        assert set(causes_of(world, x)) == ({frozenset(departing)} if departing else {frozenset()} | minimal)
