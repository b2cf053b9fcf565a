"""Exports read back with networkx and hold what the graph holds."""

from __future__ import annotations

import json
from dataclasses import replace

import networkx as nx
import pytest
from brute_tables import brute_table
from hand_mechanisms import heated_resistor, mass_spring, row_of

from scilaws_bench import strict_json
from scilaws_bench.qualitative import Component, EpisodeTable
from scilaws_bench.qualitative.episodes import EpisodeGraph, ReachableGraph, cause_text
from scilaws_bench.qualitative.episodes.export import graphml, node_link


@pytest.fixture(name="reached")
def _reached() -> ReachableGraph:
    table = brute_table(heated_resistor())
    return EpisodeGraph(table).reachable([row_of(table, V="+", dV="-")], 4)


def triples(made: nx.MultiDiGraph, cause) -> set[tuple[int, int, str]]:
    return {(int(s[1:]), int(t[1:]), cause(key, data)) for s, t, key, data in made.edges(keys=True, data=True)}


def test_node_link_is_plain_json_and_reads_back(reached: ReachableGraph) -> None:
    document = strict_json.loads(json.dumps(node_link(reached)))
    made = nx.node_link_graph(document, edges="edges")
    assert sorted(int(node[1:]) for node in made) == list(reached.nodes)
    expected = {(edge.source, edge.target, cause_text(edge.cause)) for edge in reached.edges}
    assert triples(made, lambda key, _: key) == expected
    assert made.number_of_edges() == len(reached.edges)
    start = f"e{reached.layers[0][0]}"
    assert made.graph == {"mechanism": "made", "horizon": 4, "initial": [start]}
    assert made.nodes[start]["state"] == {"source": "POSITIVE", "resistor": "FORWARD"}
    assert made.nodes[start]["cells"]["dV"] == "-"
    assert made.nodes[start]["depths"] == [
        depth for depth, layer in enumerate(reached.layers) if int(start[1:]) in layer
    ]
    for source, target, data in made.edges(data=True):
        witnessed = {change["component"]: (change["source"], change["target"]) for change in data["changes"]}
        ends = zip(made.nodes[source]["state"].items(), made.nodes[target]["state"].values(), strict=True)
        assert witnessed == {name: (before, after) for (name, before), after in ends if before != after}


def test_graphml_reads_back(reached: ReachableGraph) -> None:
    made = nx.parse_graphml(graphml(reached), force_multigraph=True)
    assert triples(made, lambda _, data: data["cause"]) == {
        (edge.source, edge.target, cause_text(edge.cause)) for edge in reached.edges
    }
    assert made.number_of_edges() == len(reached.edges)
    row = reached.nodes[0]
    kept = made.nodes[f"e{row}"]
    interpretation = reached.table.interpretation(row)
    assert {name[5:]: cell for name, cell in kept.items() if name.startswith("cell.")} == interpretation
    assert kept["depths"] == " ".join(str(depth) for depth, layer in enumerate(reached.layers) if row in layer)
    changes = {data["changes"] for *_, data in made.edges(data=True)}
    assert "resistor: OFF → REVERSE; source: ZERO → NEGATIVE" in changes
    assert "" in changes, "an edge within one composite state changes no component"


def test_names_that_xml_cannot_hold_are_escaped_not_fatal() -> None:
    plain = mass_spring()
    odd = replace(
        plain,
        components=(Component('<m&"\x07', "Part", plain.components[0].states), *plain.components[1:]),
        declarations=(),
        restrictions=plain.restrictions[3:],
    )
    table: EpisodeTable = brute_table(odd)
    made = nx.parse_graphml(graphml(EpisodeGraph(table).reachable([0], 1)))
    assert 'state.<m&"\\x07' in made.nodes["e0"]


def test_a_graph_of_one_node_exports() -> None:
    reached = EpisodeGraph(brute_table(mass_spring())).reachable([4], 0)
    assert nx.parse_graphml(graphml(reached)).number_of_nodes() == 1
    assert node_link(reached)["edges"] == []
