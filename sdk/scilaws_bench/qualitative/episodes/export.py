"""Reachable graphs as JSON node-link and as GraphML, for other tools."""

from __future__ import annotations

from typing import Any

from scilaws_bench.plain_text import printable
from scilaws_bench.qualitative.episodes.clauses import cause_text
from scilaws_bench.qualitative.episodes.edges import ComponentChange, component_changes
from scilaws_bench.qualitative.episodes.graph import ReachableGraph


def node_link(graph: ReachableGraph) -> dict[str, Any]:
    """A reachable graph in the node-link form that `networkx.node_link_graph` reads; plain JSON values.

    A node's id is `e` and its row number. It carries its composite state, its cells and the depths of
    the layers it is in. An edge's key is its cause as text; it also carries the cause as events and the
    component changes it witnesses.
    """
    table = graph.table
    depths: dict[int, list[int]] = {}
    for depth, layer in enumerate(graph.layers):
        for row in layer:
            depths.setdefault(row, []).append(depth)
    return {
        "directed": True,
        "multigraph": True,
        "graph": {
            "mechanism": table.mechanism.id,
            "horizon": graph.horizon,
            "initial": [_name(row) for row in graph.layers[0]],
        },
        "nodes": [
            {
                "id": _name(row),
                "state": table.mechanism.states_by_component(table.state(row)),
                "cells": table.interpretation(row),
                "depths": depths[row],
            }
            for row in graph.nodes
        ],
        "edges": [
            {
                "source": _name(edge.source),
                "target": _name(edge.target),
                "key": cause_text(edge.cause),
                "cause": [
                    {"variable": event.variable, "source": event.source, "target": event.target} for event in edge.cause
                ],
                "changes": [
                    {"component": change.component, "source": change.source, "target": change.target}
                    for change in component_changes(table, [edge])
                ],
            }
            for edge in graph.edges
        ],
    }


def graphml(graph: ReachableGraph) -> str:
    """A reachable graph as a GraphML document; `networkx.parse_graphml` and yEd or Gephi read it.

    GraphML knows no nested values: a node has `state.<component>` and `cell.<variable>`, `depths` is
    text such as `0 2`, an edge has `cause` and `changes` as text. Characters that XML can't hold are
    written as escapes.
    """
    import networkx as nx  # on use: it is slow to load

    document = node_link(graph)
    made = nx.MultiDiGraph(
        mechanism=document["graph"]["mechanism"],
        horizon=document["graph"]["horizon"],
        initial=" ".join(document["graph"]["initial"]),
    )
    for node in document["nodes"]:
        attributes = {"depths": " ".join(str(depth) for depth in node["depths"])}
        attributes |= {f"state.{component}": state for component, state in node["state"].items()}
        attributes |= {f"cell.{variable}": cell for variable, cell in node["cells"].items()}
        made.add_node(node["id"], **{printable(name): printable(value) for name, value in attributes.items()})
    for edge in document["edges"]:
        changes = "; ".join(change_text(ComponentChange(**change)) for change in edge["changes"])
        # The key is left to networkx: a key that is text would be written as an XML id, where few characters may stand.
        made.add_edge(edge["source"], edge["target"], cause=printable(edge["key"]), changes=printable(changes))
    return "\n".join(nx.generate_graphml(made)) + "\n"


def change_text(change: ComponentChange) -> str:
    """A component change as text, e.g. `mass: REST → MOVING`."""
    return f"{change.component}: {change.source} → {change.target}"


def _name(row: int) -> str:
    return f"e{row}"
