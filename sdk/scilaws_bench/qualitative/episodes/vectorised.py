"""The episode graph on arrays: same answers as `plain.py`, for tables of 10⁵ rows × 50 variables.

What needs no test here, and why: a cause settles every held cell, so the rows that pass E1 are one
group of `HeldCells`; the events come from `causes.moves`, so E2, E3 and E7 hold by construction; the
candidates are rows of the table, so E5 does; and a changed variable that a chain of laws reaches
(E8) shares a law with the one before it in the chain (E4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scilaws_bench.qualitative.episode_table import EpisodeTable
from scilaws_bench.qualitative.episodes.causes import INTRASTATE, Cause, cause_of, minimal_sets, moves
from scilaws_bench.qualitative.episodes.edges import Edge, cause_key
from scilaws_bench.qualitative.episodes.held_cells import HeldCells, Rows
from scilaws_bench.qualitative.episodes.layout import Guards, Layout

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Choices:
    """The causes of an episode and for each the rows that pass E1.

    `work` counts what was looked at and what is left to look at: keys compared plus candidate rows.
    """

    causes: tuple[Cause, ...]
    candidates: tuple[Rows, ...]
    work: int


class VectorisedEdges:
    """Causes and edges of a table's episodes; `choices` first, then `edges` on them."""

    def __init__(self, table: EpisodeTable) -> None:
        self.layout = Layout(table.mechanism)
        self._table = table
        self._held = HeldCells(table, self.layout.held)
        self._laws = _LawLinks(self.layout, table.states)
        width = len(self.layout.names)
        self._algebraic = _members(width, self.layout.algebraic)
        self._continuous = _members(width, self.layout.continuous)

    def choices(self, row: int) -> Choices:
        """The causes of an episode, the empty one first, with their candidates."""
        cells = self._table.cells[row].tolist()
        offered = moves(self.layout, cells)
        compared = 0
        if offered.departures:
            chosen = [offered.departures]
        else:
            boundary, compared = self._coincident(cells, offered.terminations)
            chosen = [{}, *boundary]
        causes = {cause_of(self.layout, cells, targets.items()): targets for targets in chosen}
        ordered = sorted(causes, key=lambda cause: cause_key(self.layout, cause))
        candidates = tuple(
            self._held.rows([causes[cause].get(column, cells[column]) for column in self._held.columns])
            for cause in ordered
        )
        return Choices(tuple(ordered), candidates, compared + sum(len(rows) for rows in candidates))

    def edges(self, row: int, choices: Choices) -> tuple[Edge, ...]:
        """The edges out of an episode, by (target, cause)."""
        targets = np.concatenate(choices.candidates)
        which = np.repeat(np.arange(len(choices.causes)), [len(rows) for rows in choices.candidates])
        kept = targets != row
        targets, which = targets[kept], which[kept]
        shift = np.abs(self._table.cells[targets] - self._table.cells[row])
        bound = np.tile(self._continuous, (len(choices.causes), 1))
        if INTRASTATE in choices.causes:
            bound[0] = True  # without events nothing jumps; E8 below leaves only rates to move
        kept = np.logical_not((shift > np.where(bound, 1, 127)[which]).any(axis=1))
        targets, which, changed = targets[kept], which[kept], shift[kept] > 0
        seeds = np.array([self._seeds(cause) for cause in choices.causes])[which]
        kept = self._declared(row, targets, seeds)
        targets, which, changed, seeds = targets[kept], which[kept], changed[kept], seeds[kept]
        kept = self._laws.reach(row, targets, seeds, changed, changed & self._algebraic)
        targets, which = targets[kept], which[kept]
        order = np.lexsort((which, targets))
        pairs = zip(targets[order].tolist(), which[order].tolist(), strict=True)
        return tuple(Edge(row, target, choices.causes[cause]) for target, cause in pairs)

    def _coincident(self, cells: Sequence[int], targets: dict[int, int]) -> tuple[list[dict[int, int]], int]:
        """The inclusion-minimal sets of terminations that some episode realises exactly, and the keys compared."""
        columns = self._held.columns
        options = [(cells[c], targets[c]) if c in targets else (cells[c],) for c in columns]
        places = self._held.matching(options)
        moving = [place for place, column in enumerate(columns) if column in targets]
        source = np.array([cells[columns[place]] for place in moving], dtype=np.int8)
        sets = minimal_sets(self._held.keys[places][:, moving] != source)
        names = [columns[place] for place in moving]
        chosen = [{names[i]: targets[names[i]] for i in np.flatnonzero(members)} for members in sets]
        return chosen, len(places)

    def _seeds(self, cause: Cause) -> Mask:
        return _members(len(self.layout.names), [self.layout.column[event.variable] for event in cause])

    def _declared(self, row: int, targets: Rows, seeds: Mask) -> Mask:
        """Which targets have a compatible declaration for every component that changes."""
        layout, table = self.layout, self._table
        here, there = table.states[row], table.states[targets]
        passed = np.ones(len(targets), dtype=bool)
        for place in np.flatnonzero((there != here).any(axis=0)).tolist():
            allowed = there[:, place] == here[place]
            for item in layout.declarations_from.get((place, int(here[place])), ()):
                if _hold(item.source_guards, table.cells[[row]]).all():
                    compatible = there[:, place] == item.target
                    if item.event is not None:
                        compatible &= seeds[:, item.event]
                    compatible &= _hold(item.target_guards, table.cells, targets)
                    allowed |= compatible
            passed &= allowed
        return passed


