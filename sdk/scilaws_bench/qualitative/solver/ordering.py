"""The order in which a diagram reads its columns: as few half-read constraints at a time as possible."""

from __future__ import annotations

from collections.abc import Sequence


def connected_components(scopes: Sequence[Sequence[int]], size: int) -> list[tuple[int, ...]]:
    """Columns 0 … size-1 in groups linked by scopes, each sorted, by first column."""
    parent = list(range(size))

    def root(column: int) -> int:
        while parent[column] != column:
            parent[column] = parent[parent[column]]
            column = parent[column]
        return column

    for scope in scopes:
        for column in scope[1:]:
            low, high = sorted((root(scope[0]), root(column)))
            parent[high] = low
    groups: dict[int, list[int]] = {}
    for column in range(size):
        groups.setdefault(root(column), []).append(column)
    return [tuple(group) for group in groups.values()]


def reading_order(scopes: Sequence[Sequence[int]], sizes: Sequence[int]) -> tuple[int, ...]:
    """An order of the columns 0 … len(sizes)-1 of one connected component that keeps diagrams narrow.

    Grows a frontier: the next column is the one that leaves the fewest already read columns in
    half-read constraints. Tried from a few starts at the rim of the graph and compared, by the
    product of the sizes at the frontier summed over the order, with the order as given.

    Min-fill orders, which suit tables, are worse here: they begin at many places at once and so
    keep many constraints half read.
    """
    masks = [sum(1 << column for column in set(scope)) for scope in scopes]
    touching: list[list[int]] = [[] for _ in sizes]
    neighbours = [0] * len(sizes)
    for mask in masks:
        for column in _bits(mask):
            touching[column].append(mask)
            neighbours[column] |= mask
    first = min(range(len(sizes)), key=lambda column: (neighbours[column].bit_count(), column))
    far = _farthest(first, neighbours)
    starts = dict.fromkeys([first, far, _farthest(far, neighbours)])
    orders = [_grown(start, masks, neighbours, len(sizes)) for start in starts]
    return min([*orders, tuple(range(len(sizes)))], key=lambda order: _cost(order, masks, sizes))


def _bits(mask: int) -> list[int]:
    return [place for place in range(mask.bit_length()) if mask >> place & 1]


def _farthest(start: int, neighbours: Sequence[int]) -> int:
    reached, rim = 1 << start, 1 << start
    while True:
        grown = reached
        for column in _bits(rim):
            grown |= neighbours[column]
        if grown == reached:
            return min(_bits(rim), key=lambda column: (neighbours[column].bit_count(), column))
        rim, reached = grown & ~reached, grown


def _frontier(read: int, masks: Sequence[int]) -> tuple[int, int]:
    """Columns read so far that half-read constraints still need, and the number of half-read constraints."""
    needed = half_read = 0
    for mask in masks:
        if mask & read and mask & ~read:
            needed |= mask
            half_read += 1
    return needed & read, half_read


def _grown(start: int, masks: Sequence[int], neighbours: Sequence[int], size: int) -> tuple[int, ...]:
    order, read, reached = [start], 1 << start, neighbours[start]
    while len(order) < size:
        open_masks = [mask for mask in masks if mask & ~read]
        best: tuple[int, int, int] | None = None
        for column in _bits(reached & ~read):
            needed, half_read = _frontier(read | 1 << column, open_masks)
            key = (needed.bit_count(), half_read, column)
            best = key if best is None or key < best else best
        if best is None:  # not connected: go on anywhere
            best = (0, 0, _bits(~read & ((1 << size) - 1))[0])
        order.append(best[2])
        read |= 1 << best[2]
        reached |= neighbours[best[2]]
    return tuple(order)


def _cost(order: Sequence[int], masks: Sequence[int], sizes: Sequence[int]) -> int:
    read = total = 0
    for column in order:
        read |= 1 << column
        width = 1
        for place in _bits(_frontier(read, masks)[0]):
            width *= sizes[place]
        total += width
    return total
