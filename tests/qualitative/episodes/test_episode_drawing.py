"""The picture of a reachable graph: complete, honest about what it leaves out, and without overlaps."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from itertools import combinations

import pytest
from brute_tables import brute_table
from hand_mechanisms import heated_resistor, mass_spring, row_of
from known_systems import thermal_star

from scilaws_bench.qualitative import Component, Mechanism
from scilaws_bench.qualitative.episodes import EpisodeGraph, Event, ReachableGraph
from scilaws_bench.qualitative.episodes.drawing import svg
from scilaws_bench.qualitative.episodes.placement import BOX, Placement, label_of, place
from scilaws_bench.qualitative.solver import episode_table

SVG = "{http://www.w3.org/2000/svg}"


def cycle() -> ReachableGraph:
    table = brute_table(mass_spring())
    return EpisodeGraph(table).reachable([row_of(table, x="+", v="0")], 8)


def resistor() -> ReachableGraph:
    table = brute_table(heated_resistor())
    return EpisodeGraph(table).reachable([row_of(table, V="+", dV="-")], 4)


def star() -> ReachableGraph:
    """Four thermal masses: 36 episodes in two steps."""
    plain = thermal_star(4)
    rates = {f"T{mass}": f"dT{mass}" for mass in range(4)}
    variables = tuple(
        replace(v, derivative=rates.get(v.id), role="derivative" if v.id in rates.values() else "quantity")
        for v in plain.variables
    )
    table = episode_table(replace(plain, variables=variables), {})
    signs = dict(zip(("T0", "T1", "T2", "T3"), "+-+-", strict=True))
    graph = EpisodeGraph(table)
    rows = table.matching({name: (cell,) for name, cell in signs.items()}).nonzero()[0].tolist()
    return max((graph.reachable([row], 2) for row in rows), key=lambda reached: len(reached.nodes))


def parsed(picture: str) -> ElementTree.Element:
    return ElementTree.fromstring(picture)


def texts(picture: str) -> list[str]:
    return [element.text or "" for element in parsed(picture).iter(f"{SVG}text")]


def test_every_episode_is_drawn_with_state_and_changes() -> None:
    picture = svg(cycle())
    shown = "\n".join(texts(picture))
    assert "mass REST · spring EXTENDED" in shown
    assert "8 episodes, 8 edges, horizon 8" in shown
    assert shown.count("MOVING_NEGATIVE") == 3
    assert "v: 0 → -" in shown
    assert "more" not in shown
    paths = list(parsed(picture).iter(f"{SVG}path"))
    assert sum(path.get("class") == "ahead" for path in paths) == 7
    assert sum(path.get("class") == "back" for path in paths) == 1, "the cycle closes"


def test_title_and_description_are_there_for_screen_readers() -> None:
    root = parsed(svg(cycle()))
    assert root.get("role") == "img"
    named = {element.get("id"): element.text for element in root if element.get("id")}
    first, second = (root.get("aria-labelledby") or "").split()
    assert named[first] == "Episode graph: Made by hand"
    assert "8 distinct episodes (1 at depth 0, 1 at depth 1" in " ".join((named[second] or "").split())


@pytest.mark.parametrize("make", [cycle, resistor, star])
@pytest.mark.parametrize("most", [5, 60])
def test_boxes_never_overlap_and_arrows_end_at_boxes_inside_the_picture(make, most: int) -> None:
    placed = place(make(), most)
    for one, other in combinations(placed.boxes, 2):
        beside = one.x + BOX < other.x or other.x + BOX < one.x
        assert beside or one.y + one.height < other.y or other.y + other.height < one.y
    entries = {box.entry for box in placed.boxes}
    points = [point for arrow in placed.arrows for point in arrow.points]
    assert all(arrow.points[-1] in entries for arrow in placed.arrows)
    assert all(0 < x < placed.width and 0 < y < placed.height for x, y in points)
    assert all(box.x > 0 and box.x + BOX < placed.width and box.y + box.height < placed.height for box in placed.boxes)


@pytest.mark.parametrize("make", [cycle, resistor, star])
def test_ways_round_stay_clear_of_boxes(make) -> None:
    placed: Placement = place(make(), 60)
    for arrow in placed.arrows:
        if len(arrow.points) > 2:
            for (x0, y0), (x1, y1) in zip(arrow.points[1:-2], arrow.points[2:-1], strict=True):
                for box in placed.boxes:
                    clear_x = max(x0, x1) < box.x or min(x0, x1) > box.x + BOX
                    clear_y = max(y0, y1) < box.y or min(y0, y1) > box.y + box.height
                    assert clear_x or clear_y


def test_every_edge_has_its_arrow_when_all_episodes_are_drawn() -> None:
    reached = star()
    placed = place(reached, 60)
    assert (len(placed.boxes), placed.hidden, placed.hidden_edges) == (len(reached.nodes), 0, 0)
    assert len(placed.arrows) == len(reached.edges)


@pytest.mark.parametrize("most", [1, 7, 20, 35])
def test_what_is_left_out_is_counted(most: int) -> None:
    reached = star()
    assert len(reached.nodes) == 36
    placed = place(reached, most)
    drawn = {box.row for box in placed.boxes if box.row is not None}
    assert len(drawn) == most
    assert placed.hidden == 36 - most
    assert placed.hidden_edges == sum(edge.source not in drawn for edge in reached.edges)
    summaries = [box for box in placed.boxes if box.row is None]
    assert sum(int(box.heading.split()[1]) for box in summaries) == placed.hidden
    into = sum(edge.source in drawn and edge.target not in drawn for edge in reached.edges)
    assert sum(int(box.lines[0].split()[0]) for box in summaries) == into
    shown = texts(svg(reached, most_nodes=most))
    assert any(f"{placed.hidden} episodes not drawn" in text for text in shown)


def test_text_of_strangers_is_escaped() -> None:
    plain: Mechanism = mass_spring()
    odd = replace(
        plain,
        title='<script>alert("x")</script> & \x1b[31m',
        components=(Component("</text><b>", "Part", plain.components[0].states), *plain.components[1:]),
        declarations=(),
        restrictions=plain.restrictions[3:],
    )
    picture = svg(EpisodeGraph(brute_table(odd)).reachable([0], 1))
    tags = {element.tag.removeprefix(SVG) for element in parsed(picture).iter()}
    assert tags <= {"svg", "title", "desc", "style", "defs", "marker", "path", "rect", "text", "g"}
    assert any("</text><b>" in text for text in texts(picture))
    assert "\x1b" not in picture


def test_labels_join_events_of_equal_cells_and_stay_short() -> None:
    cause = (Event("V", "+", "0"), Event("v", "+", "0"), Event("x", "0", "-"))
    assert label_of(cause) == "V, v: + → 0; x: 0 → -"
    assert label_of(()) == "no event"
    assert len(label_of(tuple(Event(f"long_name_{place}", "+", "0") for place in range(9)))) == 29


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="most_nodes"):
        svg(cycle(), most_nodes=0)


def test_an_empty_graph_is_still_a_picture() -> None:
    table = brute_table(mass_spring())
    picture = svg(EpisodeGraph(table).reachable([], 1))
    assert "0 episodes, 0 edges, horizon 1" in texts(picture)
