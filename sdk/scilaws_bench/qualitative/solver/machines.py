"""One law as a small machine that reads the labels of its variables one after the other.

A partly read law is summed up by which signs its finished terms have shown and by the signs of its
begun products. Prefixes with the same possible continuations are merged and prefixes without one
are dropped, so a machine is the reduced decision diagram of its law: the "confluence residuals" of
paper A.6. For a machine nothing but signs exists; many cells of one sign are one letter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

Nodes = npt.NDArray[np.int32]
DEAD = -1
MACHINE_PRICE = 10
"""Steps of a work limit that one (node, letter) pair of a machine costs: it is looked at in Python, not in an array."""

Terms = tuple[tuple[int, tuple[tuple[int, int], ...]], ...]
"""Per term the coefficient's sign and the (position read, exponent) of its factors."""

Letters = tuple[int, ...]

_State = tuple[bool, bool, tuple[int, ...]] | None
"""(a + was seen, a − was seen, sign so far of each unfinished term, else 0); None: satisfied whatever follows."""


@dataclass(frozen=True, eq=False)
class Machine:
    """A reduced machine.

    Attributes:
        levels: per position an array (nodes, letters) of nodes of the next level, DEAD where no
            continuation exists. Level 0 has one node, none if nothing is accepted; the last level
            leads to node 0.
    """

    levels: tuple[Nodes, ...]

    @property
    def accepts_nothing(self) -> bool:
        """Whether no word is accepted."""
        return len(self.levels[0]) == 0

    @cached_property
    def accepts_everything(self) -> bool:
        """Whether all words are accepted: an entailed law."""
        return not self.accepts_nothing and all(len(level) == 1 and bool((level == 0).all()) for level in self.levels)

    @cached_property
    def supported(self) -> tuple[tuple[bool, ...], ...]:
        """Per position and letter, whether an accepted word has it there."""
        return tuple(tuple(bool(used) for used in (level != DEAD).any(axis=0)) for level in self.levels)


@lru_cache(maxsize=4096)
def law_machine(terms: Terms, guards: frozenset[int], alphabets: tuple[Letters, ...], most: int) -> Machine | None:
    """The machine of a confluence.

    Args:
        terms: its terms over positions 0, 1, … in the order of reading.
        guards: positions that carry no quantity: letter 0 there says that the law isn't active.
        alphabets: per position the possible letters (signs; 0 or 1 at guards).
        most: largest number of (node, letter) pairs to look at.

    Returns:
        The machine, or None if it would take more than `most`.
    """
    last = [max(position for position, _ in factors) for _, factors in terms]
    powers: list[list[tuple[int, int]]] = [[] for _ in alphabets]
    for number, (_, factors) in enumerate(terms):
        for position in sorted({position for position, _ in factors}):
            powers[position].append((number, sum(power for place, power in factors if place == position)))

    def read(state: _State, position: int, letter: int) -> _State:
        if state is None:
            return None
        if position in guards:
            return None if letter == 0 else state
        plus, minus, open_signs = state
        signs = list(open_signs)
        for number, power in powers[position]:
            signs[number] *= letter**power
            if last[number] == position:
                plus, minus = plus or signs[number] > 0, minus or signs[number] < 0
                signs[number] = 0
        return None if plus and minus else (plus, minus, tuple(signs))

    states: dict[_State, int] = {(False, False, tuple(sign for sign, _ in terms)): 0}
    transitions: list[Nodes] = []
    looked_at = 0
    for position, letters in enumerate(alphabets):
        looked_at += len(states) * len(letters)
        if looked_at > most:
            return None
        found: dict[_State, int] = {}
        following = [found.setdefault(read(state, position, x), len(found)) for state in states for x in letters]
        transitions.append(np.array(following, dtype=np.int32).reshape(len(states), len(letters)))
        states = found
    accepted = np.array([0 if state is None or state[0] == state[1] else DEAD for state in states], dtype=np.int32)
    return Machine(tuple(reduced(transitions, accepted)))


def pair_machine(allowed: npt.NDArray[np.bool_]) -> Machine:
    """The machine of a table of allowed pairs (first letters, second letters)."""
    first = np.arange(len(allowed), dtype=np.int32).reshape(1, -1)
    second = np.where(allowed, 0, DEAD).astype(np.int32)
    return Machine(tuple(reduced([first, second], np.zeros(1, dtype=np.int32))))


def reduced(levels: Sequence[Nodes], ends: Nodes) -> list[Nodes]:
    """Drop nodes without a continuation and merge equal ones, from the last level to the first.

    Args:
        levels: per position (nodes, letters) → node of the next level, or DEAD.
        ends: what becomes of the nodes after the last level: 0 (accepted) or DEAD.
    """
    result: list[Nodes] = []
    renamed = np.append(ends, np.int32(DEAD))  # so that DEAD, being -1, is renamed to itself
    for level in reversed(levels):
        children = renamed[level]
        alive = (children != DEAD).any(axis=1)
        kept, names = _distinct_rows(children[alive])
        result.append(kept)
        renamed = np.full(len(level) + 1, DEAD, dtype=np.int32)
        renamed[:-1][alive] = names
    return result[::-1]


def _distinct_rows(rows: Nodes) -> tuple[Nodes, Nodes]:
    """Distinct rows in lexicographic order, and for every row the number of its equal among them."""
    size = int(rows.max(initial=0)) + 2
    if size ** rows.shape[1] < 2**62:
        keys = np.zeros(len(rows), dtype=np.int64)
        for column in range(rows.shape[1]):
            keys = keys * size + (rows[:, column] + 1)
        _, first, names = np.unique(keys, return_index=True, return_inverse=True)
        return rows[first], names.astype(np.int32)
    kept, names = np.unique(rows, axis=0, return_inverse=True)
    return kept, names.reshape(-1).astype(np.int32)
