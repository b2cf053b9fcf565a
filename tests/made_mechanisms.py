"""Small mechanisms written by hand."""

from __future__ import annotations

from typing import Any


def braked_mass() -> dict[str, Any]:
    """A body with a linear brake: v' = a, and a opposes v; a document, to be changed at will."""
    signs = [
        {"id": "-", "kind": "interval", "sign": -1, "value": None},
        {"id": "0", "kind": "point", "sign": 0, "value": 0.0},
        {"id": "+", "kind": "interval", "sign": 1, "value": None},
    ]

    def variable(name: str, role: str, derivative: str | None) -> dict[str, Any]:
        return {
            "id": name,
            "component": "mass",
            "space": "signs",
            "role": role,
            "derivative": derivative,
            "continuous": True,
            "unit": "",
            "meaning": "",
        }

    states = ["MOVING_NEGATIVE", "REST", "MOVING_POSITIVE"]
    return {
        "schema": "scilaws-bench/mechanism/1",
        "id": "braked_mass",
        "title": "A body slowed by a linear brake",
        "components": [{"id": "mass", "type": "Mass", "states": states}],
        "spaces": [{"id": "signs", "cells": signs}],
        "variables": [variable("mass.v", "quantity", "mass.a"), variable("mass.a", "derivative", None)],
        "confluences": [
            {
                "id": "braking",
                "component": "mass",
                "active": [],
                "terms": [
                    {"sign": 1, "factors": [{"variable": "mass.a", "exponent": 1}]},
                    {"sign": 1, "factors": [{"variable": "mass.v", "exponent": 1}]},
                ],
            },
            {
                "id": "no_drive_at_rest",
                "component": "mass",
                "active": [{"component": "mass", "states": ["REST"]}],
                "terms": [{"sign": 1, "factors": [{"variable": "mass.a", "exponent": 1}]}],
            },
        ],
        "restrictions": [
            {"component": "mass", "state": state, "variable": "mass.v", "cells": [cell]}
            for state, cell in zip(states, "-0+", strict=True)
        ],
        "declarations": [
            {
                "id": "stops",
                "component": "mass",
                "source": "MOVING_POSITIVE",
                "target": "REST",
                "event": "mass.v",
                "source_guards": {"mass.a": ["-"]},
                "target_guards": {"mass.v": ["0"]},
            }
        ],
        "scenarios": [
            {"id": "nominal", "title": "thrown forward", "context": {}, "initial": {"mass.v": ["+"]}},
        ],
    }
