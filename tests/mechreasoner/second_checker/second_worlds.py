"""Small worlds whose edges can be worked out by hand, and a short way to write them down."""

from __future__ import annotations

from typing import Any

from scilaws_builders.mechreasoner.second_checker import Cause, Episode, World, world_of

SPACES = {
    "signs": [("-", "interval", -1), ("0", "point", 0), ("+", "interval", 1)],
    "tank": [("empty", "point", 0), ("part", "interval", 1), ("full", "point", 1)],
    "adjoining": [("low", "interval", 1), ("high", "interval", 1)],
}


def variable(name: str, role: str = "quantity", rate: str | None = None, space: str = "signs", **other: Any) -> dict:
    made = {"id": name, "component": None, "space": space, "role": role, "derivative": rate}
    return {**made, "continuous": True, "unit": "", "meaning": "", **other}


def law(name: str, terms: str, **active: list[str]) -> dict[str, Any]:
    """`law("force", "+m*a -f", BODY=["REST"])`: signed terms, factors joined by *, exponents after ^."""
    made = []
    for term in terms.split():
        factors = [factor.partition("^") for factor in term[1:].split("*")]
        found = [{"variable": base, "exponent": int(power or 1)} for base, _, power in factors]
        made.append({"sign": {"+": 1, "-": -1}[term[0]], "factors": found})
    conditions = [{"component": component, "states": states} for component, states in active.items()]
    return {"id": name, "component": None, "active": conditions, "terms": made}


def restriction(component: str, state: str, name: str, *cells: str) -> dict[str, Any]:
    return {"component": component, "state": state, "variable": name, "cells": list(cells)}


def declaration(component: str, source: str, target: str, event: str | None, **guards: Any) -> dict[str, Any]:
    made = {"id": f"{component}_{source}_{target}", "component": component, "source": source, "target": target}
    return {**made, "event": event, "source_guards": {}, "target_guards": {}, **guards}


def document(variables: list[dict], laws: list[dict] = [], **parts: Any) -> dict[str, Any]:  # noqa: B006
    """A mechanism document; `states` is {component: states}, ONE component with one state unless told."""
    states = parts.get("states", {"ONE": ["ONLY"]})
    return {
        "schema_version": "1.0",
        "id": "small",
        "title": "",
        "components": [{"id": name, "type": "Part", "states": own} for name, own in states.items()],
        "spaces": [
            {"id": name, "cells": [{"id": i, "kind": kind, "sign": sign, "value": None} for i, kind, sign in cells]}
            for name, cells in SPACES.items()
        ],
        "variables": variables,
        "confluences": laws,
        "restrictions": parts.get("restrictions", []),
        "declarations": parts.get("declarations", []),
        "scenarios": [{"id": "free", "title": "", "context": {}, "initial": {}}],
    }


def node(cells: str, *state: str) -> Episode:
    """`node("+ 0 -", "REST")`: cells in the order of the variables."""
    return Episode(state or ("ONLY",), tuple(cells.split()))


def cause(names: str) -> Cause:
    """`cause("x v")`; the empty text is the empty cause."""
    return frozenset(names.split())


MASS_STATES = {"MASS": ["MOVING_NEGATIVE", "REST", "MOVING_POSITIVE"]}
MASS_RESTRICTIONS = [
    restriction("MASS", "MOVING_NEGATIVE", "v", "-"),
    restriction("MASS", "REST", "v", "0"),
    restriction("MASS", "MOVING_POSITIVE", "v", "+"),
]
MASS_DECLARATIONS = [
    declaration("MASS", "MOVING_NEGATIVE", "REST", "v"),
    declaration("MASS", "REST", "MOVING_NEGATIVE", "v"),
    declaration("MASS", "REST", "MOVING_POSITIVE", "v"),
    declaration("MASS", "MOVING_POSITIVE", "REST", "v"),
]
MOTION = [variable("x", rate="v"), variable("v", rate="a"), variable("a", "derivative")]
MASS = {"states": MASS_STATES, "restrictions": MASS_RESTRICTIONS, "declarations": MASS_DECLARATIONS}
STATE_OF_V = {"-": "MOVING_NEGATIVE", "0": "REST", "+": "MOVING_POSITIVE"}


def moving(cells: str) -> Episode:
    """An episode of a mass: its state follows from the second cell, the velocity's."""
    return node(cells, STATE_OF_V[cells.split()[1]])


