"""Decision diagrams against plain sets of words."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scilaws_bench.errors import WorkLimitError
from scilaws_bench.qualitative.solver import WorkLimits
from scilaws_bench.qualitative.solver.diagrams import Diagram, Reader, compiled
from scilaws_bench.qualitative.solver.limits import Budget
from scilaws_bench.qualitative.solver.machines import pair_machine
from scilaws_bench.qualitative.solver.ordering import connected_components, reading_order

SIZES = (2, 3, 3, 4, 2)
Word = tuple[int, ...]
positions = st.integers(0, len(SIZES) - 1)


@st.composite
def tables(draw: st.DrawFn) -> tuple[int, int, np.ndarray]:
    """Two positions and the pairs of letters allowed there."""
    first = draw(st.integers(0, len(SIZES) - 2))
    second = draw(st.integers(first + 1, len(SIZES) - 1))
    bits = draw(st.lists(st.booleans(), min_size=SIZES[first] * SIZES[second], max_size=SIZES[first] * SIZES[second]))
    return first, second, np.array(bits, dtype=bool).reshape(SIZES[first], SIZES[second])


def _built(pairs: Iterable[tuple[int, int, np.ndarray]]) -> tuple[Diagram | None, list[Word]]:
    """The diagram and, by trying all, the words that satisfy the tables."""
    pairs = list(pairs)
    words = [
        word
        for word in itertools.product(*(range(size) for size in SIZES))
        if all(table[word[first], word[second]] for first, second, table in pairs)
    ]
    machines = [(first, second, pair_machine(table)) for first, second, table in pairs]
    if any(machine.accepts_nothing for _, _, machine in machines):
        assert not words
        return None, words
    readers = [Reader(((first, m.levels[0]), (second, m.levels[1]))) for first, second, m in machines]
    return compiled(SIZES, readers, _budget()), words


def _budget(rows: int = 10**6, steps: int = 10**6) -> Budget:
    return Budget(WorkLimits(rows, steps), "test")


@settings(max_examples=250, deadline=None)
@given(pairs=st.lists(tables(), max_size=5), kept=st.sets(positions), data=st.data())
def test_a_diagram_is_its_set_of_words(
    pairs: list[tuple[int, int, np.ndarray]], kept: set[int], data: st.DataObject
) -> None:
    diagram, words = _built(pairs)
    if diagram is None:
        assert not words
        return
    assert diagram.count() == len(words) > 0
    assert list(diagram) == words
    assert [tuple(word) for word in diagram.words().tolist()] == words
    assert [word in diagram for word in itertools.product(*map(range, SIZES))].count(True) == len(words)
    assert all(word in diagram for word in words)
    for place in range(len(SIZES)):
        assert set(np.flatnonzero(diagram.used(place))) == {word[place] for word in words}

    order = sorted(kept)
    shadows = sorted({tuple(word[place] for place in order) for word in words})
    assert [tuple(word) for word in diagram.projected(kept, _budget()).tolist()] == shadows

    subset = {place: sorted(data.draw(st.sets(st.integers(0, SIZES[place] - 1)))) for place in kept}
    left = [word for word in words if all(word[place] in subset[place] for place in kept)]
    narrowed = diagram.filtered(subset)
    assert (narrowed is None) == (not left)
    if narrowed is not None:
        renamed = [tuple(subset[i].index(x) if i in kept else x for i, x in enumerate(word)) for word in left]
        assert list(narrowed) == renamed
        _assert_reduced(narrowed, renamed)
    _assert_reduced(diagram, words)


def _assert_reduced(diagram: Diagram, words: list[Word]) -> None:
    """As many nodes at each level as there are different sets of continuations."""
    for place, level in enumerate(diagram.levels):
        residuals: dict[Word, set[Word]] = {}
        for word in words:
            residuals.setdefault(word[:place], set()).add(word[place:])
        assert len(level) == len({frozenset(rest) for rest in residuals.values()})


def test_spread_letters_are_words_of_their_own() -> None:
    diagram, words = _built([(0, 1, np.array([[1, 0, 0], [0, 1, 1]], dtype=bool))])
    assert diagram is not None
    spread = diagram.spread([(0, 1), (0, 1, 1, 2), (0, 1, 2), (0, 1, 2, 3), (0, 1)])
    assert spread.nodes == diagram.nodes
    assert spread.count() == sum(2 if word[1] == 1 else 1 for word in words)


def test_counts_past_64_bits_are_exact() -> None:
    level = np.zeros((1, 3), dtype=np.int32)
    assert Diagram((level,) * 45).count() == 3**45


def test_work_limits_end_compilation_and_projection() -> None:
    everything = np.ones((2, 3), dtype=bool)
    diagram, _ = _built([(0, 1, everything)])
    assert diagram is not None
    with pytest.raises(WorkLimitError, match="rows=5"):
        diagram.projected({0, 1, 2}, _budget(rows=5))
    with pytest.raises(WorkLimitError, match="steps=7"):
        diagram.projected({0, 1, 2}, _budget(steps=7))
    with pytest.raises(WorkLimitError, match="steps=3"):
        compiled(SIZES, [], _budget(steps=3))


def test_components_are_what_scopes_link() -> None:
    assert connected_components([(0, 3), (3, 5), (1, 2)], 6) == [(0, 3, 5), (1, 2), (4,)]
    assert connected_components([], 2) == [(0,), (1,)]
    assert connected_components([(4, 1), (2, 4), (0, 2)], 5) == [(0, 1, 2, 4), (3,)]


@settings(max_examples=100, deadline=None)
@given(scopes=st.lists(st.lists(st.integers(0, 7), min_size=1, max_size=4), max_size=8))
def test_a_reading_order_has_each_column_once(scopes: list[list[int]]) -> None:
    assert sorted(reading_order(scopes, [3] * 8)) == list(range(8))


def test_a_chain_is_read_along_the_chain() -> None:
    """Half-read laws stay few: a chain given in scrambled order is read with one column at the frontier."""
    places = [3, 0, 7, 5, 1, 6, 2, 4]
    order = reading_order([(places[i], places[i + 1]) for i in range(7)], [3] * 8)
    along = [places.index(column) for column in order]
    assert along in (list(range(8)), list(range(7, -1, -1)))
