"""A reachable graph as an SVG picture."""

from __future__ import annotations

from xml.sax.saxutils import escape

from scilaws_bench.plain_text import printable
from scilaws_bench.qualitative.episode_table import EpisodeTable
from scilaws_bench.qualitative.episodes.clauses import cause_text
from scilaws_bench.qualitative.episodes.graph import ReachableGraph
from scilaws_bench.qualitative.episodes.placement import (
    BOX,
    LINE,
    PADDING,
    Arrow,
    Box,
    Placement,
    Port,
    described,
    label_of,
    place,
)

_INK, _FADED, _ACCENT, _FILL = "#1d2733", "#5f6b7a", "#0b5cad", "#f3f6fa"
_STYLE = f"""text {{ font: 12px 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: {_INK}; }}
.heading {{ font-weight: bold; }} .cause {{ font-size: 11px; fill: {_ACCENT}; }} .title {{ font-size: 16px; }}
.box {{ fill: {_FILL}; stroke: {_INK}; }} .start {{ stroke-width: 2.5; }} .more {{ stroke-dasharray: 4 3; }}
.ahead, .lead {{ fill: none; stroke: {_ACCENT}; }} .back {{ fill: none; stroke: {_FADED}; }}"""


def svg(graph: ReachableGraph, *, most_nodes: int = 60) -> str:
    """A reachable graph as a standalone SVG document: depth runs from left to right.

    One box per distinct episode, at its first depth; arrows are labelled by their cause at the start.
    Beyond `most_nodes` episodes, a dashed box in each column says how many are not drawn, arrows to
    them end there, and the line under the title counts the edges that start from them.

    Raises:
        ValueError: `most_nodes` below 1.
    """
    if most_nodes < 1:
        raise ValueError(f"most_nodes: expected a whole number ≥ 1, found {most_nodes}")
    mechanism = graph.table.mechanism
    placed = place(graph, most_nodes)
    title = f"Episode graph: {printable(mechanism.title or mechanism.id, 100)}"
    width = max(placed.width, 40 + 10 * len(title), 40 + 7.3 * len(_subtitle(graph, placed)))
    size = f'width="{width:.0f}" height="{placed.height:.0f}" viewBox="0 0 {width:.0f} {placed.height:.0f}"'
    labels = f'aria-labelledby="{mechanism.id}-title {mechanism.id}-desc"'
    initial = set(graph.layers[0])
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" {labels}>',
        f'<title id="{mechanism.id}-title">{escape(title)}</title>',
        f'<desc id="{mechanism.id}-desc">{escape(described(graph))}</desc>',
        f"<style>{_STYLE}</style>",
        f"<defs>{_marker('ahead', _ACCENT)}{_marker('back', _FADED)}</defs>",
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text class="title" x="20" y="26">{escape(title)}</text>',
        f'<text x="20" y="46">{escape(_subtitle(graph, placed))}</text>',
        *(_arrow(arrow) for arrow in placed.arrows),
        *(_port(port, placed.label) for port in placed.ports),
        *(_box(graph.table, box, box.row in initial) for box in placed.boxes),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _subtitle(graph: ReachableGraph, placed: Placement) -> str:
    text = f"{len(graph.nodes)} episodes, {len(graph.edges)} edges, horizon {graph.horizon}"
    if placed.hidden:
        text += f"; {placed.hidden} episodes not drawn"
    if placed.hidden_edges:
        text += f", nor the {placed.hidden_edges} edges out of them"
    return text


def _marker(name: str, colour: str) -> str:
    size = 'viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"'
    return f'<marker id="{name}" {size}><path d="M0 0 L8 4 L0 8 z" fill="{colour}"/></marker>'


def _arrow(arrow: Arrow) -> str:
    if len(arrow.points) == 2:
        (x0, y0), (x1, y1) = arrow.points
        bend = (x1 - x0) / 2
        path = f"M{x0:.1f} {y0:.1f} C{x0 + bend:.1f} {y0:.1f} {x1 - bend:.1f} {y1:.1f} {x1:.1f} {y1:.1f}"
        return f'<path class="ahead" d="{path}" marker-end="url(#ahead)"/>'
    path = "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in arrow.points)
    return f'<path class="back" d="{path}" marker-end="url(#back)"/>'


def _port(port: Port, length: float) -> str:
    line = f'<path class="lead" d="M{port.x:.1f} {port.y:.1f} h{length:.1f}"/>'
    label = f'<text class="cause" x="{port.x + 6:.1f}" y="{port.y - 3:.1f}">{escape(label_of(port.cause))}</text>'
    return f"<g><title>{escape(printable(cause_text(port.cause)))}</title>{line}{label}</g>"


def _box(table: EpisodeTable, box: Box, is_initial: bool) -> str:
    kind = "box more" if box.row is None else "box start" if is_initial else "box"
    x = box.x + PADDING
    texts = [f'<text class="heading" x="{x:.1f}" y="{box.y + PADDING + 11:.1f}">{escape(box.heading)}</text>']
    for number, line in enumerate(box.lines, start=1):
        texts.append(f'<text x="{x:.1f}" y="{box.y + PADDING + 11 + LINE * number:.1f}">{escape(line)}</text>')
    frame = f'<rect class="{kind}" x="{box.x:.1f}" y="{box.y:.1f}" width="{BOX:.1f}" height="{box.height:.1f}" rx="4"/>'
    whole = " ".join((box.heading, *box.lines)) if box.row is None else _whole(table, box.row)
    return f"<g><title>{escape(whole)}</title>{frame}{''.join(texts)}</g>"


def _whole(table: EpisodeTable, row: int) -> str:
    """An episode in full, for tooltips and screen readers."""
    state = table.mechanism.states_by_component(table.state(row))
    parts = [f"{name} {value}" for name, value in state.items()]
    parts += [f"{name} = {cell}" for name, cell in table.interpretation(row).items()]
    return printable(f"episode {row}: " + ", ".join(parts))
