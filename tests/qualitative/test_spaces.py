"""Quantity spaces: what is a space, what is refused, and where a number lies."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scilaws_bench.errors import MechanismError
from scilaws_bench.qualitative import NON_NEGATIVE, POSITIVE, SIGNS, Cell, QuantitySpace, space_of_landmarks


def point(name: str, sign: int, value: float | None = None) -> Cell:
    return Cell(name, "point", sign, value)  # type: ignore[arg-type]


def interval(name: str, sign: int) -> Cell:
    return Cell(name, "interval", sign)  # type: ignore[arg-type]


def test_the_common_spaces() -> None:
    assert (SIGNS.names, SIGNS.signs) == (("-", "0", "+"), (-1, 0, 1))
    assert NON_NEGATIVE.names == ("0", "+")
    assert POSITIVE.names == ("+",)


def test_a_brake_has_seven_cells() -> None:
    space = space_of_landmarks("v", [("-v0", -1.0), ("0", 0.0), ("v0", 1.0)])
    assert space.names == ("(-inf,-v0)", "-v0", "(-v0,0)", "0", "(0,v0)", "v0", "(v0,inf)")
    assert space.signs == (-1, -1, -1, 0, 1, 1, 1)


REFUSED = {
    "an empty quantity space": ([], "at least one cell"),
    "a name used twice": ([interval("a", -1), point("0", 0), interval("a", 1)], "cell names used once"),
    "landmarks out of order": (
        [interval("a", 1), point("p", 1, 2.0), interval("b", 1), point("q", 1, 1.0)],
        "landmarks in increasing order",
    ),
    "two landmarks at one place": (
        [interval("a", 1), point("p", 1, 2.0), interval("b", 1), point("q", 1, 2.0)],
        "landmarks in increasing order",
    ),
    "two intervals in a row": ([interval("a", 1), interval("b", 1)], "points and intervals in turn"),
    "two points in a row": ([point("a", 1), point("b", 1)], "points and intervals in turn"),
    "signs that fall": ([interval("a", 1), point("b", 0)], "signs that rise through zero"),
    "zero skipped": ([interval("a", -1), point("b", 1)], "signs that rise through zero"),
    "an interval of sign zero": ([interval("a", 0)], "intervals with a sign and no value"),
    "an interval with a value": ([Cell("a", "interval", 1, 2.0)], "intervals with a sign and no value"),
    "a landmark of another sign": ([point("a", 0, 2.0)], "a value of sign 0 at a"),
}


@pytest.mark.parametrize("fault", REFUSED)
def test_what_is_no_space_is_refused_by_name(fault: str) -> None:
    cells, expected = REFUSED[fault]
    with pytest.raises(MechanismError, match=re.escape("quantity space q; expected " + expected)):
        QuantitySpace("q", tuple(cells))


def test_neighbours_end_with_the_space() -> None:
    assert [SIGNS.step(0, -1), SIGNS.step(0, 1), SIGNS.step(2, 1)] == [None, 1, None]
    assert SIGNS.index("+") == 2
    with pytest.raises(KeyError):
        SIGNS.index("plus")


@st.composite
def landmarks(draw: st.DrawFn) -> list[float]:
    values = draw(st.lists(st.integers(-50, 50).map(float), max_size=5, unique=True))
    return sorted({*values, 0.0})


@given(landmarks(), st.booleans(), st.booleans(), st.floats(-60, 60))
def test_a_number_is_in_the_one_cell_whose_bounds_hold_it(
    values: list[float], below: bool, above: bool, number: float
) -> None:
    named = [("0" if value == 0 else f"p{value:g}", value) for value in values]
    space = space_of_landmarks("q", named, below=below, above=above)
    outside = (number < values[0] and not below) or (number > values[-1] and not above)
    if outside:
        with pytest.raises(MechanismError, match="expected a number from"):
            space.locate(number)
        return
    cell = space.cells[space.locate(number)]
    edges = [float("-inf"), *values, float("inf")]
    if cell.kind == "point":
        assert cell.value == number
    else:
        assert any(
            lower < number < upper and cell.id in (f"({_name(lower)},{_name(upper)})", "-", "+")
            for lower, upper in itertools.pairwise(edges)
        )
    assert cell.sign == (number > 0) - (number < 0)


def _name(value: float) -> str:
    if value in (float("inf"), float("-inf")):
        return f"{value:g}"
    return "0" if value == 0 else f"p{value:g}"


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_numbers_that_are_none_have_no_cell(number: float) -> None:
    with pytest.raises(MechanismError, match="a finite number"):
        SIGNS.locate(number)


def test_landmarks_known_by_order_alone_hold_no_numbers() -> None:
    space = QuantitySpace("q", (interval("low", 1), point("p", 1), interval("high", 1)))
    with pytest.raises(MechanismError, match="a value at each landmark"):
        space.locate(1.0)
