"""Events and causes: who moves where, what goes first, what goes together."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from brute_tables import brute_table
from hand_mechanisms import made, row_of

from scilaws_bench.qualitative import QuantitySpace, Variable, space_of_landmarks
from scilaws_bench.qualitative.episodes import EpisodeGraph, PlainEdges
from scilaws_bench.qualitative.episodes.causes import minimal_sets, moves
from scilaws_bench.qualitative.episodes.layout import Layout

TANK = space_of_landmarks("tank", [("0", 0.0), ("full", 1.0)], below=False, above=False)
LEVELS = space_of_landmarks("levels", [("-1", -1.0), ("0", 0.0), ("1", 1.0)])


def offered(space: QuantitySpace, cells: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Departures and terminations by name of x (in the space) and y (signs), with rates v and w."""
    mechanism = made({}, {"x": "v", "y": "w"}, extra=[Variable("x", None, space.id, derivative="v")], spaces=[space])
    layout = Layout(mechanism)
    numbers = [known.index(cells[name]) for name, known in zip(layout.names, layout.spaces, strict=True)]
    found = moves(layout, numbers)
    return tuple(  # type: ignore[return-value]
        {layout.names[column]: layout.cell_name(column, cell) for column, cell in kind.items()}
        for kind in (found.departures, found.terminations)
    )


REST = {"y": "0", "w": "0"}


@pytest.mark.parametrize(
    ("space", "cells", "departures", "terminations"),
    [
        (LEVELS, {"x": "0", "v": "+"}, {"x": "(0,1)"}, {}),
        (LEVELS, {"x": "0", "v": "-"}, {"x": "(-1,0)"}, {}),
        (LEVELS, {"x": "1", "v": "+"}, {"x": "(1,inf)"}, {}),
        (LEVELS, {"x": "(0,1)", "v": "+"}, {}, {"x": "1"}),
        (LEVELS, {"x": "(0,1)", "v": "-"}, {}, {"x": "0"}),
        (LEVELS, {"x": "(1,inf)", "v": "-"}, {}, {"x": "1"}),
        (LEVELS, {"x": "(1,inf)", "v": "+"}, {}, {}),
        (LEVELS, {"x": "(0,1)", "v": "0"}, {}, {}),
        (LEVELS, {"x": "0", "v": "0"}, {}, {}),
        (TANK, {"x": "full", "v": "+"}, {}, {}),
        (TANK, {"x": "full", "v": "-"}, {"x": "(0,full)"}, {}),
        (TANK, {"x": "0", "v": "-"}, {}, {}),
        (LEVELS, {"x": "(0,1)", "v": "-", "y": "0", "w": "+"}, {"y": "+"}, {}),
        (LEVELS, {"x": "(0,1)", "v": "-", "y": "+", "w": "-"}, {}, {"x": "0", "y": "0"}),
        (LEVELS, {"x": "0", "v": "-", "y": "0", "w": "+"}, {"x": "(-1,0)", "y": "+"}, {}),
        (TANK, {"x": "full", "v": "+", "y": "+", "w": "-"}, {}, {"y": "0"}),
    ],
)
def test_events_of_an_episode(space, cells, departures, terminations) -> None:
    assert offered(space, REST | cells) == (departures, terminations)


@pytest.mark.parametrize(
    ("sets", "minimal"),
    [
        (["000"], []),
        (["100", "010", "110", "111"], ["100", "010"]),
        (["110", "011", "111", "000"], ["110", "011"]),
        (["111"], ["111"]),
        (["111", "111", "101"], ["101"]),
        ([], []),
    ],
)
def test_minimal_sets(sets: list[str], minimal: list[str]) -> None:
    table = np.array([[digit == "1" for digit in row] for row in sets], dtype=bool).reshape(len(sets), 3)
    found = {"".join("01"[value] for value in row) for row in minimal_sets(table).astype(int)}
    assert found == set(minimal)


@pytest.mark.parametrize(
    ("laws", "rates", "expected"),
    [
        ({"tie": "x - y"}, {"x": "v", "y": "w"}, [{"x", "y"}]),
        ({"tie": "x - y - z"}, {"x": "v", "y": "w", "z": "u"}, [{"y"}, {"z"}]),
        ({}, {"x": "v", "y": "w"}, [{"x"}, {"y"}]),
    ],
    ids=["always together", "a sum", "independent"],
)
def test_terminations_coincide_as_far_as_the_laws_force_them(laws, rates, expected) -> None:
    """x = y + z with all falling from +: y or z may vanish alone, x only with both."""
    table = brute_table(made(laws, rates))
    falling = row_of(table, **dict.fromkeys(rates, "+"), **dict.fromkeys(rates.values(), "-"))
    for finder in (EpisodeGraph(table), PlainEdges(table)):
        found = [{event.variable for event in cause} for cause in finder.causes(falling) if cause]
        assert sorted(found, key=sorted) == sorted(expected, key=sorted)


def test_a_fixed_input_is_never_part_of_a_coincidence() -> None:
    """x = f with f a fixed input: x can't leave f's sign, so its end is no cause."""
    fixed = Variable("f", None, "signs", "input")
    table = brute_table(made({"tie": "x - f"}, {"x": "v"}, extra=[fixed]))
    row = row_of(table, x="+", v="-")
    assert EpisodeGraph(table).causes(row) == PlainEdges(table).causes(row) == ((),)
