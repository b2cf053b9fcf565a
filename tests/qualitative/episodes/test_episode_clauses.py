"""Each clause E1 … E8 on a proposed step where it refuses, beside the same step where it doesn't."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hand_mechanisms import made

from scilaws_bench.qualitative import Component, Mechanism, Variable, document_of_mechanism, mechanism_from_document
from scilaws_bench.qualitative import space_of_landmarks as landmarks
from scilaws_bench.qualitative.episodes import CLAUSES, Event, Refusal, Step
from scilaws_bench.qualitative.episodes.layout import Layout, Position


def bench() -> Mechanism:
    """x, y and the jumping z fall (rates v, w, u); p and q follow x; r and s follow each other.

    s is also tied to x while the switch is ON, and j jumps with q; f is a fixed input.
    """
    mechanism = made(
        {"follow": "x - p", "onward": "p - q", "feed": "f - q", "ring": "r - s", "bridge": "s - x", "jump": "j - q"},
        {"x": "v", "y": "w", "z": "u"},
        extra=[
            Variable("p", None, "levels"),
            Variable("j", None, "levels", continuous=False),
            Variable("z", None, "signs", derivative="u", continuous=False),
            Variable("u", None, "signs", role="derivative", continuous=False),
            Variable("f", None, "signs", role="input"),
            Variable("m", None, "levels", role="derivative"),
        ],
        spaces=[landmarks("levels", [("-1", -1.0), ("0", 0.0), ("1", 1.0)])],
        states={"switch": {"ON": ("", ""), "OFF": ("", "")}},
    )
    assert mechanism.components == (Component("switch", "Part", ("ON", "OFF")),)
    document = document_of_mechanism(mechanism)
    bridge = next(law for law in document["confluences"] if law["id"] == "bridge")
    bridge["active"] = [{"component": "switch", "states": ["ON"]}]
    return mechanism_from_document(document)


LAYOUT = Layout(bench())
SOURCE = dict.fromkeys(LAYOUT.names, "+") | {"v": "-", "w": "-", "u": "-", "p": "(0,1)", "j": "(0,1)", "m": "0"}
X_FALLS = (Event("x", "+", "0"),)
FOLLOWERS = {"x": "0", "p": "0", "q": "0"}


def position(cells: Mapping[str, str], switch: str) -> Position:
    numbers = tuple(space.index(cells[name]) for name, space in zip(LAYOUT.names, LAYOUT.spaces, strict=True))
    return Position((("ON", "OFF").index(switch),), numbers)


def refusals(
    changes: Mapping[str, str],
    cause: tuple[Event, ...] = X_FALLS,
    *,
    produced: tuple[tuple[Event, ...], ...] | None = None,
    solved: bool = True,
    source: Mapping[str, str] | None = None,
    switch: tuple[str, str] = ("OFF", "OFF"),
) -> dict[str, Refusal]:
    """What refuses a step from SOURCE by its clause; the cause counts as produced unless told otherwise."""
    before = SOURCE | dict(source or {})
    here, there = position(before, switch[0]), position(before | changes, switch[1])
    step = Step(LAYOUT, here, there, cause, (cause,) if produced is None else produced, {there} if solved else set())
    found = {name: clause(step) for name, clause in CLAUSES}
    return {name: refusal for name, refusal in found.items() if refusal is not None}


def test_the_step_all_others_differ_from_passes_every_clause() -> None:
    assert refusals(FOLLOWERS) == {}


@pytest.mark.parametrize(
    ("clause", "text", "step"),
    [
        (
            "E1",
            "E1: y: expected its cell kept, as it is not in the cause; found + → 0",
            {"changes": FOLLOWERS | {"y": "0"}},
        ),
        (
            "E1",
            "E1: x: expected the cell 0, where the cause takes it; found +",
            {"changes": {"p": "0", "q": "0"}},
        ),
        (
            "E1",
            "E1: f: expected its cell kept, as an input without a declared derivative never changes; found + → 0",
            {"changes": FOLLOWERS | {"f": "0"}},
        ),
        (
            "E2",
            "E2: z: expected the nearest cell in its direction; found + → -",
            {"changes": {"z": "-"}, "cause": (Event("z", "+", "-"),)},
        ),
        (
            "E2",
            "E2: z: expected an event that starts in its cell +; found 0 → -",
            {"changes": {"z": "-"}, "cause": (Event("z", "0", "-"),)},
        ),
        (
            "E3",
            "E3: cause: expected one of the causes of the source: {x: + → 0, y: + → 0}; no event; found {x: + → 0}",
            {"changes": FOLLOWERS, "produced": ((*X_FALLS, Event("y", "+", "0")), ())},
        ),
        (
            "E5",
            "E5: target: expected a solved interpretation of the state (OFF); found an assignment that breaks "
            "a law or a restriction",
            {"changes": FOLLOWERS, "solved": False},
        ),
        (
            "E6",
            "E6: p: expected a move by at most one cell (continuous); found (0,1) → (-1,0)",
            {"changes": FOLLOWERS | {"p": "(-1,0)"}},
        ),
        (
            "E7",
            "E7: y: expected a fall, since w is - in the source; found 0 → +",
            {"changes": {"y": "+"}, "cause": (Event("y", "0", "+"),), "source": {"y": "0"}},
        ),
        (
            "E7",
            "E7: y: expected no change, since w is 0 in the source; found 0 → +",
            {"changes": {"y": "+"}, "cause": (Event("y", "0", "+"),), "source": {"y": "0", "w": "0"}},
        ),
        (
            "E8",
            "E8: r: expected a chain of active laws over changed variables from {x: + → 0}; "
            "found + → 0, reached by no chain",
            {"changes": FOLLOWERS | {"r": "0", "s": "0"}},
        ),
        (
            "E8",
            "E8: p: expected an event behind its change (without events only rates change); found (0,1) → 0",
            {"changes": {"p": "0", "q": "0"}, "cause": ()},
        ),
        (
            "E8",
            "E8: u: expected a move by one cell, as there is no event; found - → +",
            {"changes": {"u": "+"}, "cause": ()},
        ),
    ],
)
def test_one_clause_alone_refuses_and_says_why(clause: str, text: str, step: dict) -> None:
    found = refusals(**step)
    assert {name: str(refusal) for name, refusal in found.items()} == {clause: text}


def test_a_change_without_any_link_is_refused_by_e4_and_thereby_by_e8() -> None:
    found = refusals(FOLLOWERS | {"r": "0"})
    assert set(found) == {"E4", "E8"}, "E4 can't refuse alone: what a chain reaches has a neighbour in it"
    assert str(found["E4"]) == (
        "E4: r: expected an active law that links it with another changed variable; found + → 0, linked with none"
    )


@pytest.mark.parametrize(
    "changes",
    [{"v": "0"}, {"m": "(0,1)"}, {"u": "0", "w": "0"}, {"j": "0", "v": "0"}],
    ids=["one cell", "one cell of many", "two rates", "a rate beside a variable"],
)
def test_without_events_rates_alone_move_one_cell(changes: dict[str, str]) -> None:
    assert ("E8" in refusals(changes, ())) is ("j" in changes)


@pytest.mark.parametrize(("cell", "refused"), [("(-1,0)", set()), ("-1", set())])
def test_a_discontinuous_variable_may_jump_over_cells(cell: str, refused: set[str]) -> None:
    assert set(refusals(FOLLOWERS | {"j": cell})) == refused


@pytest.mark.parametrize("far", ["-1", "(-1,0)"])
def test_a_continuous_rate_may_not_jump_even_beside_an_event(far: str) -> None:
    assert set(refusals(FOLLOWERS | {"m": far}, source={"m": "(0,1)"})) == {"E6"}


@pytest.mark.parametrize(
    ("switch", "refused"),
    [(("OFF", "OFF"), {"E8"}), (("ON", "OFF"), set()), (("OFF", "ON"), set()), (("ON", "ON"), set())],
)
def test_a_law_links_if_it_is_active_at_either_end(switch: tuple[str, str], refused: set[str]) -> None:
    assert set(refusals(FOLLOWERS | {"r": "0", "s": "0"}, switch=switch)) == refused


def test_a_chain_runs_over_changed_variables_only() -> None:
    assert set(refusals({"x": "0", "q": "0"})) == {"E4", "E8"}, "q is tied to x by p alone, and p stays"


def test_without_events_a_coordinate_is_refused_by_e8_as_well() -> None:
    assert set(refusals({"y": "0"}, ())) == {"E1", "E8"}
