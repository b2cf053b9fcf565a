"""An index of a table by the cells that a cause settles, so that a step looks only at rows that pass E1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from scilaws_bench.qualitative.episode_table import EpisodeTable

Rows = npt.NDArray[np.intp]


class HeldCells:
    """Rows grouped by their cells in some columns (the group's *key*), and keys found by a choice of cells.

    Per column and cell it keeps one bitmap over the keys; a query is then a handful of bitwise
    operations whatever the number of rows.
    """

    def __init__(self, table: EpisodeTable, columns: Sequence[int]) -> None:
        self.columns = tuple(columns)
        held = np.ascontiguousarray(table.cells[:, list(self.columns)])
        # All of a key's bytes as one number: np.unique is then a plain sort (and works for no columns at all).
        packed = np.concatenate([np.zeros((len(held), 1), np.int8), held], axis=1).view(f"V{len(self.columns) + 1}")
        keys, group = np.unique(packed.ravel(), return_inverse=True)
        self.keys = keys.view(np.int8).reshape(len(keys), len(self.columns) + 1)[:, 1:]
        self._order = np.argsort(group, kind="stable")
        self._starts = np.searchsorted(group[self._order], np.arange(len(keys) + 1))
        self._group = {key.tobytes(): place for place, key in enumerate(self.keys)}
        self._bitmaps = [
            {int(cell): np.packbits(column == cell) for cell in np.unique(column)} for column in self.keys.T
        ]

    def matching(self, choices: Sequence[tuple[int, ...]]) -> Rows:
        """Places of the keys whose cell in each column is among the given ones (one tuple a column)."""
        found = np.packbits(np.ones(len(self.keys), dtype=bool))
        nothing = np.zeros_like(found)
        for bitmaps, cells in zip(self._bitmaps, choices, strict=True):
            allowed = nothing
            for cell in cells:
                allowed = allowed | bitmaps.get(cell, nothing)
            found = found & allowed
        return np.flatnonzero(np.unpackbits(found, count=len(self.keys)))

    def rows(self, key: Sequence[int]) -> Rows:
        """The rows with this key in rising order; none if there is no such key."""
        place = self._group.get(np.array(key, dtype=np.int8).tobytes())
        if place is None:
            return self._order[:0]
        return self._order[self._starts[place] : self._starts[place + 1]]
