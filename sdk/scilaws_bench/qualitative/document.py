"""Mechanism documents: the JSON form of a mechanism, read with located errors and written back exactly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from scilaws_bench import schemas
from scilaws_bench.errors import MechanismError
from scilaws_bench.qualitative._validation import mechanism_issues
from scilaws_bench.qualitative.confluences import Confluence, Factor, Term
from scilaws_bench.qualitative.mechanism import Component, Declaration, Mechanism, StateRestriction
from scilaws_bench.qualitative.scenario import Restrictions, Scenario
from scilaws_bench.qualitative.spaces import Cell, QuantitySpace
from scilaws_bench.qualitative.variables import Variable

SCHEMA = "scilaws-bench/mechanism/1"


def mechanism_from_document(document: Any, *, where: str = "mechanism document") -> Mechanism:
    """Read and check a mechanism.

    Raises:
        SchemaError: the document does not follow `mechanism.schema.json`.
        MechanismError: it contradicts itself (unknown names, empty or unordered quantity spaces, a
            component without states, contradictory restrictions); the message names the first fault's
            place and the number of faults.
    """
    schemas.require("mechanism", document, where=where)
    issues = mechanism_issues(document)
    if issues:
        first = issues[0]
        more = f" ({len(issues) - 1} more)" if len(issues) > 1 else ""
        raise MechanismError(f"{where} at {first.path}{more}", first.expected, first.found, first.remedy)
    return Mechanism(
        id=document["id"],
        title=document["title"],
        components=tuple(Component(item["id"], item["type"], tuple(item["states"])) for item in document["components"]),
        spaces=tuple(
            QuantitySpace(item["id"], tuple(Cell(**cell) for cell in item["cells"])) for item in document["spaces"]
        ),
        variables=tuple(Variable(**item) for item in document["variables"]),
        confluences=tuple(_confluence(item) for item in document["confluences"]),
        restrictions=tuple(
            StateRestriction(item["component"], item["state"], item["variable"], tuple(item["cells"]))
            for item in document["restrictions"]
        ),
        declarations=tuple(_declaration(item) for item in document["declarations"]),
        scenarios=tuple(
            Scenario(item["id"], restrictions(item["context"]), restrictions(item["initial"]), item["title"])
            for item in document["scenarios"]
        ),
    )


def document_of_mechanism(mechanism: Mechanism) -> dict[str, Any]:
    """The JSON form; `mechanism_from_document` gives an equal mechanism back."""
    return {
        "schema": SCHEMA,
        "id": mechanism.id,
        "title": mechanism.title,
        "components": [
            {"id": item.id, "type": item.type, "states": list(item.states)} for item in mechanism.components
        ],
        "spaces": [
            {"id": space.id, "cells": [vars(cell).copy() for cell in space.cells]} for space in mechanism.spaces
        ],
        "variables": [vars(variable).copy() for variable in mechanism.variables],
        "confluences": [
            {
                "id": law.id,
                "component": law.component,
                "active": [{"component": component, "states": list(states)} for component, states in law.active],
                "terms": [
                    {
                        "sign": term.sign,
                        "factors": [
                            {"variable": factor.variable, "exponent": factor.exponent} for factor in term.factors
                        ],
                    }
                    for term in law.terms
                ],
            }
            for law in mechanism.confluences
        ],
        "restrictions": [{**vars(item), "cells": list(item.cells)} for item in mechanism.restrictions],
        "declarations": [
            {
                "id": item.id,
                "component": item.component,
                "source": item.source,
                "target": item.target,
                "event": item.event,
                "source_guards": _listed(item.source_guards),
                "target_guards": _listed(item.target_guards),
            }
            for item in mechanism.declarations
        ],
        "scenarios": [
            {
                "id": item.id,
                "title": item.title,
                "context": _listed(item.context),
                "initial": _listed(item.initial),
            }
            for item in mechanism.scenarios
        ],
    }


def restrictions(document: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """Restrictions from their JSON form (variable → list of cell names)."""
    return {variable: tuple(cells) for variable, cells in document.items()}


def _confluence(item: Mapping[str, Any]) -> Confluence:
    terms = tuple(Term(term["sign"], tuple(Factor(**factor) for factor in term["factors"])) for term in item["terms"])
    active = tuple((entry["component"], tuple(entry["states"])) for entry in item["active"])
    return Confluence(item["id"], terms, item["component"], active)


def _declaration(item: Mapping[str, Any]) -> Declaration:
    guards = {name: restrictions(item[name]) for name in ("source_guards", "target_guards")}
    return Declaration(item["id"], item["component"], item["source"], item["target"], item["event"], **guards)


def _listed(cells: Restrictions) -> dict[str, list[str]]:
    return {variable: list(names) for variable, names in cells.items()}
