"""What both solvers promise, one class of tests for both."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from known_systems import (
    electrothermal_ladder,
    mass_spring_damper,
    plain_mechanism,
    thermal_chain,
    thermal_star,
    two_masses,
)
from random_mechanisms import random_mechanism, random_restrictions

from scilaws_bench.errors import MechanismError, WorkLimitError
from scilaws_bench.qualitative import Mechanism, parse_confluence
from scilaws_bench.qualitative.solver import FactoredSolver, IntrastateSolver, ReferenceSolver, Relation, WorkLimits

SOLVERS: list[IntrastateSolver] = [ReferenceSolver(), FactoredSolver()]
ONLY = ("ONLY",)

# T0, T1 and what follows from them: the difference d and the flow q have the sign of T0 - T1; the
# hotter mass cools and the colder one warms, so dd and dq have the sign of -d.
# Columns: d0 T0 T1 q0 dd0 dT0 dT1 dq0.
TWO_MASSES = [
    "- - - - + + - +",
    "- - 0 - + + - +",
    "- - + - + + - +",
    "- 0 + - + + - +",
    "- + + - + + - +",
    "0 - - 0 0 0 0 0",
    "0 0 0 0 0 0 0 0",
    "0 + + 0 0 0 0 0",
    "+ - - + - - + -",
    "+ 0 - + - - + -",
    "+ + - + - - + -",
    "+ + 0 + - - + -",
    "+ + + + - - + -",
]
# a + v + s = 0: all zero, or both signs among the three.
MASS_SPRING_DAMPER = [
    "- - +",
    "- 0 +",
    "- + -",
    "- + 0",
    "- + +",
    "0 - +",
    "0 0 0",
    "0 + -",
    "+ - -",
    "+ - 0",
    "+ - +",
    "+ 0 -",
    "+ + -",
]


def _free_state(mechanism: Mechanism) -> tuple[str, ...]:
    return next(mechanism.composite_states())


def _texts(relation: Relation) -> list[str]:
    return [" ".join("-0+"[cell] for cell in row) for row in relation.rows().tolist()]


def _permuted(mechanism: Mechanism, seed: int) -> Mechanism:
    rng = np.random.default_rng(seed)
    variables = tuple(mechanism.variables[i] for i in rng.permutation(len(mechanism.variables)))
    laws = tuple(mechanism.confluences[i] for i in rng.permutation(len(mechanism.confluences)))
    return replace(mechanism, variables=variables, confluences=laws)


def _as_sets(relation: Relation, names: Sequence[str]) -> set[tuple[int, ...]]:
    return {tuple(row) for row in relation.projection(names).tolist()}


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: type(solver).__name__)
class TestSolver:
    def test_two_thermal_masses_by_hand(self, solver: IntrastateSolver) -> None:
        relation = solver.solve(two_masses(), ONLY, {})
        assert relation.variables == ("d0", "T0", "T1", "q0", "dd0", "dT0", "dT1", "dq0")
        assert _texts(relation) == TWO_MASSES
        assert relation.forced == {}

    def test_mass_spring_damper_by_hand(self, solver: IntrastateSolver) -> None:
        assert _texts(solver.solve(mass_spring_damper(), ONLY, {})) == MASS_SPRING_DAMPER

    @pytest.mark.parametrize(
        ("mechanism", "count"),
        [
            (thermal_chain(3), 143),
            (thermal_star(4), 1465),
            (electrothermal_ladder(2), 1321),
            (electrothermal_ladder(4, full=False), 1331),
        ],
        ids=lambda value: value.id if isinstance(value, Mechanism) else "",
    )
    def test_known_counts(self, solver: IntrastateSolver, mechanism: Mechanism, count: int) -> None:
        relation = solver.solve(mechanism, ONLY, {})
        assert relation.count == count
        rows = relation.rows()
        assert rows.shape == (count, len(mechanism.variables))
        assert rows.dtype == np.int8
        assert len(np.unique(rows, axis=0)) == count

    def test_restrictions_force_facts(self, solver: IntrastateSolver) -> None:
        relation = solver.solve(two_masses(), ONLY, {"T0": ("+",), "T1": ("-", "0")})
        assert relation.count == 2
        assert relation.forced == {"d0": "+", "T0": "+", "q0": "+", "dd0": "-", "dT0": "-", "dT1": "+", "dq0": "-"}
        assert relation.supports("T1") == ("-", "0")

    @pytest.mark.parametrize("restrictions", [{"d0": ("+",), "q0": ("0",)}, {"T1": ()}])
    def test_an_empty_relation(self, solver: IntrastateSolver, restrictions: dict[str, tuple[str, ...]]) -> None:
        relation = solver.solve(two_masses(), ONLY, restrictions)
        assert relation.is_empty
        assert relation.count == 0
        assert relation.rows().shape == (0, 8)
        assert relation.projection(("T0", "T1")).shape == (0, 2)
        assert relation.forced == {}
        assert relation.supports("T0") == ()
        assert not relation.contains(dict.fromkeys(relation.variables, "0"))
        assert relation.conditioned({"T0": ("+",)}).is_empty

    def test_projection_onto_no_variable_says_whether_there_is_a_row(self, solver: IntrastateSolver) -> None:
        assert solver.solve(two_masses(), ONLY, {}).projection(()).shape == (1, 0)

    def test_variables_in_no_law_are_free(self, solver: IntrastateSolver) -> None:
        mechanism = replace(mass_spring_damper(), confluences=())
        relation = solver.solve(mechanism, ONLY, {"v": ("0", "+")})
        assert relation.count == 18
        assert relation.rows().tolist() == sorted(map(list, itertools.product(range(3), (1, 2), range(3))))

    def test_more_interpretations_than_fit_are_counted(self, solver: IntrastateSolver) -> None:
        """A wrong count past 2^63 would be a silent one; the reference must refuse instead."""
        names = [f"x{n} - y{n}" for n in range(60)]
        mechanism = plain_mechanism("many", {f"law{n}": text for n, text in enumerate(names)})
        limits = WorkLimits(rows=1000)
        if isinstance(solver, ReferenceSolver):
            with pytest.raises(WorkLimitError):
                solver.solve(mechanism, ONLY, {}, limits=limits)
            return
        relation = solver.solve(mechanism, ONLY, {}, limits=limits)
        assert relation.count == 3**60
        assert relation.conditioned({"x0": ("+",)}).count == 3**59
        assert relation.projection(("y0", "x0", "x1")).shape == (9, 3)
        with pytest.raises(WorkLimitError, match="rows=1000"):
            relation.rows()

    def test_rows_wider_than_one_sorting_key_are_sorted(self, solver: IntrastateSolver) -> None:
        names = [f"x{n}" for n in range(90)]
        mechanism = replace(plain_mechanism("wide", {"law": " + ".join(names)}), confluences=())
        free = ("x0", "x50", "x89")
        relation = solver.solve(mechanism, ONLY, {name: ("+",) for name in names if name not in free})
        assert relation.rows()[:, [0, 50, 89]].tolist() == [list(row) for row in itertools.product(range(3), repeat=3)]

    @pytest.mark.parametrize(
        ("state", "restrictions", "words"),
        [
            (("ELSEWHERE",), {}, "a state of system"),
            (("ONLY", "ONLY"), {}, "1 component states"),
            (ONLY, {"T9": ("+",)}, "variable 'T9'"),
            (ONLY, {"T0": ("hot",)}, "cells among -, 0, +"),
        ],
    )
    def test_unknown_names_are_refused(
        self, solver: IntrastateSolver, state: tuple[str, ...], restrictions: dict[str, tuple[str, ...]], words: str
    ) -> None:
        with pytest.raises(MechanismError, match=words):
            solver.solve(two_masses(), state, restrictions)

    def test_a_relation_refuses_unknown_names(self, solver: IntrastateSolver) -> None:
        relation = solver.solve(two_masses(), ONLY, {})
        full = dict.fromkeys(relation.variables, "0")
        with pytest.raises(MechanismError, match="variable 'x'"):
            relation.supports("x")
        with pytest.raises(MechanismError, match="different variables"):
            relation.projection(("T0", "T0"))
        with pytest.raises(MechanismError, match="none for dq0"):
            relation.contains(dict.fromkeys(relation.variables[:-1], "0"))
        with pytest.raises(MechanismError, match="variable 'x'"):
            relation.contains({**full, "x": "0"})
        with pytest.raises(MechanismError, match="cells among"):
            relation.conditioned({"T0": ("warm",)})

    @settings(max_examples=60, deadline=None)
    @given(seed=st.integers(0, 10**6), other=st.integers(0, 10**6))
    def test_queries_speak_of_the_rows(self, solver: IntrastateSolver, seed: int, other: int) -> None:
        mechanism = random_mechanism(seed)
        rng = np.random.default_rng(other)
        state = _free_state(mechanism)
        relation = solver.solve(mechanism, state, {})
        rows = relation.rows()
        assert rows.tolist() == sorted(rows.tolist())
        assert len(np.unique(rows, axis=0)) == relation.count

        names = [relation.variables[i] for i in rng.permutation(len(relation.variables))[: rng.integers(1, 4)]]
        places = [relation.variables.index(name) for name in names]
        assert relation.projection(names).tolist() == [
            list(r) for r in sorted(set(map(tuple, rows[:, places].tolist())))
        ]

        restrictions = random_restrictions(rng, mechanism)
        narrowed = relation.conditioned(restrictions)
        solved = solver.solve(mechanism, state, restrictions)
        assert np.array_equal(narrowed.rows(), solved.rows())
        assert narrowed.count == solved.count
        assert narrowed.forced == solved.forced
        again = random_restrictions(rng, mechanism)
        one_way, other_way = narrowed.conditioned(again), relation.conditioned(again).conditioned(restrictions)
        assert np.array_equal(one_way.rows(), other_way.rows())
        assert np.array_equal(one_way.projection(names), other_way.projection(names))

        cells = {name: mechanism.space(name).names for name in relation.variables}
        for name, place in zip(relation.variables, range(len(relation.variables)), strict=True):
            assert relation.supports(name) == tuple(cells[name][i] for i in sorted(set(rows[:, place].tolist())))
        known = {tuple(row) for row in rows.tolist()}
        for _ in range(5):
            word = tuple(int(rng.integers(len(cells[name]))) for name in relation.variables)
            assignment = {name: cells[name][i] for name, i in zip(relation.variables, word, strict=True)}
            assert relation.contains(assignment) == (word in known)
        if len(rows):
            last = {name: cells[name][i] for name, i in zip(relation.variables, rows[-1].tolist(), strict=True)}
            assert relation.contains(last)

    @settings(max_examples=40, deadline=None)
    @given(seed=st.integers(0, 10**6), shuffle=st.integers(0, 10**6))
    def test_the_order_of_variables_and_laws_changes_nothing_but_order(
        self, solver: IntrastateSolver, seed: int, shuffle: int
    ) -> None:
        mechanism = random_mechanism(seed)
        state = _free_state(mechanism)
        names = [variable.id for variable in mechanism.variables]
        first = solver.solve(mechanism, state, {})
        second = solver.solve(_permuted(mechanism, shuffle), state, {})
        assert first.count == second.count
        assert _as_sets(first, names) == _as_sets(second, names)
        assert first.forced == {name: second.forced[name] for name in names if name in second.forced}

    @settings(max_examples=40, deadline=None)
    @given(seed=st.integers(0, 10**6), pick=st.integers(0, 10**6))
    def test_one_more_law_never_adds_rows(self, solver: IntrastateSolver, seed: int, pick: int) -> None:
        mechanism = random_mechanism(seed)
        state = _free_state(mechanism)
        rng = np.random.default_rng(pick)
        left, right = (str(name) for name in rng.choice([v.id for v in mechanism.variables], 2))
        more = replace(mechanism, confluences=(*mechanism.confluences, parse_confluence("new", f"{left} - {right}^2")))
        names = [variable.id for variable in mechanism.variables]
        before, after = (_as_sets(solver.solve(m, state, {}), names) for m in (mechanism, more))
        signs = {name: mechanism.space(name).signs for name in names}
        place = {name: i for i, name in enumerate(names)}
        assert after == {row for row in before if signs[left][row[place[left]]] == signs[right][row[place[right]]] ** 2}