def mass_and_spring() -> World:
    """x, v, a with a = -x: without friction."""
    return world_of(document(MOTION, [law("spring", "+a +x")], **MASS), {})


def pushed_body() -> World:
    """x, v, a with a = f, the force f held positive."""
    variables = [*MOTION, variable("f", "input")]
    return world_of(document(variables, [law("newton", "+a -f")], **MASS), {"f": ["+"]})


def two_free() -> World:
    """p with dp and q with dq, no law at all."""
    variables = [variable("p", rate="dp"), variable("dp", "derivative"), variable("q", rate="dq")]
    return world_of(document([*variables, variable("dq", "derivative")]), {})


def two_tied_and_one() -> World:
    """p = q with their rates, r on its own; rates held non-zero and equal."""
    variables = [variable("p", rate="dp"), variable("q", rate="dq"), variable("r", rate="dr")]
    variables += [variable(name, "derivative") for name in ("dp", "dq", "dr")]
    laws = [law("tie", "+p -q"), law("tied_rates", "+dp -dq")]
    return world_of(document(variables, laws), {name: ["-", "+"] for name in ("dp", "dq", "dr")})


def ring() -> World:
    """A coordinate x, a quantity y that hangs on it, and q = r on their own."""
    variables = [variable("x", rate="v"), variable("v", "derivative"), *(variable(name) for name in "yqr")]
    return world_of(document(variables, [law("image", "+y -x"), law("pair", "+q -r")]), {})


def valve(**guards: Any) -> World:
    """A tank filled through a valve that closes at its event; `guards` go to the declaration."""
    variables = [
        variable("level", rate="flow", space="tank"),
        variable("flow", "derivative"),
        variable("alarm"),
    ]
    parts = {
        "states": {"VALVE": ["OPEN", "CLOSED"]},
        "declarations": [declaration("VALVE", "OPEN", "CLOSED", **{"event": "level", **guards})],
    }
    laws = [law("watch", "+alarm*level -alarm*level")]
    return world_of(document(variables, laws, **parts), {"flow": ["0", "+"]})


def linked(
    *, continuous: bool = True, dynamic_continuous: bool = True, active: dict[str, list[str]] | None = None
) -> World:
    """A coordinate x with rate v, and q tied to x by a law that forbids nothing; a parameter k, an input u.

    One component with states A and B, which may change into each other at any time.
    """
    variables = [
        variable("x", rate="v"),
        variable("v", "derivative", continuous=dynamic_continuous),
        variable("q", continuous=continuous),
        variable("k", "parameter"),
        variable("u", "input"),
    ]
    parts = {
        "states": {"PART": ["A", "B"]},
        "declarations": [declaration("PART", "A", "B", None)],
    }
    return world_of(document(variables, [law("link", "+q*x -q*x", **(active or {}))], **parts), {})


def three_oscillators() -> World:
    """Three masses on springs, and a free rate: 9 · 9 · 9 · 3 = 2,187 episodes."""
    variables = [
        item
        for i in "123"
        for item in (
            variable(f"x{i}", rate=f"v{i}"),
            variable(f"v{i}", rate=f"a{i}"),
            variable(f"a{i}", "derivative"),
        )
    ]
    return world_of(
        document([*variables, variable("j", "derivative")], [law(f"s{i}", f"+a{i} +x{i}") for i in "123"]), {}
    )


def one_crowded_group() -> World:
    """One coordinate with five quantities that a law without effect ties to it: 9 · 243 = 2,187 episodes.

    Only nine sets of held cells: the worst case for a search that looks up targets by held cells.
    """
    variables = [variable("x", rate="v"), variable("v", "derivative"), *(variable(name) for name in "abcde")]
    return world_of(document(variables, [law(f"{name}", f"+{name}*x -{name}*x") for name in "abcde"]), {})


def chain() -> World:
    """A coordinate x, and m, q, r tied to it one after the other by laws that forbid nothing."""
    variables = [variable("x", rate="v"), variable("v", "derivative"), *(variable(name) for name in "mqr")]
    laws = [law(f"{a}_{b}", f"+{a}*{b} -{a}*{b}") for a, b in ("xm", "mq", "qr")]
    return world_of(document(variables, laws), {"v": ["+"]})
