"""The fast graph gives what the oracle gives, whatever the order of construction or the hash seed."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from brute_tables import brute_table
from random_mechanisms import random_mechanism

from scilaws_bench.qualitative import EpisodeTable, Mechanism
from scilaws_bench.qualitative.episodes import CLAUSES, Edge, EpisodeGraph, PlainEdges, Step
from scilaws_bench.qualitative.episodes.layout import Layout, Position


def table_of(seed: int, **size: int) -> EpisodeTable:
    """The episodes of a random mechanism under one of its two scenarios."""
    mechanism = random_mechanism(seed, **size)
    return brute_table(mechanism, mechanism.scenarios[seed % 2].context)


def agree(table: EpisodeTable, rows: list[int]) -> int:
    """Compare causes and edges of rows; the number of edges seen."""
    fast, plain = EpisodeGraph(table), PlainEdges(table)
    edges = 0
    for row in rows:
        assert fast.causes(row) == plain.causes(row)
        assert fast.edges(row) == plain.edges(row)
        edges += len(fast.edges(row))
    return edges


def spread(table: EpisodeTable, count: int) -> list[int]:
    """At most `count` rows of a table, evenly spread."""
    return sorted({len(table) * place // count for place in range(count)}) if len(table) else []


def test_fast_and_oracle_agree_on_300_random_mechanisms() -> None:
    edges = 0
    for seed in range(300):
        table = table_of(seed, variables=5)
        edges += agree(table, spread(table, 5) if len(table) <= 300 else [])
    assert edges > 1_500, "the sample must not be empty"


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_fast_and_oracle_agree_on_2000_random_mechanisms(block: int) -> None:
    for seed in range(1_000 + 200 * block, 1_200 + 200 * block):
        table = table_of(seed, variables=6, components=3)
        agree(table, spread(table, 12) if len(table) <= 3_000 else spread(table, 2))


def plain_reachable(table: EpisodeTable, start: list[int], horizon: int) -> tuple[list[list[int]], set[Edge]]:
    """Layers and distinct edges by the definition, from the oracle's edges."""
    plain = PlainEdges(table)
    layers, edges = [sorted(start)], set()
    for _ in range(horizon):
        step = {edge for row in layers[-1] for edge in plain.edges(row)}
        edges |= step
        layers.append(sorted({edge.target for edge in step}))
    return layers, edges


@pytest.mark.parametrize("horizon", [1, 2, 3])
def test_reachable_sets_agree(horizon: int) -> None:
    assert _reachable_edges(range(300, 360), 150, horizon) > 100


@pytest.mark.slow
@pytest.mark.parametrize("horizon", [1, 2, 3])
def test_reachable_sets_agree_on_300_mechanisms(horizon: int) -> None:
    assert _reachable_edges(range(4_000, 4_300), 150, horizon) > 500


def _reachable_edges(seeds: range, most: int, horizon: int) -> int:
    seen = 0
    for seed in seeds:
        table = table_of(seed, variables=5)
        if 0 < len(table) <= most:
            start = spread(table, 3)
            layers, edges = plain_reachable(table, start, horizon)
            found = EpisodeGraph(table).reachable(start, horizon)
            assert [list(layer) for layer in found.layers] == layers
            assert set(found.edges) == edges
            assert len(found.edges) == len(edges)
            seen += len(edges)
    return seen


def named_edges(table: EpisodeTable) -> set[tuple[object, ...]]:
    """All edges by name, so that neither row numbers nor the order of variables matter."""
    graph = EpisodeGraph(table)

    def node(row: int) -> tuple[object, ...]:
        states = table.mechanism.states_by_component(table.state(row))
        return frozenset(states.items()), frozenset(table.interpretation(row).items())

    return {
        (node(edge.source), node(edge.target), frozenset(edge.cause))
        for row in range(len(table))
        for edge in graph.edges(row)
    }


@pytest.mark.parametrize("seed", range(40, 56))
def test_the_order_of_rows_changes_nothing_but_their_numbers(seed: int) -> None:
    table = table_of(seed, variables=5)
    order = np.random.default_rng(seed).permutation(len(table))
    shuffled = EpisodeTable(table.mechanism, table.states[order], table.cells[order])
    assert named_edges(shuffled) == named_edges(table)


@pytest.mark.parametrize("seed", range(70, 86))
def test_the_order_of_a_mechanism_changes_nothing_but_the_order_of_results(seed: int) -> None:
    mechanism = random_mechanism(seed, variables=5)

    def turned(mechanism: Mechanism) -> Mechanism:
        fields = ("components", "variables", "confluences", "restrictions", "declarations")
        return replace(mechanism, **{name: getattr(mechanism, name)[::-1] for name in fields})

    context = mechanism.scenarios[seed % 2].context
    assert named_edges(brute_table(turned(mechanism), context)) == named_edges(brute_table(mechanism, context))


@pytest.mark.parametrize("seed", range(100, 116))
def test_what_the_fast_graph_leaves_out_holds_by_construction(seed: int) -> None:
    """With a produced cause and E1 passed, E2, E3, E5 and E7 pass, and E4 refuses only where E8 does."""
    table = table_of(seed, variables=5)
    layout = Layout(table.mechanism)
    pairs = zip(table.states.tolist(), table.cells.tolist(), strict=True)
    positions = [Position(tuple(states), tuple(cells)) for states, cells in pairs]
    episodes = frozenset(positions)
    graph = EpisodeGraph(table)
    for row in spread(table, 4):
        for cause in graph.causes(row):
            for target in (positions[place] for place in spread(table, 80)):
                step = Step(layout, positions[row], target, cause, graph.causes(row), episodes)
                passed = {name for name, clause in CLAUSES if clause(step) is None}
                if "E1" in passed:
                    assert passed >= {"E2", "E3", "E5", "E7"}
                    assert "E4" in passed or "E8" not in passed


def test_results_do_not_depend_on_the_hash_seed() -> None:
    script = Path(__file__).with_name("content_hash.py")
    hashes = set()
    for seed in ("0", "1", "4242"):
        run = subprocess.run(
            [sys.executable, str(script)],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        hashes.add(run.stdout.strip())
    assert len(hashes) == 1
    assert len(hashes.pop()) == 64


def test_a_table_without_rows_has_an_empty_graph() -> None:
    table = table_of(0)
    empty = EpisodeTable(table.mechanism, table.states[:0], table.cells[:0])
    found = EpisodeGraph(empty).reachable([], 2)
    assert (found.layers, found.edges) == (((), (), ()), ())
