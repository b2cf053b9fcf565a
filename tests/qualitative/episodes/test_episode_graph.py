"""Reachability, counts, limits and explanations of the episode graph."""

from __future__ import annotations

import pytest
from brute_tables import brute_table
from hand_mechanisms import heated_resistor, mass_spring, row_of, two_decays, two_masses
from random_mechanisms import random_mechanism

from scilaws_bench.errors import MechanismError, WorkLimitError
from scilaws_bench.qualitative import EpisodeTable
from scilaws_bench.qualitative.episodes import ComponentChange, EpisodeGraph


def test_layers_are_of_exact_depth_and_revisit() -> None:
    table = brute_table(mass_spring())
    start = row_of(table, x="+", v="0")
    found = EpisodeGraph(table).reachable([start], 9)
    assert [len(layer) for layer in found.layers] == [1] * 10
    assert found.layers[8] == found.layers[0] == (start,)
    assert found.layers[9] == found.layers[1]
    assert found.edges_by_depth[8] == found.edges_by_depth[0]
    assert len(found.edges) == 8, "the ninth edge is the first again"
    assert len(found.sources) == len(found.nodes) == 8
    assert found.horizon == 9
    assert found.first_depth() == {found.layers[depth][0]: depth for depth in range(8)}


def test_a_horizon_of_zero_is_the_start_alone() -> None:
    table = brute_table(mass_spring())
    found = EpisodeGraph(table).reachable([3, 1, 3], 0)
    assert (found.layers, found.edges_by_depth, found.edges, found.sources) == (((1, 3),), (), (), ())


def test_layers_run_empty_after_dead_ends() -> None:
    table = brute_table(two_masses())
    found = EpisodeGraph(table).reachable([row_of(table, T1="+")], 3)
    assert [len(layer) for layer in found.layers] == [1, 1, 0, 0]
    assert [len(edges) for edges in found.edges_by_depth] == [1, 0, 0]
    assert found.sources == tuple(sorted((*found.layers[0], *found.layers[1]))), "a dead end was expanded too"


def test_component_changes_are_the_witnessed_triples_sorted() -> None:
    table = brute_table(mass_spring())
    graph = EpisodeGraph(table)
    found = graph.reachable([row_of(table, x="+", v="0")], 2)
    assert graph.component_changes(found.edges) == (
        ComponentChange("mass", "REST", "MOVING_NEGATIVE"),
        ComponentChange("spring", "EXTENDED", "NEUTRAL"),
    )


def test_counts_for_complexity_take_boundary_causes_and_all_declarations() -> None:
    table = brute_table(two_decays())
    graph = EpisodeGraph(table)
    assert graph.boundary_cause_count(row_of(table, x="+", y="-")) == 2, "the empty cause doesn't count"
    assert graph.boundary_cause_count(row_of(table, x="0", y="0")) == 0
    assert graph.declaration_count(0) == 0
    table = brute_table(heated_resistor())
    graph = EpisodeGraph(table)
    falling = row_of(table, V="+", dV="-")
    assert graph.boundary_cause_count(falling) == 1
    assert graph.declaration_count(falling) == 2, "POSITIVE → ZERO and FORWARD → OFF"
    assert graph.declaration_count(row_of(table, V="0", dV="-")) == 4, "both ways out of ZERO and of OFF"


def test_a_question_beyond_the_limit_is_inconclusive_whatever_was_asked_before() -> None:
    table = brute_table(heated_resistor())
    start = row_of(table, V="+", dV="-")
    free = EpisodeGraph(table)
    least = next(limit for limit in range(400) if _fits(limit, table, start, 2))
    assert least > 1
    for limit in range(0, least, 5):
        with pytest.raises(WorkLimitError, match=rf"^inconclusive: limit of {limit} candidates; expected an answer"):
            EpisodeGraph(table, work_limit=limit).reachable([start], 2)
    assert EpisodeGraph(table, work_limit=least).reachable([start], 2).edges == free.reachable([start], 2).edges
    warm = EpisodeGraph(table, work_limit=least - 1)
    for row in range(len(table)):
        assert warm.edges(row) == free.edges(row)
    with pytest.raises(WorkLimitError):
        warm.reachable([start], 2)
    with pytest.raises(WorkLimitError):
        EpisodeGraph(table, work_limit=1).edges(start)


def test_a_revisit_costs_nothing() -> None:
    table = brute_table(mass_spring())
    start = row_of(table, x="+", v="0")
    least = next(limit for limit in range(400) if _fits(limit, table, start, 8))
    assert _fits(least, table, start, 30)


