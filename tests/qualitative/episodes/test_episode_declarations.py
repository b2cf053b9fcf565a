"""Component changes and their declarations, in both graphs and in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from brute_tables import brute_table
from hand_mechanisms import MASS, heated_resistor, made, neighbours, row_of

from scilaws_bench.qualitative import Declaration, EpisodeTable, Mechanism
from scilaws_bench.qualitative.episodes import EpisodeGraph, PlainEdges


def braked(*declarations: Declaration) -> Mechanism:
    """A mass that slows down, whose states follow v; `load` is free and has no rate."""
    return made({"brake": "a + v", "load": "g - a"}, {"v": "a"}, states={"mass": MASS}, declarations=declarations)


STOP = Declaration("stop", "mass", "MOVING_POSITIVE", "REST")


def stopping(*declarations: Declaration) -> tuple[bool, str]:
    """Whether the moving mass comes to rest (by both graphs), and what the declarations say if not."""
    table = brute_table(braked(*declarations))
    moving, rest = row_of(table, v="+"), row_of(table, v="0")
    graph = EpisodeGraph(table)
    edges = graph.edges(moving)
    assert edges == PlainEdges(table).edges(moving)
    explanation = graph.explain(moving, rest)
    assert explanation.is_edge is bool(edges)
    caused = next(one for one in explanation.causes if one.cause)
    verdict = next(one for one in caused.verdicts if one.clause == "declaration")
    others = [one.clause for one in caused.verdicts if not one.passed and one is not verdict]
    assert others == [], "the declaration alone decides"
    return bool(edges), "\n".join(str(refusal) for refusal in verdict.refusals)


def test_a_plain_declaration_allows_the_change() -> None:
    assert stopping(STOP) == (True, "")


def test_without_a_declaration_the_component_cannot_change() -> None:
    assert stopping() == (
        False,
        "declaration: mass: expected a declaration of MOVING_POSITIVE → REST; "
        "found none of that pair; MOVING_POSITIVE is declared to change to no state",
    )


def test_a_declaration_of_another_pair_does_not_help() -> None:
    away = Declaration("away", "mass", "MOVING_POSITIVE", "MOVING_NEGATIVE")
    back = Declaration("back", "mass", "REST", "MOVING_POSITIVE")
    assert stopping(away, back) == (
        False,
        "declaration: mass: expected a declaration of MOVING_POSITIVE → REST; "
        "found none of that pair; MOVING_POSITIVE is declared to change to MOVING_NEGATIVE",
    )


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"source_guards": {"a": ("0", "+")}}, "source guard a in {0, +} fails: it is -"),
        ({"target_guards": {"g": ("-",)}}, "target guard g in {-} fails: it is 0"),
        ({"source_guards": {"v": ("+",), "g": ("+",)}}, "source guard g in {+} fails: it is -"),
    ],
)
def test_a_guard_that_fails_is_named(change: dict, fault: str) -> None:
    text = f"declaration: mass: expected a compatible declaration of MOVING_POSITIVE → REST; found stop: {fault}"
    assert stopping(replace(STOP, **change)) == (False, text)


@pytest.mark.parametrize(
    "change",
    [
        {"source_guards": {"a": ("-", "0")}, "target_guards": {"a": ("0",)}},
        {"event": "v"},
        {"event": "v", "source_guards": {"a": ("-",)}, "target_guards": {"v": ("0",)}},
    ],
)
def test_guards_and_an_event_that_hold_allow_it(change: dict) -> None:
    assert stopping(replace(STOP, **change)) == (True, "")


def test_one_compatible_declaration_among_several_is_enough() -> None:
    closed = replace(STOP, id="closed", source_guards={"a": ("+",)})
    assert stopping(closed, STOP)[0]
    allowed, text = stopping(closed, replace(STOP, target_guards={"g": ("+",)}))
    assert not allowed
    assert "closed: source guard" in text
    assert "stop: target guard" in text


def test_an_event_missing_from_the_cause_is_named() -> None:
    mechanism = made(
        {"brake": "a + v", "decay": "b + y"},
        {"v": "a", "y": "b"},
        states={"mass": MASS},
        declarations=[replace(STOP, event="y")],
    )
    table = brute_table(mechanism)
    moving, rest = row_of(table, v="+", y="+"), row_of(table, v="0", y="+")
    graph = EpisodeGraph(table)
    assert [str(event) for edge in graph.edges(moving) for event in edge.cause] == ["y: + → 0"]
    assert graph.edges(moving) == PlainEdges(table).edges(moving)
    assert "found stop: its event y is not in the cause" in graph.explain(moving, rest).text()


def test_components_that_change_together_each_need_their_own() -> None:
    whole = heated_resistor()
    half = replace(whole, declarations=tuple(d for d in whole.declarations if d.component == "source"))
    results = {}
    for name, mechanism in (("whole", whole), ("half", half)):
        table = brute_table(mechanism)
        row = row_of(table, V="0", dV="-")
        assert EpisodeGraph(table).edges(row) == PlainEdges(table).edges(row)
        results[name] = len(EpisodeGraph(table).edges(row))
    assert results == {"whole": 2, "half": 0}


def test_a_declared_change_without_a_rate_in_the_cause_may_follow_a_free_rate() -> None:
    """With the empty cause a component changes if its declaration names no event."""
    states = {"flow": {"FALLING": ("v", "-"), "STEADY": ("v", "0"), "RISING": ("v", "+")}}
    mechanism = made({}, {"x": "v"}, states=states, declarations=neighbours("flow", states["flow"], None))
    table = brute_table(mechanism, {"x": ("+",)})
    row = row_of(table, v="-")
    edges = EpisodeGraph(table).edges(row)
    assert edges == PlainEdges(table).edges(row)
    assert [(table.state(edge.target), edge.cause) for edge in edges] == [(("STEADY",), ())]


def test_a_state_may_change_while_every_variable_keeps_its_cell() -> None:
    """Two composite states may share an interpretation: only the declaration tells the ends apart."""
    mechanism = made(
        {"decay": "dx + x"},
        {"x": "dx"},
        states={"valve": {"OPEN": ("", ""), "SHUT": ("", "")}},
        declarations=[Declaration("shuts", "valve", "OPEN", "SHUT")],
    )
    table: EpisodeTable = brute_table(mechanism)
    shut = np.flatnonzero(table.states[:, 0] == 1).tolist()
    graph = EpisodeGraph(table)
    level = [row for row in table.matching({"x": ("0",)}).nonzero()[0].tolist() if row not in shut]
    assert [(edge.target in shut, edge.cause) for edge in graph.edges(level[0])] == [(True, ())]
    assert all(graph.edges(row) == PlainEdges(table).edges(row) for row in range(len(table)))
