"""Where the boxes and arrows of a drawn reachable graph go: columns by first depth, measured in pixels."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from scilaws_bench.plain_text import printable
from scilaws_bench.qualitative.episode_table import EpisodeTable
from scilaws_bench.qualitative.episodes.causes import Cause
from scilaws_bench.qualitative.episodes.clauses import cause_text
from scilaws_bench.qualitative.episodes.graph import ReachableGraph

TEXT, CHARACTER, LINE, PADDING = 36, 7.23, 16, 8
"""Characters a line, width of a character, height of a line (12-pixel monospace), padding of a box."""

BOX = TEXT * CHARACTER + 2 * PADDING
_LABEL_CHARACTER = 6.7
CURVE, GAP, LANE, TOP = 110, 18, 12, 64
_MOST_LINES = 8


@dataclass(frozen=True)
class Box:
    """A drawn episode, or (row None) the summary of a column's episodes that aren't drawn."""

    row: int | None
    x: float
    y: float
    height: float
    heading: str
    lines: tuple[str, ...]

    @property
    def entry(self) -> tuple[float, float]:
        """Where arrows arrive."""
        return self.x, self.y + PADDING + LINE / 2


@dataclass(frozen=True)
class Port:
    """The start of the arrows of one cause at the right of a box."""

    x: float
    y: float
    cause: Cause
    count: int


@dataclass(frozen=True)
class Arrow:
    """From a port to a box: a curve to the next column (two points) or a way round through a lane (six)."""

    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Placement:
    """A drawing without its ink."""

    width: float
    height: float
    boxes: tuple[Box, ...]
    ports: tuple[Port, ...]
    arrows: tuple[Arrow, ...]
    hidden: int
    hidden_edges: int
    label: float


@dataclass
class _Gutters:
    """The free strip left of each column: its width, and the vertical tracks taken in it."""

    before: dict[int, dict[int, int]]
    after: dict[int, dict[int, int]]


def place(graph: ReachableGraph, most_nodes: int) -> Placement:
    """Boxes, ports and arrows of a graph of which at most `most_nodes` episodes are drawn."""
    columns, hidden = _columns(graph, most_nodes)
    column_of = {row: number for number, column in enumerate(columns) for row in column}
    summary = {row: -1 - depth for row, depth in graph.first_depth().items() if row not in column_of}
    targets: dict[tuple[int, Cause], dict[int, None]] = {}
    for edge in graph.edges:
        if edge.source in column_of:
            end = summary.get(edge.target, edge.target)
            targets.setdefault((edge.source, edge.cause), {})[end] = None
    for number, missing in enumerate(hidden):
        if missing:
            columns[number].append(-1 - number)
            column_of[-1 - number] = number
    gutters = _gutters(targets, column_of)
    label = 16 + _LABEL_CHARACTER * max((len(label_of(cause)) for _, cause in targets), default=0)
    boxes = _boxes(graph, columns, targets, gutters, hidden, label)
    bottom = max((box.y + box.height for box in boxes.values()), default=TOP)
    lanes = {
        end: place for place, end in enumerate(sorted({end for track in gutters.before.values() for end in track}))
    }
    ports, arrows = [], []
    used: dict[int, int] = {}
    for (row, cause), ends in targets.items():
        box = boxes[row]
        y = box.y + PADDING + LINE * (used.get(row, 0) + 0.75)
        used[row] = used.get(row, 0) + 1
        port = Port(box.x + BOX, y, cause, len(ends))
        ports.append(port)
        for end in ends:
            start = (port.x + label, y)
            if column_of[end] > column_of[row]:
                arrows.append(Arrow((start, boxes[end].entry)))
                continue
            down = start[0] + 6 + 5 * gutters.after[column_of[row]][end]
            up = boxes[end].x - 12 - 5 * gutters.before[column_of[end]][end]
            lane = bottom + GAP + LANE * lanes[end]
            entry = boxes[end].entry
            arrows.append(Arrow((start, (down, y), (down, lane), (up, lane), (up, entry[1]), entry)))
    width = max((box.x for box in boxes.values()), default=0) + BOX + label + 26 + 5 * len(lanes)
    drawn = {box.row for box in boxes.values()}
    hidden_edges = sum(1 for edge in graph.edges if edge.source not in drawn)
    height = bottom + GAP + LANE * len(lanes) + 10
    return Placement(
        width, height, tuple(boxes.values()), tuple(ports), tuple(arrows), sum(hidden), hidden_edges, label
    )


def _columns(graph: ReachableGraph, most: int) -> tuple[list[list[int]], list[int]]:
    """Drawn rows of each column, ordered by where their predecessors stand, and how many are left out of each."""
    depth = graph.first_depth()
    full: list[list[int]] = [[] for _ in graph.layers]
    for row in sorted(depth):
        full[depth[row]].append(row)
    while full and not full[-1]:
        full.pop()
    quota = _shares([len(column) for column in full], most)
    parents: dict[int, list[int]] = {}
    for edge in graph.edges:
        if depth[edge.source] + 1 == depth[edge.target]:
            parents.setdefault(edge.target, []).append(edge.source)
    rank: dict[int, float] = {}
    drawn: list[list[int]] = []
    for column, share in zip(full, quota, strict=True):
        centre = {row: _mean([rank[parent] for parent in parents.get(row, []) if parent in rank]) for row in column}
        ordered = sorted(column, key=lambda row: (centre[row], row))[:share]
        rank.update({row: float(place) for place, row in enumerate(ordered)})
        drawn.append(ordered)
    return drawn, [len(column) - len(shown) for column, shown in zip(full, drawn, strict=True)]


def _shares(sizes: list[int], most: int) -> list[int]:
    """How many of each column are drawn, `most` in all: small columns whole, the rest in equal parts."""
    shares = [0] * len(sizes)
    left = most
    while left > 0 and any(share < size for share, size in zip(shares, sizes, strict=True)):
        for place, size in enumerate(sizes):
            if shares[place] < size and left > 0:
                shares[place] += 1
                left -= 1
    return shares


def _gutters(targets: Mapping[tuple[int, Cause], Mapping[int, None]], column_of: Mapping[int, int]) -> _Gutters:
    gutters = _Gutters({}, {})
    for (row, _), ends in targets.items():
        for end in ends:
            if column_of[end] <= column_of[row]:
                for tracks in (
                    gutters.before.setdefault(column_of[end], {}),
                    gutters.after.setdefault(column_of[row], {}),
                ):
                    tracks.setdefault(end, len(tracks))
    return gutters


def _boxes(
    graph: ReachableGraph,
    columns: list[list[int]],
    targets: Mapping[tuple[int, Cause], Mapping[int, None]],
    gutters: _Gutters,
    hidden: list[int],
    label: float,
) -> dict[int, Box]:
    ports: dict[int, int] = {}
    for row, _ in targets:
        ports[row] = ports.get(row, 0) + 1
    depth = graph.first_depth()
    parent: dict[int, int] = {}
    for edge in graph.edges:
        if depth[edge.source] + 1 == depth[edge.target]:
            parent.setdefault(edge.target, edge.source)
    arrivals = _arrivals(graph, columns)
    drawn: list[dict[int, Box]] = []
    x = 20.0
    for number, column in enumerate(columns):
        x += 12 + 5 * len(gutters.before.get(number, {}))
        y = float(TOP)
        drawn.append({})
        for row in column:
            if row >= 0:
                heading, lines = _heading(row, parent.get(row)), episode_lines(graph.table, row, parent.get(row))
            else:
                heading, lines = f"… {hidden[number]} more", (f"{arrivals[number]} drawn edges end in them",)
            height = 2 * PADDING + LINE * max(1 + len(lines), ports.get(row, 0))
            drawn[-1][row] = Box(row if row >= 0 else None, x, y, height, heading, lines)
            y += height + GAP
        x += BOX + label + CURVE + 5 * len(gutters.after.get(number, {}))
    bottoms = [max((box.y + box.height for box in column.values()), default=TOP) for column in drawn]
    return {
        row: replace(box, y=box.y + (max(bottoms) - bottom) / 2)
        for column, bottom in zip(drawn, bottoms, strict=True)
        for row, box in column.items()
    }


def _arrivals(graph: ReachableGraph, columns: list[list[int]]) -> Counter[int]:
    """For each depth, how many edges go from drawn episodes to some of that depth that aren't."""
    drawn = {row for column in columns for row in column}
    depth = graph.first_depth()
    return Counter(depth[edge.target] for edge in graph.edges if edge.source in drawn and edge.target not in drawn)


