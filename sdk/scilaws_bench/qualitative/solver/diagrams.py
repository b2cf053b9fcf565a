"""Reduced multi-valued decision diagrams: a set of words, compact, with exact counts and queries."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from scilaws_bench.qualitative.solver.limits import Budget
from scilaws_bench.qualitative.solver.machines import DEAD, Nodes, reduced

Words = npt.NDArray[np.int8]
"""Rows of letters (positions in the levels' alphabets)."""

_INT64 = 2**62


@dataclass(frozen=True, eq=False)
class Diagram:
    """A non-empty set of words of one length, as a layered graph.

    Attributes:
        levels: per position an array (nodes, letters) of nodes of the next level, or DEAD. Level 0
            has one node, the last level leads to node 0. Reduced: every node lies on a path, and
            no two nodes of a level are equal.
    """

    levels: tuple[Nodes, ...]

    @property
    def nodes(self) -> int:
        """Number of nodes, without the end."""
        return sum(len(level) for level in self.levels)

    def count(self) -> int:
        """Exact number of words."""
        small = prod(level.shape[1] for level in self.levels) < _INT64
        counts = np.array([1], dtype=np.int64 if small else object)
        for level in reversed(self.levels):
            counts = np.append(counts, 0)[level].sum(axis=1)  # DEAD, being -1, counts nothing
        return int(counts[0])

    def __contains__(self, word: Sequence[int]) -> bool:
        node = 0
        for level, letter in zip(self.levels, word, strict=True):
            node = int(level[node, letter])
            if node == DEAD:
                return False
        return True

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        """The words in lexicographic order, one at a time."""
        word: list[int] = []

        def follow(node: int) -> Iterator[tuple[int, ...]]:
            if len(word) == len(self.levels):
                yield tuple(word)
                return
            for letter, child in enumerate(self.levels[len(word)][node].tolist()):
                if child != DEAD:
                    word.append(letter)
                    yield from follow(child)
                    word.pop()

        return follow(0)

    def used(self, position: int) -> npt.NDArray[np.bool_]:
        """Which letters occur at a position."""
        occurring: npt.NDArray[np.bool_] = (self.levels[position] != DEAD).any(axis=0)
        return occurring

    def words(self) -> Words:
        """All words in lexicographic order. As large as `count` says: check it first."""
        nodes = np.zeros(1, dtype=np.int32)
        trail = []
        for level in self.levels:
            children = level[nodes]
            parents, letters = np.nonzero(children != DEAD)
            nodes = children[parents, letters]
            trail.append((parents.astype(np.int32), letters.astype(np.int8)))
        return _read_back(trail, len(nodes))

    def projected(self, positions: Collection[int], budget: Budget) -> Words:
        """The distinct words left of all words when only some positions are kept, in lexicographic order.

        Follows, for each distinct prefix of kept letters, the set of nodes it can lead to; no node
        is a dead end, so there are never more prefixes than results.

        Raises:
            WorkLimitError: more results than the rows limit, or more steps than allowed.
        """
        prefixes, nodes = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
        total = 1
        trail = []
        for position, level in enumerate(self.levels[: max(positions, default=-1) + 1]):
            budget.spend(level.shape[1] * len(nodes))
            children = level[nodes]
            pairs, letters = np.nonzero(children != DEAD)
            nodes, prefixes = children[pairs, letters].astype(np.int64), prefixes[pairs]
            if position in positions:
                keys, prefixes = np.unique(prefixes * level.shape[1] + letters, return_inverse=True)
                total = len(keys)
                budget.check_rows(total)
                trail.append(((keys // level.shape[1]).astype(np.int32), (keys % level.shape[1]).astype(np.int8)))
            size = int(nodes.max()) + 1
            keys = np.unique(prefixes * size + nodes)
            prefixes, nodes = keys // size, keys % size
        return _read_back(trail, total)

    def filtered(self, kept: Mapping[int, Sequence[int]]) -> Diagram | None:
        """The words whose letters at some positions are among `kept`, whose letters are then 0, 1, … in order.

        None if there are none.
        """
        levels = [level[:, list(kept[place])] if place in kept else level for place, level in enumerate(self.levels)]
        return diagram_of(_reachable(levels), np.zeros(1, dtype=np.int32))

    def spread(self, letters: Sequence[Sequence[int]]) -> Diagram:
        """The diagram with, at each position, the old letters given: equal letters become words of their own."""
        return Diagram(tuple(level[:, list(chosen)] for level, chosen in zip(self.levels, letters, strict=True)))


def diagram_of(levels: Sequence[Nodes], ends: Nodes) -> Diagram | None:
    """The reduced diagram of a layered graph without unreachable nodes, or None if it is empty."""
    kept = reduced(levels, ends)
    return Diagram(tuple(kept)) if len(kept[0]) else None


@dataclass(frozen=True, eq=False)
class Reader:
    """A constraint's machine in a diagram: (position, table (machine nodes, letters)) in rising order."""

    steps: tuple[tuple[int, Nodes], ...]


def compiled(sizes: Sequence[int], readers: Sequence[Reader], budget: Budget) -> Diagram | None:
    """The words accepted by all readers, or None if there are none.

    Goes through the positions once, with one node for each distinct combination of the half-read
    readers' machine nodes; then drops dead ends and merges equal nodes backwards.

    Args:
        sizes: letters at each position.
        readers: machines; each accepts the words whose letters at its positions it accepts.
        budget: a step is a (node, letter) pair.

    Raises:
        WorkLimitError: more steps than allowed.
    """
    tables: list[dict[int, Nodes]] = [{} for _ in sizes]
    last = []
    for number, reader in enumerate(readers):
        last.append(reader.steps[-1][0])
        for position, table in reader.steps:
            tables[position][number] = table
    half_read: dict[int, npt.NDArray[np.int32]] = {}
    width = 1
    levels: list[Nodes] = []
    for position, size in enumerate(sizes):
        budget.spend(width * size)
        alive = np.ones((width, size), dtype=bool)
        moved = {}
        for number, table in tables[position].items():
            moved[number] = table[half_read[number]] if number in half_read else np.repeat(table, width, axis=0)
            alive &= moved[number] != DEAD
        sources, letters = np.nonzero(alive)
        following = {
            number: moved[number][sources, letters] if number in moved else half_read[number][sources]
            for number in sorted({*half_read, *moved})
            if last[number] > position
        }
        first, names = _distinct(list(following.values()), len(sources))
        level = np.full((width, size), DEAD, dtype=np.int32)
        level[sources, letters] = names
        levels.append(level)
        half_read = {number: nodes[first] for number, nodes in following.items()}
        width = len(first)
        if width == 0:
            return None
    return diagram_of(levels, np.zeros(1, dtype=np.int32))


def _distinct(
    columns: Sequence[npt.NDArray[np.int32]], length: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Numbers the distinct rows of some columns: the first row of each, and for every row its number."""
    keys = np.zeros(length, dtype=np.int64)
    size = 1
    for column in columns:
        letters = int(column.max(initial=0)) + 1
        if size * letters >= _INT64:
            _, keys = np.unique(keys, return_inverse=True)
            size = int(keys.max(initial=0)) + 1
        keys = keys * letters + column
        size *= letters
    _, first, names = np.unique(keys, return_index=True, return_inverse=True)
    return first, names


def _reachable(levels: Sequence[Nodes]) -> list[Nodes]:
    """The levels without the nodes that no path from the root leads to."""
    result = []
    nodes = np.zeros(1, dtype=np.int64)
    for level in levels:
        children = level[nodes]
        nodes, names = np.unique(children[children != DEAD], return_inverse=True)
        renamed = np.full(children.shape, DEAD, dtype=np.int32)
        renamed[children != DEAD] = names
        result.append(renamed)
    return result


def _read_back(trail: Sequence[tuple[npt.NDArray[np.int32], npt.NDArray[np.int8]]], count: int) -> Words:
    """Words from per-position (parent, letter) records, last position first: each is written once."""
    words = np.empty((count, len(trail)), dtype=np.int8, order="F")
    place: npt.NDArray[np.integer[Any]] = np.arange(count)
    for position in reversed(range(len(trail))):
        parents, letters = trail[position]
        words[:, position] = letters[place]
        place = parents[place]
    return words
