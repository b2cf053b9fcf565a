"""The second checker's interpretations against a filter over the whole product."""

from __future__ import annotations

import random
from itertools import product

import pytest
from second_worlds import declaration, document, law, node, restriction, variable

from scilaws_bench.errors import MechanismError
from scilaws_builders.mechreasoner.second_checker import world_of

SIGN = {"-": -1, "0": 0, "+": 1}


@pytest.mark.parametrize(
    ("terms", "holding"),
    [
        ("+p", {"0 -", "0 0", "0 +"}),
        ("+p -q", {"- -", "0 0", "+ +"}),
        ("+p +q", {"- +", "0 0", "+ -"}),
        ("+p^2 -q", {"0 0", "- +", "+ +"}),
        ("+p^3 -q", {"- -", "0 0", "+ +"}),
        ("+p*q", {"- 0", "0 0", "+ 0", "0 -", "0 +"}),
        ("+p -p +q", {"- -", "- 0", "- +", "0 0", "+ -", "+ 0", "+ +"}),
    ],
)
def test_a_law_holds_where_all_terms_vanish_or_both_signs_stand(terms: str, holding: set[str]) -> None:
    world = world_of(document([variable("p"), variable("q")], [law("only", terms)]), {})
    assert set(world.episodes) == {node(cells) for cells in holding}


def test_a_law_counts_only_in_the_states_that_meet_all_its_conditions() -> None:
    states = {"A": ["ON", "OFF"], "B": ["ON", "OFF"]}
    zero = law("zero", "+p", A=["ON"], B=["ON"])
    world = world_of(document([variable("p")], [zero], states=states), {})
    numbers = {state: sum(x.state == state for x in world.episodes) for state in world.states}
    assert numbers == {("ON", "ON"): 1, ("ON", "OFF"): 3, ("OFF", "ON"): 3, ("OFF", "OFF"): 3}


def test_restrictions_of_state_and_scenario_all_apply() -> None:
    limits = [restriction("ONE", "ONLY", "p", "-", "0"), restriction("ONE", "ONLY", "p", "0", "+")]
    world = world_of(document([variable("p"), variable("q")], restrictions=limits), {"q": ["+"]})
    assert world.episodes == (node("0 +"),)


def test_a_state_without_a_cell_left_has_no_episode() -> None:
    limits = [restriction("ONE", "ONLY", "p", "-")]
    assert world_of(document([variable("p"), variable("q")], restrictions=limits), {"p": ["+"]}).episodes == ()


@pytest.mark.parametrize(("name", "cells", "found"), [("nothing", ["+"], "nothing"), ("p", ["+", "huge"], "huge")])
@pytest.mark.parametrize("place", ["scenario", "restriction", "source_guards", "target_guards"])
def test_a_restriction_to_what_is_not_there_is_refused(place: str, name: str, cells: list[str], found: str) -> None:
    parts = {}
    if place == "restriction":
        parts["restrictions"] = [restriction("ONE", "ONLY", name, *cells)]
    elif place != "scenario":
        parts["declarations"] = [declaration("ONE", "ONLY", "ONLY", None, **{place: {name: cells}})]
    with pytest.raises(MechanismError, match=f"found .*{found}"):
        world_of(document([variable("p")], **parts), {name: cells} if place == "scenario" else {})


@pytest.mark.parametrize("seed", range(60))
def test_early_refusal_loses_and_adds_nothing(seed: int) -> None:
    rng = random.Random(seed)
    names = "pqrst"
    signed = [
        [
            (rng.choice([-1, 1]), [(rng.choice(names), rng.choice([1, 1, 2, 3])) for _ in range(rng.randint(1, 3))])
            for _ in range(rng.randint(1, 4))
        ]
        for _ in range(rng.randint(1, 4))
    ]
    written = [
        law(f"l{i}", " ".join("+-"[sign < 0] + "*".join(f"{n}^{e}" for n, e in factors) for sign, factors in terms))
        for i, terms in enumerate(signed)
    ]
    context = {name: rng.sample(["-", "0", "+"], rng.randint(1, 3)) for name in rng.sample(names, 2)}

    def holds(cells: dict[str, str]) -> bool:
        for terms in signed:
            signs = set()
            for sign, factors in terms:
                for name, exponent in factors:
                    sign *= SIGN[cells[name]] ** exponent
                signs.add(sign)
            if not (signs == {0} or signs >= {-1, 1}):
                return False
        return all(cells[name] in allowed for name, allowed in context.items())

    expected = {
        node(" ".join(cells)) for cells in product("-0+", repeat=5) if holds(dict(zip(names, cells, strict=True)))
    }
    found = world_of(document([variable(name) for name in names], written), context).episodes
    assert len(found) == len(set(found))
    assert set(found) == expected
