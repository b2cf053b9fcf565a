"""Four ways to the same relation: reference, factored, all states at once, and CP-SAT."""

from __future__ import annotations

import numpy as np
import pytest
from cp_sat_oracle import enumerate_episodes
from random_mechanisms import random_mechanism, random_restrictions

from scilaws_bench.qualitative import EpisodeTable, Mechanism, Restrictions
from scilaws_bench.qualitative.solver import FactoredSolver, ReferenceSolver, consistent_states, episode_table

QUICK = 300
SLOW = 2600
BATCH = 50
CP_SAT_QUICK = 60


def _question(seed: int, **sizes: int) -> tuple[Mechanism, Restrictions]:
    mechanism = random_mechanism(seed, **sizes)
    return mechanism, random_restrictions(np.random.default_rng(10**6 + seed), mechanism)


def _episodes(table: EpisodeTable) -> list[tuple[int, ...]]:
    return [tuple(row) for row in np.hstack([table.states, table.cells]).tolist()]


def _agree(seed: int, *, cp_sat: bool, **sizes: int) -> None:
    """Every composite state by both solvers, their union against the joint table, that against CP-SAT."""
    mechanism, restrictions = _question(seed, **sizes)
    episodes = []
    consistent = []
    for state in mechanism.composite_states():
        reference = ReferenceSolver().solve(mechanism, state, restrictions)
        fast = FactoredSolver().solve(mechanism, state, restrictions)
        rows = reference.rows()
        assert fast.count == reference.count == len(rows), (seed, state)
        assert np.array_equal(fast.rows(), rows), (seed, state)
        assert fast.forced == reference.forced, (seed, state)
        assert fast.is_empty == reference.is_empty
        names = zip(mechanism.components, state, strict=True)
        place = tuple(component.states.index(name) for component, name in names)
        episodes += [place + tuple(row) for row in rows.tolist()]
        consistent += [state] * (not reference.is_empty)
    table = _episodes(episode_table(mechanism, restrictions))
    assert table == sorted(episodes), seed
    assert consistent_states(mechanism, restrictions) == tuple(consistent), seed
    if cp_sat:
        found, complete = enumerate_episodes(mechanism, restrictions)
        assert complete
        assert found == set(table), seed


@pytest.mark.parametrize("first", range(0, QUICK, BATCH))
def test_reference_factored_and_joint_agree(first: int) -> None:
    for seed in range(first, first + BATCH):
        _agree(seed, cp_sat=False)


def test_cp_sat_agrees() -> None:
    for seed in range(CP_SAT_QUICK):
        _agree(seed, cp_sat=True, variables=4)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(QUICK, QUICK + SLOW, BATCH))
def test_all_four_agree_on_many(first: int) -> None:
    for seed in range(first, first + BATCH):
        _agree(seed, cp_sat=True)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 200, BATCH))
def test_all_four_agree_on_larger_ones(first: int) -> None:
    for seed in range(5000 + first, 5000 + first + BATCH):
        _agree(seed, cp_sat=True, variables=8, components=4)


def test_the_random_mechanisms_show_every_feature() -> None:
    """What the agreement above rests on: none of these features is missing from the quick seeds."""
    mechanisms = [random_mechanism(seed) for seed in range(QUICK)]
    variables = [variable for mechanism in mechanisms for variable in mechanism.variables]
    laws = [law for mechanism in mechanisms for law in mechanism.confluences]
    factors = [[factor.variable for factor in term.factors] for law in laws for term in law.terms]
    assert {variable.role for variable in variables} == {"parameter", "input", "quantity", "derivative"}
    assert any(not variable.continuous for variable in variables)
    assert any(law.active for law in laws)
    assert any(len(set(names)) < len(names) for names in factors)
    assert any(len(term.factors) == 1 and term.factors[0].exponent == 2 for law in laws for term in law.terms)
    assert {len(mechanism.components) for mechanism in mechanisms} == {1, 2}
    assert any(item.event and item.source_guards for mechanism in mechanisms for item in mechanism.declarations)
    empty = [not len(episode_table(mechanism, {})) for mechanism in mechanisms]
    assert 0 < sum(empty) < QUICK / 2


def test_a_seed_is_one_mechanism() -> None:
    assert random_mechanism(7) == random_mechanism(7)
    assert random_mechanism(7) != random_mechanism(8)