class _LawLinks:
    """Which variables share a law, for each pair of composite states, and what events reach through them (E8)."""

    def __init__(self, layout: Layout, states: npt.NDArray[np.int8]) -> None:
        laws, width = layout.mechanism.confluences, len(layout.names)
        active = np.ones((len(states), len(laws)), dtype=bool)
        place = {component.id: place for place, component in enumerate(layout.mechanism.components)}
        for number, law in enumerate(laws):
            for component, names in law.active:
                known = layout.mechanism.component_by_id[component].states
                allowed = [known.index(name) for name in names]
                active[:, number] &= np.isin(states[:, place[component]], allowed)
        # Few sets of active laws occur, whatever the number of composite states.
        packed = np.packbits(np.pad(active, ((0, 0), (1, 0))), axis=1)
        patterns, self._pattern = np.unique(packed.view(f"V{packed.shape[1]}").ravel(), return_inverse=True)
        unpacked = np.unpackbits(
            patterns.view(np.uint8).reshape(len(patterns), packed.shape[1]), axis=1, count=len(laws) + 1
        )
        self._active = unpacked[:, 1:].astype(bool)
        self._incidence = np.array([_members(width, columns) for columns in layout.law_columns], dtype=np.float32)
        self._incidence = self._incidence.reshape(len(laws), width)
        self._matrices: dict[tuple[int, int], npt.NDArray[np.float32]] = {}

    def reach(self, row: int, targets: Rows, seeds: Mask, changed: Mask, wanted: Mask) -> Mask:
        """For which targets the events reach all wanted variables, stepping onto changed ones only."""
        passed: Mask = np.logical_not(wanted.any(axis=1))
        open_rows = np.flatnonzero(~passed)
        patterns = self._pattern[targets[open_rows]]
        for pattern in np.unique(patterns).tolist():
            rows = open_rows[patterns == pattern]
            matrix = self._matrix(int(self._pattern[row]), pattern)
            reached, size = seeds[rows], -1
            while reached.sum() > size:
                size = int(reached.sum())
                reached = reached | (changed[rows] & (reached.astype(np.float32) @ matrix > 0))
            passed[rows] = ~(wanted[rows] & ~reached).any(axis=1)
        return passed

    def _matrix(self, source: int, target: int) -> npt.NDArray[np.float32]:
        key = (min(source, target), max(source, target))
        if key not in self._matrices:
            laws = self._incidence[self._active[source] | self._active[target]]
            self._matrices[key] = (laws.T @ laws > 0).astype(np.float32)
        return self._matrices[key]


def _members(width: int, columns: Sequence[int] | frozenset[int]) -> Mask:
    mask = np.zeros(width, dtype=bool)
    mask[list(columns)] = True
    return mask


def _hold(guards: Guards, cells: npt.NDArray[np.int8], rows: Rows | slice = slice(None)) -> Mask:
    """Rows in which all guards hold."""
    held = np.ones(len(cells[rows]), dtype=bool)
    for column, allowed in guards:
        held &= np.isin(cells[rows, column], list(allowed))
    return held
