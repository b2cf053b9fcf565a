"""Random small mechanisms from a seed: every feature of the data model, small enough to enumerate.

`random_mechanism(seed)` is the same mechanism for ever; what a seed means may change only together
with the tests that count on it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scilaws_bench.qualitative import Cell, Mechanism, QuantitySpace, mechanism_from_document, space_of_landmarks

_LEVELS = [("-v0", -1.0), ("0", 0.0), ("v0", 1.0)]
SPACES = (
    space_of_landmarks("signs", [("0", 0.0)]),
    space_of_landmarks("non_negative", [("0", 0.0)], below=False),
    space_of_landmarks("levels", _LEVELS),
    space_of_landmarks("tank", [("0", 0.0), ("full", 1.0)], below=False, above=False),
    QuantitySpace(
        "positive", (Cell("near", "interval", 1), Cell("far", "point", 1, 1.0), Cell("beyond", "interval", 1))
    ),
)
_ONE_CELL = "one"

Cells = dict[str, list[str]]


def random_mechanism(seed: int, *, variables: int = 6, components: int = 2) -> Mechanism:
    """The mechanism of a seed, read through the checked door.

    Args:
        seed: a whole number ≥ 0.
        variables: largest number of variables (at least 3 are drawn).
        components: largest number of components (each has one to three states).
    """
    return mechanism_from_document(random_document(seed, variables=variables, components=components))


def random_document(seed: int, *, variables: int = 6, components: int = 2) -> dict[str, Any]:
    """The same as a document: coordinates (also chains x, v, a), inputs, parameters, laws that depend
    on states, products with repeated factors and powers, overlapping restrictions, guarded declarations.
    """
    rng = np.random.default_rng(seed)
    parts = _components(rng, int(rng.integers(1, components + 1)))
    owners = [part["id"] for part in parts]
    quantities = _variables(rng, int(rng.integers(3, variables + 1)), owners)
    names = [item["id"] for item in quantities]
    cells = {item["id"]: _cells_of(item["space"]) for item in quantities}
    coordinates = [item["id"] for item in quantities if item["derivative"]]
    restrictions = _restrictions(rng, parts, coordinates or names, cells)
    return {
        "schema": "scilaws-bench/mechanism/1",
        "id": f"random_{seed}",
        "title": f"Random mechanism {seed}",
        "components": parts,
        "spaces": [_space_document(space) for space in SPACES] + [_one_cell_document()],
        "variables": quantities,
        "confluences": _laws(rng, names, parts),
        "restrictions": restrictions,
        "declarations": _declarations(rng, parts, coordinates, cells),
        "scenarios": [
            {"id": "free", "title": "", "context": {}, "initial": {}},
            {"id": "held", "title": "", "context": random_cells(rng, cells), "initial": {}},
        ],
    }


def random_restrictions(rng: np.random.Generator, mechanism: Mechanism) -> dict[str, tuple[str, ...]]:
    """Restrictions of none to three variables, each to a non-empty set of cells."""
    cells = {variable.id: list(mechanism.space(variable.id).names) for variable in mechanism.variables}
    return {name: tuple(kept) for name, kept in random_cells(rng, cells).items()}


def random_cells(rng: np.random.Generator, cells: Cells, most: int = 3) -> Cells:
    """Non-empty subsets of the cells of up to `most` variables, cells in their order."""
    chosen = rng.permutation(sorted(cells))[: int(rng.integers(0, most + 1))]
    return {str(name): _subset(rng, cells[str(name)]) for name in sorted(chosen)}


def _subset(rng: np.random.Generator, cells: list[str]) -> list[str]:
    kept = [cell for cell in cells if rng.random() < 0.6]
    return kept or [cells[int(rng.integers(len(cells)))]]


def _components(rng: np.random.Generator, count: int) -> list[dict[str, Any]]:
    return [
        {"id": f"c{place}", "type": "Part", "states": ["LOW", "MIDDLE", "HIGH"][: int(rng.integers(1, 4))]}
        for place in range(count)
    ]


def _variables(rng: np.random.Generator, count: int, owners: list[str]) -> list[dict[str, Any]]:
    """Chains of coordinates first (as many as fit), then single variables; shuffled at the end."""
    made: list[dict[str, Any]] = []

    def add(name: str, space: str, role: str, derivative: str | None, continuous: bool = True) -> None:
        owner = None if role == "input" else str(rng.choice(owners))
        made.append(
            {
                "id": name,
                "component": owner,
                "space": space,
                "role": role,
                "derivative": derivative,
                "continuous": continuous,
                "unit": "",
                "meaning": "",
            }
        )

    for chain in range(int(rng.integers(1, 3))):
        length = int(rng.integers(2, 4))
        if len(made) + length > count:
            break
        places = [f"x{chain}", f"v{chain}", f"a{chain}"][:length]
        for name, rate in zip(places, [*places[1:], None], strict=True):
            space = "signs" if rate is None else str(rng.choice(["signs", "signs", "levels", "tank", "non_negative"]))
            role = "derivative" if rate is None else "input" if rng.random() < 0.15 else "quantity"
            add(name, space, role, rate)
    for place in range(count - len(made)):
        kind = rng.choice(["quantity", "quantity", "quantity", "input", "parameter"])
        space = _ONE_CELL if kind == "parameter" else str(rng.choice(["signs", "signs", "levels", "positive"]))
        add(f"q{place}", space, str(kind), None, continuous=bool(rng.random() < 0.85))
    return [made[place] for place in rng.permutation(len(made))]


def _laws(rng: np.random.Generator, names: list[str], parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    laws = []
    for place in range(int(rng.integers(1, len(names)))):
        terms = [
            {
                "sign": int(rng.choice([-1, 1])),
                "factors": [
                    {"variable": str(rng.choice(names)), "exponent": int(rng.choice([1, 1, 1, 2, 3]))}
                    for _ in range(int(rng.choice([1, 1, 1, 2, 3])))
                ],
            }
            for _ in range(int(rng.choice([1, 2, 2, 3, 3, 4])))
        ]
        active = []
        if rng.random() < 0.35:
            chosen = rng.permutation(len(parts))[: int(rng.integers(1, 3))]
            active = [{"component": parts[i]["id"], "states": _subset(rng, parts[i]["states"])} for i in sorted(chosen)]
        owner = active[0]["component"] if active else None
        laws.append({"id": f"law{place}", "component": owner, "terms": terms, "active": active})
    return laws


def _restrictions(
    rng: np.random.Generator, parts: list[dict[str, Any]], names: list[str], cells: Cells
) -> list[dict[str, Any]]:
    """Mostly the cells of one variable shared out among the states in order, else overlapping sets."""
    made = []
    for part in parts:
        states = part["states"]
        variable = str(rng.choice(names))
        own = cells[variable]
        shared_out = len(own) >= len(states) and rng.random() < 0.75
        cuts = [round(place * len(own) / len(states)) for place in range(len(states) + 1)]
        for place, state in enumerate(states):
            kept = own[cuts[place] : cuts[place + 1]] if shared_out else _subset(rng, own)
            made.append({"component": part["id"], "state": state, "variable": variable, "cells": kept})
        other = str(rng.choice(sorted(cells)))
        if other != variable and rng.random() < 0.3:
            state = str(rng.choice(states))
            made.append(
                {"component": part["id"], "state": state, "variable": other, "cells": _subset(rng, cells[other])}
            )
    return made


def _declarations(
    rng: np.random.Generator, parts: list[dict[str, Any]], coordinates: list[str], cells: Cells
) -> list[dict[str, Any]]:
    made = []
    for part in parts:
        for source in part["states"]:
            for target in part["states"]:
                if source == target or rng.random() < 0.3:
                    continue
                event = str(rng.choice(coordinates)) if coordinates and rng.random() < 0.5 else None
                made.append(
                    {
                        "id": f"{part['id']}_{source}_{target}",
                        "component": part["id"],
                        "source": source,
                        "target": target,
                        "event": event,
                        "source_guards": random_cells(rng, cells, most=1),
                        "target_guards": random_cells(rng, cells, most=1),
                    }
                )
    return made


def _cells_of(space: str) -> list[str]:
    return next((list(known.names) for known in SPACES if known.id == space), ["+"])


def _space_document(space: QuantitySpace) -> dict[str, Any]:
    return {"id": space.id, "cells": [vars(cell).copy() for cell in space.cells]}


def _one_cell_document() -> dict[str, Any]:
    return {"id": _ONE_CELL, "cells": [{"id": "+", "kind": "interval", "sign": 1, "value": None}]}