def _fits(limit: int, table: EpisodeTable, start: int, horizon: int) -> bool:
    try:
        EpisodeGraph(table, work_limit=limit).reachable([start], horizon)
    except WorkLimitError:
        return False
    return True


@pytest.mark.parametrize("row", [-1, 9, 1_000])
def test_a_row_that_is_not_there_is_refused_by_every_question(row: int) -> None:
    graph = EpisodeGraph(brute_table(mass_spring()))
    questions = [
        lambda: graph.causes(row),
        lambda: graph.edges(row),
        lambda: graph.reachable([0, row], 1),
        lambda: graph.reachable([row], 0),
        lambda: graph.boundary_cause_count(row),
        lambda: graph.declaration_count(row),
        lambda: graph.explain(row, 0),
        lambda: graph.explain(0, row),
    ]
    for ask in questions:
        with pytest.raises(MechanismError, match=rf"episode {row}; expected a row from 0 to 8"):
            ask()


def test_a_negative_horizon_is_refused() -> None:
    with pytest.raises(ValueError, match=r"horizon: expected a whole number ≥ 0, found -1"):
        EpisodeGraph(brute_table(mass_spring())).reachable([0], -1)


def test_an_explanation_lists_every_clause_for_every_cause() -> None:
    table = brute_table(two_decays())
    graph = EpisodeGraph(table)
    explanation = graph.explain(row_of(table, x="+", y="-"), row_of(table, x="0", y="-"))
    names = [*(f"E{number}" for number in range(1, 9)), "declaration", "distinct"]
    assert [[verdict.clause for verdict in one.verdicts] for one in explanation.causes] == [names] * 3
    assert [one.is_edge for one in explanation.causes] == [False, True, False]
    assert explanation.is_edge
    lines = explanation.text().splitlines()
    assert lines[0].endswith(": an edge")
    kept = "    E1: x: expected its cell kept, as it is not in the cause; found + → 0"
    assert lines[1:3] == ["  cause no event: refused", kept]
    passed = [f"    {name}: pass" for name in names]
    start = lines.index("  cause {x: + → 0}: passes")
    assert lines[start + 1 : start + 11] == passed
    start = lines.index("  cause {y: - → 0}: refused")
    assert lines[start + 1] == kept, "the first refusal of a clause, in the order of variables"


def test_an_episode_is_no_edge_to_itself() -> None:
    graph = EpisodeGraph(brute_table(mass_spring()))
    for row in range(9):
        assert not graph.explain(row, row).is_edge
        refused = [one for cause in graph.explain(row, row).causes for one in cause.verdicts if not one.passed]
        assert any(one.clause == "distinct" for one in refused)


@pytest.mark.parametrize("seed", range(12))
def test_explanations_agree_with_edges_for_every_pair(seed: int) -> None:
    mechanism = random_mechanism(seed, variables=4)
    table = brute_table(mechanism, mechanism.scenarios[1].context)
    graph = EpisodeGraph(table)
    step = max(1, len(table) // 12)
    for source in range(0, len(table), step):
        edges = set(graph.edges(source))
        for target in range(0, len(table), max(1, step // 3)):
            explanation = graph.explain(source, target)
            explained = {one.cause for one in explanation.causes if one.is_edge}
            assert explained == {edge.cause for edge in edges if edge.target == target}
            assert tuple(one.cause for one in explanation.causes) == graph.causes(source)


@pytest.mark.parametrize("seed", range(20))
def test_layers_follow_from_edges(seed: int) -> None:
    mechanism = random_mechanism(seed)
    table = brute_table(mechanism, mechanism.scenarios[1].context)
    graph = EpisodeGraph(table)
    found = graph.reachable(range(min(2, len(table))), 3)
    for depth, edges in enumerate(found.edges_by_depth):
        assert edges == tuple(edge for row in found.layers[depth] for edge in graph.edges(row))
        assert set(found.layers[depth + 1]) == {edge.target for edge in edges}
    assert set(found.edges) == {edge for edges in found.edges_by_depth for edge in edges}
    assert list(found.edges) == sorted(found.edges, key=lambda edge: (edge.source, edge.target))
    assert set(found.sources) == {row for layer in found.layers[:-1] for row in layer}
    for edge in found.edges:
        assert edge.source != edge.target
        assert edge.cause in graph.causes(edge.source)
