"""The benchmark system: an electrothermal ladder with half a million interpretations and more."""

from __future__ import annotations

import numpy as np
import pytest
from cp_sat_oracle import enumerate_episodes
from known_systems import electrothermal_ladder, thermal_star

from scilaws_bench.qualitative import Mechanism, is_satisfied
from scilaws_bench.qualitative.solver import FactoredSolver, ReferenceSolver, WorkLimits

ONLY = ("ONLY",)
BRANCH = {"Vs": ("+",), "dVs": ("0",)}


@pytest.mark.parametrize(
    ("restrictions", "count"),
    [
        ({}, 528_769),
        (BRANCH, 54_577),
        (BRANCH | {f"theta{n}": ("+",) for n in range(1, 5)}, 4_745),
        (BRANCH | {f"theta{n}": ("0",) for n in range(1, 5)}, 145),
        (BRANCH | {f"theta{n}": ("0", "+") for n in range(1, 5)}, 19_378),
    ],
    ids=["all", "constant source", "all hot", "all cold", "none below"],
)
def test_counts_found_earlier_by_another_program(restrictions: dict[str, tuple[str, ...]], count: int) -> None:
    ladder = electrothermal_ladder(4)
    assert (len(ladder.variables), len(ladder.confluences)) == (46, 36)
    assert FactoredSolver().solve(ladder, ONLY, restrictions).count == count


def test_a_condition_afterwards_is_a_restriction_before() -> None:
    ladder = electrothermal_ladder(4)
    whole = FactoredSolver().solve(ladder, ONLY, {})
    assert np.array_equal(whole.conditioned(BRANCH).rows(), FactoredSolver().solve(ladder, ONLY, BRANCH).rows())
    names = ("dVs", "Vs", "theta4", "dP2")
    assert len(whole.projection(names)) <= 81
    assert np.array_equal(
        whole.conditioned(BRANCH).projection(names),
        whole.projection(names)[np.all(whole.projection(names)[:, :2] == [1, 2], axis=1)],
    )


@pytest.mark.slow
def test_all_rows_of_the_ladder_are_different_and_satisfy_every_law() -> None:
    ladder = electrothermal_ladder(4)
    rows = FactoredSolver().solve(ladder, ONLY, {}).rows()
    names = [variable.id for variable in ladder.variables]
    signs = {name: np.array(ladder.space(name).signs)[rows[:, place]] for place, name in enumerate(names)}
    for law in ladder.confluences:
        scope = np.stack([signs[name] for name in law.variables], axis=1)
        _, first = np.unique((scope + 1) @ 3 ** np.arange(scope.shape[1]), return_index=True)
        for word in scope[first].tolist():
            assert is_satisfied(law, dict(zip(law.variables, word, strict=True)))
    assert len(np.unique(np.ascontiguousarray(rows).view("V46"))) == len(rows) == 528_769


@pytest.mark.slow
def test_the_reference_agrees_on_every_row_of_the_ladder() -> None:
    ladder = electrothermal_ladder(4)
    reference = ReferenceSolver().solve(ladder, ONLY, {}, limits=WorkLimits(steps=10**8))
    assert np.array_equal(reference.rows(), FactoredSolver().solve(ladder, ONLY, {}).rows())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mechanism", "restrictions"),
    [
        (thermal_star(4), {}),
        (electrothermal_ladder(2), {}),
        (electrothermal_ladder(4, full=False), {}),
        (electrothermal_ladder(4), BRANCH),
    ],
    ids=["star", "two resistors", "four static", "four on a constant source"],
)
def test_cp_sat_agrees_on_known_systems(mechanism: Mechanism, restrictions: dict[str, tuple[str, ...]]) -> None:
    found, complete = enumerate_episodes(mechanism, restrictions)
    assert complete
    rows = FactoredSolver().solve(mechanism, ONLY, restrictions).rows()
    assert found == {(0, *row) for row in rows.tolist()}
