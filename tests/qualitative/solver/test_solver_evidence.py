"""Evidence: propagation replayed step by step, and minimal reasons that really are reasons and minimal."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
import pytest
from known_systems import plain_mechanism, two_masses
from random_mechanisms import random_mechanism, random_restrictions

from scilaws_bench.errors import MechanismError
from scilaws_bench.qualitative import Mechanism, Restrictions, combined
from scilaws_bench.qualitative.mechanism import CompositeState
from scilaws_bench.qualitative.solver import (
    FactoredSolver,
    Limitation,
    PropagationStep,
    Reason,
    ReferenceSolver,
    cell_domains,
    propagation_steps,
    supported_cells,
    why_empty,
    why_forced,
)
from scilaws_bench.qualitative.solver.network import network_of
from scilaws_bench.qualitative.solver.propagation import propagated

ONLY = ("ONLY",)
ALL = ("-", "0", "+")


def _questions(seeds: Iterable[int]) -> list[tuple[Mechanism, CompositeState, Restrictions]]:
    questions = []
    for seed in seeds:
        mechanism = random_mechanism(seed)
        rng = np.random.default_rng(seed)
        questions += [(mechanism, s, random_restrictions(rng, mechanism)) for s in mechanism.composite_states()]
    return questions


def test_propagation_by_hand() -> None:
    """T0 = + and T1 = 0: the difference is +, so is the flow; the hotter mass cools, the other warms."""
    replay = propagation_steps(two_masses(), ONLY, {"T0": ("+",), "T1": ("0",)})
    assert replay.steps == (
        PropagationStep("difference0", "d0", ALL, ("+",)),
        PropagationStep("fourier0", "q0", ALL, ("+",)),
        PropagationStep("balance0", "dT0", ALL, ("-",)),
        PropagationStep("balance1", "dT1", ALL, ("+",)),
        PropagationStep("difference_rate0", "dd0", ALL, ("-",)),
        PropagationStep("fourier_rate0", "dq0", ALL, ("-",)),
    )
    assert replay.initial["d0"] == ALL
    assert replay.final["dq0"] == ("-",)


def test_propagation_ends_at_an_empty_domain() -> None:
    replay = propagation_steps(two_masses(), ONLY, {"T0": ("+",), "T1": ("0",), "q0": ("-", "0")})
    assert replay.steps[-1] == PropagationStep("fourier0", "q0", ("-", "0"), ())
    assert replay.final["q0"] == ()
    assert propagation_steps(two_masses(), ONLY, {"T0": ()}).steps == ()


@pytest.mark.parametrize("first", [0, 60])
def test_a_replay_is_sequential_exact_and_complete(first: int) -> None:
    narrowed = 0
    for mechanism, state, restrictions in _questions(range(first, first + 60)):
        replay = propagation_steps(mechanism, state, restrictions)
        laws = {law.id: law for law in mechanism.active_confluences(state)}
        domains = cell_domains(mechanism, state, restrictions)
        for step in replay.steps:
            assert step.before == tuple(cell.id for cell in domains[step.variable])
            domains[step.variable] = supported_cells(laws[step.law], domains, step.variable)
            assert step.after == tuple(cell.id for cell in domains[step.variable]) != step.before
        assert replay.final == {name: tuple(cell.id for cell in cells) for name, cells in domains.items()}
        if all(domains.values()):
            network = network_of(mechanism, mechanism.domains(state, restrictions), laws.values())
            found = zip(mechanism.variables, propagated(network).domains, strict=True)
            names = {v.id: tuple(mechanism.space(v.id).names[cell] for cell in cells) for v, cells in found}
            assert names == replay.final, "the solver's own propagation reaches the same domains"
            for law in laws.values():
                for variable in law.variables:
                    assert supported_cells(law, domains, variable) == domains[variable]
        solved = ReferenceSolver().solve(mechanism, state, restrictions)
        for name in solved.variables:
            assert set(solved.supports(name)) <= set(replay.final[name])
        narrowed += len(replay.steps)
    assert narrowed > 100


def _only(mechanism: Mechanism, reason: Reason, state: CompositeState) -> Callable[[Restrictions], bool]:
    """Whether the laws and limitations of a reason alone admit an interpretation, by the reference solver."""
    bare = replace(mechanism, confluences=tuple(replace(law, active=()) for law in reason.laws), restrictions=())
    limits = combined(*({item.variable: item.cells} for item in reason.limitations))

    def possible(more: Restrictions) -> bool:
        return not ReferenceSolver().solve(bare, state, combined(limits, more)).is_empty

    return possible


def _smaller(reason: Reason) -> list[Reason]:
    laws = [replace(reason, laws=reason.laws[:i] + reason.laws[i + 1 :]) for i in range(len(reason.laws))]
    items = reason.limitations
    return laws + [replace(reason, limitations=items[:i] + items[i + 1 :]) for i in range(len(items))]


def _in_play(reason: Reason, mechanism: Mechanism, state: CompositeState, restrictions: Restrictions) -> bool:
    states = mechanism.states_by_component(state)
    laws = all(law in mechanism.active_confluences(state) for law in reason.laws)
    given = all(
        item.cells == restrictions[item.variable] if item.component is None else states[item.component] == item.state
        for item in reason.limitations
    )
    return laws and given


def test_reasons_for_emptiness_suffice_and_are_minimal() -> None:
    explained = 0
    for mechanism, state, restrictions in _questions(range(60)):
        reason = why_empty(mechanism, state, restrictions)
        assert (reason is not None) == FactoredSolver().solve(mechanism, state, restrictions).is_empty
        if reason is None:
            continue
        explained += 1
        assert _in_play(reason, mechanism, state, restrictions)
        assert not _only(mechanism, reason, state)({})
        assert all(_only(mechanism, smaller, state)({}) for smaller in _smaller(reason))
    assert explained > 50


def test_reasons_for_forced_facts_suffice_and_are_minimal() -> None:
    explained = 0
    for mechanism, state, restrictions in _questions(range(0, 60, 2)):
        relation = ReferenceSolver().solve(mechanism, state, restrictions)
        for variable in relation.variables:
            reason = why_forced(mechanism, state, restrictions, variable)
            assert (reason is not None) == (variable in relation.forced)
            if reason is None:
                continue
            explained += 1
            names = mechanism.space(variable).names
            others = {variable: tuple(name for name in names if name != relation.forced[variable])}
            assert _in_play(reason, mechanism, state, restrictions)
            assert not _only(mechanism, reason, state)(others)
            assert all(_only(mechanism, smaller, state)(others) for smaller in _smaller(reason))
    assert explained > 50


def test_a_reason_by_hand_and_in_words() -> None:
    mechanism = two_masses()
    restrictions = {"T0": ("+",), "T1": ("0",), "dT1": ("-", "0")}
    reason = why_empty(mechanism, ONLY, restrictions)
    assert reason is not None
    assert [law.id for law in reason.laws] == ["difference0", "fourier0", "balance1"]
    assert reason.limitations == tuple(Limitation(name, cells) for name, cells in restrictions.items())
    assert reason.text().splitlines() == [
        "difference0: d0 - T0 + T1 = 0",
        "fourier0: q0 - d0 = 0",
        "balance1: dT1 - q0 = 0",
        "T0 in {+} (given)",
        "T1 in {0} (given)",
        "dT1 in {-, 0} (given)",
    ]
    assert Limitation("mass.v", ("0",), "mass", "REST").text() == "mass.v in {0} (mass is REST)"


def test_a_variable_with_one_cell_needs_no_reason() -> None:
    mechanism = plain_mechanism("ohm", {"ohm": "v - R * i"}, positive=["R"])
    assert why_forced(mechanism, ONLY, {}, "R") == Reason((), ())
    assert why_forced(mechanism, ONLY, {}, "v") is None
    forced = why_forced(mechanism, ONLY, {"i": ("-",)}, "v")
    assert forced is not None
    assert [law.id for law in forced.laws] == ["ohm"]
    with pytest.raises(MechanismError, match="variable 'x'"):
        why_forced(mechanism, ONLY, {}, "x")
