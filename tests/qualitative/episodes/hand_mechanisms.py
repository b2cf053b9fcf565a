"""Small mechanisms whose episode graphs were worked out by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

from scilaws_bench.qualitative import (
    POSITIVE,
    SIGNS,
    Component,
    Declaration,
    EpisodeTable,
    Mechanism,
    QuantitySpace,
    Scenario,
    StateRestriction,
    Variable,
    document_of_mechanism,
    mechanism_from_document,
    parse_confluence,
)


def made(
    laws: Mapping[str, str],
    rates: Mapping[str, str],
    *,
    extra: Iterable[Variable] = (),
    spaces: Iterable[QuantitySpace] = (),
    states: Mapping[str, Mapping[str, tuple[str, str]]] | None = None,
    declarations: Iterable[Declaration] = (),
) -> Mechanism:
    """A mechanism from laws as text, read through the checked door.

    Args:
        laws: id → text; variables that `extra` doesn't describe are signs, and of role derivative if
            they are a rate without a rate.
        rates: coordinate → its derivative.
        extra: variables that differ from that.
        spaces: spaces of `extra` beside signs and positive.
        states: component → component state → (variable, its one cell in that state).
        declarations: the transition declarations.
    """
    confluences = tuple(parse_confluence(name, text) for name, text in laws.items())
    known = {variable.id: variable for variable in extra}
    names = [*(name for law in confluences for name in law.variables), *rates.keys(), *rates.values(), *known]
    plain = {
        name: Variable(
            name,
            None,
            "signs",
            role="derivative" if name in rates.values() and name not in rates else "quantity",
            derivative=rates.get(name),
        )
        for name in names
    }
    chosen = states or {"system": {"ONLY": ("", "")}}
    mechanism = Mechanism(
        id="made",
        title="Made by hand",
        components=tuple(Component(name, "Part", tuple(kept)) for name, kept in chosen.items()),
        spaces=(SIGNS, POSITIVE, *spaces),
        variables=tuple(known.get(name, variable) for name, variable in plain.items()),
        confluences=confluences,
        restrictions=tuple(
            StateRestriction(component, state, variable, (cell,))
            for component, kept in chosen.items()
            for state, (variable, cell) in kept.items()
            if variable
        ),
        declarations=tuple(declarations),
        scenarios=(Scenario("free"),),
    )
    return mechanism_from_document(document_of_mechanism(mechanism))


def by_sign(variable: str, negative: str, zero: str, positive: str) -> dict[str, tuple[str, str]]:
    """Three component states told apart by the sign of a variable."""
    return {negative: (variable, "-"), zero: (variable, "0"), positive: (variable, "+")}


def neighbours(component: str, states: Iterable[str], event: str | None) -> list[Declaration]:
    """Declarations both ways between states that follow each other."""
    pairs = list(pairwise(states))
    return [
        Declaration(f"{component}_{source}_{target}", component, source, target, event)
        for pair in pairs
        for source, target in (pair, pair[::-1])
    ]


MASS = by_sign("v", "MOVING_NEGATIVE", "REST", "MOVING_POSITIVE")
SPRING = by_sign("x", "COMPRESSED", "NEUTRAL", "EXTENDED")


def mass_spring(force: str = "a + x") -> Mechanism:
    """A mass on a spring; `force` is Newton's law, e.g. "a + x + v" with a damper."""
    return made(
        {"newton": force},
        {"x": "v", "v": "a"},
        states={"mass": MASS, "spring": SPRING},
        declarations=[*neighbours("mass", MASS, "v"), *neighbours("spring", SPRING, "x")],
    )


def two_masses() -> Mechanism:
    """Two equal thermal masses and a conductor; temperatures are deviations from the common end value."""
    return made(
        {"energy": "T1 + T2", "difference": "d - T1 + T2", "fourier": "q - d", "left": "dT1 + q", "right": "dT2 - q"},
        {"T1": "dT1", "T2": "dT2"},
    )


def heated_resistor() -> Mechanism:
    """A source V across a resistor: v and i cross zero with V, and P = v i touches it, without a rate of its own."""
    flow = by_sign("i", "REVERSE", "OFF", "FORWARD")
    source = by_sign("V", "NEGATIVE", "ZERO", "POSITIVE")
    return made(
        {"mesh": "V - v", "ohm": "v - R * i", "joule": "P - v * i", "mesh_rate": "dV - dv", "ohm_rate": "dv - R * di"},
        {"V": "dV", "v": "dv", "i": "di"},
        extra=[Variable("R", None, "positive", "parameter")],
        states={"source": source, "resistor": flow},
        declarations=[*neighbours("source", source, "V"), *neighbours("resistor", flow, "i")],
    )


def two_decays() -> Mechanism:
    """Two independent quantities that die away."""
    return made({"first": "dx + x", "second": "dy + y"}, {"x": "dx", "y": "dy"})


def decay_beside_ring() -> Mechanism:
    """A quantity that dies away, and two algebraic variables tied to each other alone."""
    return made({"decay": "dx + x", "ring": "p - q"}, {"x": "dx"})


def row_of(table: EpisodeTable, **cells: str) -> int:
    """The one episode with these cells."""
    rows = table.matching({name: (cell,) for name, cell in cells.items()}).nonzero()[0]
    assert len(rows) == 1, f"{cells} fits {len(rows)} episodes"
    return int(rows[0])
