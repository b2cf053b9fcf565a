"""Time of one-step edge sets on a large episode table; `figures()` is a part of `tests/benchmarks/run.py`."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path

from scilaws_bench.qualitative import Component, Declaration, EpisodeTable, Mechanism, StateRestriction
from scilaws_bench.qualitative.episodes import EpisodeGraph
from scilaws_bench.qualitative.solver import episode_table

sys.path.insert(0, str(Path(__file__).parents[1] / "qualitative"))
from known_systems import electrothermal_ladder  # by path: the folder is not a package

EDGES = 4_000
CONTEXT = {f"theta{n}": ("0", "+") for n in range(1, 5)} | {"Vs": ("0", "+")}


def switching_ladder(resistors: int = 4) -> Mechanism:
    """The electrothermal ladder with rates, each resistor in REVERSE, OFF or FORWARD by its current.

    Coordinates are the source voltage, and of each resistor v, i, P and theta; each of the nine-to-one
    state pairs between neighbours is declared with its current as event.
    """
    plain = electrothermal_ladder(resistors)
    rates = {"Vs": "dVs"} | {f"{q}{n}": f"d{q}{n}" for n in range(1, resistors + 1) for q in ("v", "i", "P", "theta")}
    resting = set(rates.values()) | {f"dR{n}" for n in range(1, resistors + 1)}
    variables = tuple(
        replace(
            variable,
            component=None,
            role="derivative" if variable.id in resting else variable.role,
            derivative=rates.get(variable.id),
        )
        for variable in plain.variables
    )
    states = {"REVERSE": "-", "OFF": "0", "FORWARD": "+"}
    components = tuple(Component(f"r{n}", "Resistor", tuple(states)) for n in range(1, resistors + 1))
    pairs = [("REVERSE", "OFF"), ("OFF", "REVERSE"), ("OFF", "FORWARD"), ("FORWARD", "OFF")]
    return replace(
        plain,
        id=f"switching_{plain.id}",
        components=components,
        variables=variables,
        confluences=tuple(replace(law, component=None) for law in plain.confluences),
        restrictions=tuple(
            StateRestriction(f"r{n}", state, f"i{n}", (cell,))
            for n in range(1, resistors + 1)
            for state, cell in states.items()
        ),
        declarations=tuple(
            Declaration(f"r{n}_{source}_{target}", f"r{n}", source, target, f"i{n}")
            for n in range(1, resistors + 1)
            for source, target in pairs
        ),
    )


def figures() -> list[tuple[str, str, str]]:
    """Rows (figure, wanted, measured): the index of a table of some 10⁵ episodes, then its edge sets.

    The one-step edge set is that of as many episodes, evenly spread, as it takes to have 4,000 edges.
    """
    table = episode_table(switching_ladder(), CONTEXT)
    size = f"{len(table):,} episodes × {table.cells.shape[1]} variables"
    start = time.perf_counter()
    graph = EpisodeGraph(table)
    indexed = time.perf_counter() - start
    seconds, edges, sources = one_step_edges(graph, table)
    slowest, most = busiest(graph, table)
    return [
        (f"index of {size}", "≤ 2 s", f"{indexed:.2f} s"),
        (f"{edges:,} one-step edges out of {sources} episodes of it", "≤ 2 s", f"{seconds:.2f} s"),
        (f"the {most:,} edges of the busiest episode tried", "≤ 2 s", f"{slowest:.3f} s"),
    ]


def one_step_edges(graph: EpisodeGraph, table: EpisodeTable) -> tuple[float, int, int]:
    """Seconds, edges and source episodes of the smallest evenly spread set with 4,000 edges."""
    edges = sources = 0
    start = time.perf_counter()
    for row in range(0, len(table), max(1, len(table) // 1_009)):
        edges += len(graph.reachable([row], 1).edges)
        sources += 1
        if edges >= EDGES:
            break
    return time.perf_counter() - start, edges, sources


def busiest(graph: EpisodeGraph, table: EpisodeTable) -> tuple[float, int]:
    """Seconds and edges of the episode with most edges among 300, asked afresh."""
    rows = range(0, len(table), max(1, len(table) // 307))
    row = max(rows, key=lambda place: len(graph.edges(place)))
    fresh = EpisodeGraph(table)
    start = time.perf_counter()
    edges = fresh.edges(row)
    return time.perf_counter() - start, len(edges)


if __name__ == "__main__":
    print("\n".join(" | ".join(row) for row in figures()))  # noqa: T201 - this script's output
