"""Prints a hash of causes, edges, layers and exports of some mechanisms: run under several hash seeds."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from brute_tables import brute_table
from hand_mechanisms import heated_resistor, two_decays
from random_mechanisms import random_mechanism

from scilaws_bench.hashing import json_hash
from scilaws_bench.qualitative.episodes import EpisodeGraph, PlainEdges, cause_text
from scilaws_bench.qualitative.episodes.drawing import svg
from scilaws_bench.qualitative.episodes.export import graphml, node_link


def main() -> None:
    """Everything in the order in which it comes out."""
    content = []
    mechanisms = [heated_resistor(), two_decays(), *(random_mechanism(seed, variables=5) for seed in range(20, 32))]
    for mechanism in mechanisms:
        table = brute_table(mechanism, mechanism.scenarios[-1].context)
        graph, plain = EpisodeGraph(table), PlainEdges(table)
        rows = range(min(4, len(table)))
        found = graph.reachable(rows, 2)
        content.append(
            {
                "causes": [
                    [cause_text(cause) for cause in finder.causes(row)] for row in rows for finder in (graph, plain)
                ],
                "layers": found.layers,
                "edges": [[edge.source, edge.target, cause_text(edge.cause)] for edge in found.edges],
                "plain": [[edge.target, cause_text(edge.cause)] for row in rows for edge in plain.edges(row)],
                "changes": [str(change) for change in graph.component_changes(found.edges)],
                "node_link": node_link(found),
                "graphml": graphml(found),
                "svg": svg(found, most_nodes=9),
            }
        )
    print(json_hash(content))  # noqa: T201 - read by the test


if __name__ == "__main__":
    main()