def episode_lines(table: EpisodeTable, row: int, parent: int | None) -> tuple[str, ...]:
    """The composite state, then the variables that differ from the parent (all of them without a parent)."""
    state = table.mechanism.states_by_component(table.state(row))
    cells = table.interpretation(row)
    lines = _limited([f"{component} {name}" for component, name in state.items()], "components")
    if parent is None:
        return (*lines, *_limited([f"{variable} = {cell}" for variable, cell in cells.items()], "variables"))
    before = table.interpretation(parent)
    shifts = [f"{name}: {before[name]} → {cell}" for name, cell in cells.items() if cell != before[name]]
    return (*lines, *_limited(shifts, "changes"))


def shortened(text: str, width: int) -> str:
    """Text of strangers on one line, cut to a width in characters."""
    return printable(text, width)


def label_of(cause: Cause) -> str:
    """The label of a port, events of equal cells together (`V, i: + → 0`); the whole cause stands in its tooltip."""
    shifts: dict[tuple[str, str], list[str]] = {}
    for event in cause:
        shifts.setdefault((event.source, event.target), []).append(event.variable)
    parts = [f"{', '.join(names)}: {source} → {target}" for (source, target), names in shifts.items()]
    return shortened("; ".join(parts) or cause_text(cause), 29)


def _heading(row: int, parent: int | None) -> str:
    return f"#{row}" if parent is None else f"#{row} from #{parent}"


def _limited(items: list[str], kind: str) -> tuple[str, ...]:
    """Items packed into lines, at most eight; what is left out is counted."""
    lines: list[str] = []
    for place, item in enumerate(items):
        text = shortened(item, TEXT)
        if lines and len(lines[-1]) + 3 + len(text) <= TEXT:
            lines[-1] += " · " + text
        elif len(lines) < _MOST_LINES:
            lines.append(text)
        else:
            return (*lines, f"… {len(items) - place} more {kind}")
    return tuple(lines)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def described(graph: ReachableGraph) -> str:
    """The graph in words, for readers who don't see it."""
    sizes = ", ".join(f"{len(layer)} at depth {depth}" for depth, layer in enumerate(graph.layers))
    words = (
        f"{len(graph.nodes)} distinct episodes ({sizes}) and {len(graph.edges)} distinct edges within "
        f"{graph.horizon} steps. Each box is an episode at the first depth it is reached: its row number, the first "
        "episode it is reached from, its component states and the variables that differ from that episode. Arrows "
        "start at the cause that they share; grey ones lead back to an episode of the same or an earlier depth."
    )
    return textwrap.fill(words, 120)
