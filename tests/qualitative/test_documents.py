"""Mechanism documents: read, written back, and every contradiction refused at its place."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from made_mechanisms import braked_mass
from scilaws_bench.errors import MechanismError, SchemaError
from scilaws_bench.qualitative import combined, document_of_mechanism, mechanism_from_document

Document = dict[str, Any]


def changed(change: Callable[[Document], object]) -> Document:
    document = copy.deepcopy(braked_mass())
    change(document)
    return document


def test_a_mechanism_reads_and_writes_back() -> None:
    document = braked_mass()
    mechanism = mechanism_from_document(document)
    assert document_of_mechanism(mechanism) == document
    assert mechanism_from_document(document_of_mechanism(mechanism)) == mechanism
    assert mechanism.variables[0].is_coordinate
    assert not mechanism.variables[1].is_coordinate


def test_domains_are_what_state_and_scenario_leave() -> None:
    mechanism = mechanism_from_document(braked_mass())
    assert mechanism.state_count == 3
    assert mechanism.domains(("REST",), {}) == {"mass.v": (1,), "mass.a": (0, 1, 2)}
    assert mechanism.domains(("REST",), {"mass.v": ("+",), "mass.a": ("0", "+")}) == {"mass.v": (), "mass.a": (1, 2)}
    assert [law.id for law in mechanism.active_confluences(("REST",))] == ["braking", "no_drive_at_rest"]
    assert [law.id for law in mechanism.active_confluences(("MOVING_POSITIVE",))] == ["braking"]


def test_restrictions_intersect() -> None:
    assert combined({"x": ("-", "0")}, {"x": ("0", "+"), "y": ("+",)}) == {"x": ("0",), "y": ("+",)}
    assert combined({"x": ("-",)}, {"x": ("+",)}) == {"x": ()}


CONTRADICTIONS: dict[str, tuple[Callable[[Document], object], str, str]] = {
    "a law naming an unknown variable": (
        lambda d: d["confluences"][0]["terms"][1]["factors"][0].update(variable="mass.w"),
        "$.confluences[0].terms[1].factors[0].variable",
        "Did you mean 'mass.v'?",
    ),
    "landmarks out of order": (
        lambda d: d["spaces"][0]["cells"].reverse(),
        "$.spaces[0].cells",
        "signs that rise through zero",
    ),
    "contradictory restrictions of a state": (
        lambda d: d["restrictions"].append({**d["restrictions"][0], "cells": ["+"]}),
        "$.restrictions[3].cells",
        "contradictory restrictions of mass.v in state MOVING_NEGATIVE",
    ),
    "contradictory restrictions of a scenario": (
        lambda d: d["scenarios"][0]["context"].update({"mass.v": ["-"]}),
        "$.scenarios[0].initial.mass.v",
        "contradictory restrictions of mass.v in context and initial",
    ),
    "an unknown component": (
        lambda d: d["variables"][0].update(component="mas"),
        "$.variables[0].component",
        "Did you mean 'mass'?",
    ),
    "an unknown space": (
        lambda d: d["variables"][0].update(space="sign"),
        "$.variables[0].space",
        "Did you mean 'signs'?",
    ),
    "an unknown derivative": (
        lambda d: d["variables"][0].update(derivative="mass.b"),
        "$.variables[0].derivative",
        "a declared variable",
    ),
    "a variable that is its own derivative": (
        lambda d: d["variables"][0].update(derivative="mass.v"),
        "$.variables[0].derivative",
        "one variable for each derivative",
    ),
    "a derivative of two variables": (
        lambda d: d["variables"].append({**d["variables"][0], "id": "mass.u"}),
        "$.variables[2].derivative",
        "mass.a, also of mass.v",
    ),
    "a coordinate of role derivative": (
        lambda d: d["variables"][0].update(role="derivative"),
        "$.variables[0].role",
        "quantity or input beside a derivative",
    ),
    "a parameter of several cells": (
        lambda d: d["variables"][1].update(role="parameter"),
        "$.variables[1].space",
        "one cell for a parameter",
    ),
    "an unknown state of a law": (
        lambda d: d["confluences"][0].update(active=[{"component": "mass", "states": ["STOPPED"]}]),
        "$.confluences[0].active[0].states",
        "a state of mass",
    ),
    "an unknown component of a law": (
        lambda d: d["confluences"][0].update(active=[{"component": "wheel", "states": ["REST"]}]),
        "$.confluences[0].active[0].component",
        "Known: mass.",
    ),
    "an unknown cell": (
        lambda d: d["restrictions"][0].update(cells=["++"]),
        "$.restrictions[0].mass.v",
        "Did you mean '+'?",
    ),
    "a declaration to an unknown state": (
        lambda d: d["declarations"][0].update(target="STOPPED"),
        "$.declarations[0].target",
        "a state of mass",
    ),
    "a declaration that goes nowhere": (
        lambda d: d["declarations"][0].update(target="MOVING_POSITIVE"),
        "$.declarations[0].target",
        "another state than the source",
    ),
    "an event that can't happen": (
        lambda d: d["declarations"][0].update(event="mass.a"),
        "$.declarations[0].event",
        "a variable with a declared derivative",
    ),
    "a guard on an unknown variable": (
        lambda d: d["declarations"][0].update(source_guards={"mass.x": ["+"]}),
        "$.declarations[0].source_guards.mass.x",
        "a declared variable",
    ),
    "an id used twice": (
        lambda d: d["scenarios"].append(d["scenarios"][0]),
        "$.scenarios[1].id",
        "an id used once",
    ),
    "a component state used twice": (
        lambda d: d["components"][0]["states"].append("REST"),
        "$.components[0].states",
        "different states",
    ),
}


@pytest.mark.parametrize("fault", CONTRADICTIONS)
def test_a_contradiction_is_refused_at_its_place(fault: str) -> None:
    change, place, words = CONTRADICTIONS[fault]
    with pytest.raises(MechanismError) as refusal:
        mechanism_from_document(changed(change), where="made.json")
    message = str(refusal.value)
    assert message.startswith(f"made.json at {place}")
    assert words in message


AGAINST_THE_SCHEMA: dict[str, tuple[Callable[[Document], object], str]] = {
    "a component without state": (lambda d: d["components"][0].update(states=[]), "$.components[0].states"),
    "an empty quantity space": (lambda d: d["spaces"][0].update(cells=[]), "$.spaces[0].cells"),
    "a key nobody reads": (lambda d: d.update(note="x"), "$"),
    "an exponent of zero": (
        lambda d: d["confluences"][0]["terms"][0]["factors"][0].update(exponent=0),
        "$.confluences[0].terms[0].factors[0].exponent",
    ),
    "no scenario": (lambda d: d.update(scenarios=[]), "$.scenarios"),
    "another version": (lambda d: d.update(schema="scilaws-bench/mechanism/2"), "$.schema"),
}


@pytest.mark.parametrize("fault", AGAINST_THE_SCHEMA)
def test_what_the_schema_forbids_is_refused_at_its_place(fault: str) -> None:
    change, place = AGAINST_THE_SCHEMA[fault]
    with pytest.raises(SchemaError) as refusal:
        mechanism_from_document(changed(change), where="made.json")
    assert str(refusal.value).startswith(f"made.json at {place}")


def test_the_number_of_further_faults_is_told() -> None:
    def two_faults(document: Document) -> None:
        document["variables"][0]["component"] = "mas"
        document["declarations"][0]["target"] = "STOPPED"

    with pytest.raises(MechanismError, match=r"\(1 more\)"):
        mechanism_from_document(changed(two_faults))
