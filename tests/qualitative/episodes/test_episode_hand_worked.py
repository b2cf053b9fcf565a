"""Episode graphs worked out by hand, asked of the oracle and of the fast graph alike."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from brute_tables import brute_table
from hand_mechanisms import (
    decay_beside_ring,
    heated_resistor,
    made,
    mass_spring,
    row_of,
    two_decays,
    two_masses,
)

from scilaws_bench.qualitative import EpisodeTable, Variable
from scilaws_bench.qualitative.episodes import ComponentChange, EpisodeGraph, PlainEdges, cause_text, component_changes

Finder = EpisodeGraph | PlainEdges
MakeFinder = Callable[[EpisodeTable], Finder]


@pytest.fixture(params=[EpisodeGraph, PlainEdges], ids=["fast", "oracle"])
def finder(request: pytest.FixtureRequest) -> MakeFinder:
    return request.param  # type: ignore[no-any-return]


def causes(graph: Finder, row: int) -> list[str]:
    return [cause_text(cause) for cause in graph.causes(row)]


def steps(table: EpisodeTable, graph: Finder, row: int, *shown: str) -> list[tuple[str, str]]:
    """Edges out of a row as (cause, cells of the shown variables in the target)."""
    names = [variable.id for variable in table.mechanism.variables]
    columns = [names.index(name) for name in shown]
    return [
        (cause_text(edge.cause), "".join(table.episode(edge.target).cells[column] for column in columns))
        for edge in graph.edges(row)
    ]


def test_a_frictionless_mass_on_a_spring_goes_round_through_eight_episodes(finder: MakeFinder) -> None:
    table = brute_table(mass_spring())
    graph = finder(table)
    turn = ["+0", "+-", "0-", "--", "-0", "-+", "0+", "++"]
    for here, there in zip(turn, [*turn[1:], turn[0]], strict=True):
        row = row_of(table, x=here[0], v=here[1])
        assert [cells for _, cells in steps(table, graph, row, "x", "v")] == [there]
    assert graph.edges(row_of(table, x="0", v="0")) == (), "equilibrium"
    assert len(table) == 9


def test_a_damped_mass_passes_balance_before_it_turns_and_stays_at_rest_once_there(finder: MakeFinder) -> None:
    table = brute_table(mass_spring("a + x + v"))
    graph = finder(table)
    falling = row_of(table, x="+", v="-", a="0")
    # Spring and damper in balance: v can't change, x falls; a alone may change sign, as it has no rate.
    assert sorted(steps(table, graph, falling, "x", "v", "a")) == [
        ("no event", "+-+"),
        ("no event", "+--"),
        ("{x: + → 0}", "0-+"),
    ]
    braking = row_of(table, x="+", v="-", a="+")
    assert causes(graph, braking) == ["no event", "{x: + → 0}", "{v: - → 0}"]
    # At v = 0 the spring alone would pull, a = -: two cells from +, so v has no edge before a has passed 0.
    assert steps(table, graph, braking, "x", "v", "a") == [("{x: + → 0}", "0-+"), ("no event", "+-0")]
    assert graph.edges(row_of(table, x="0", v="0")) == ()


def test_two_thermal_masses_meet_and_stop(finder: MakeFinder) -> None:
    table = brute_table(two_masses())
    graph = finder(table)
    hot = row_of(table, T1="+")
    both = "{T1: + → 0, T2: - → 0}"
    assert causes(graph, hot) == ["no event", both]
    assert steps(table, graph, hot, "T1", "T2", "d", "q", "dT1", "dT2") == [(both, "000000")]
    level = row_of(table, T1="0")
    assert causes(graph, level) == ["no event"]
    assert graph.edges(level) == ()


@pytest.mark.parametrize(("force", "away"), [("a + x", "-"), ("a - x", "+")], ids=["hanging", "inverted"])
def test_a_pendulum_let_go_leaves_its_point_at_once(finder: MakeFinder, force: str, away: str) -> None:
    table = brute_table(mass_spring(force))
    graph = finder(table)
    held = row_of(table, x="+", v="0")
    assert causes(graph, held) == [f"{{v: 0 → {away}}}"], "a departure precedes all else, even the empty cause"
    assert steps(table, graph, held, "x", "v") == [(f"{{v: 0 → {away}}}", f"+{away}")]


def test_a_source_crosses_zero_and_takes_everything_tied_to_it_along(finder: MakeFinder) -> None:
    table = brute_table(heated_resistor())
    graph = finder(table)
    falling = row_of(table, V="+", dV="-")
    arrive = "{V: + → 0, v: + → 0, i: + → 0}"
    assert causes(graph, falling) == ["no event", arrive]
    landed = [step for step in steps(table, graph, falling, "V", "i", "P", "dV") if step[0] == arrive]
    # dV has no rate: it may keep its sign or move by one cell at the same instant.
    assert landed == [(arrive, "000-"), (arrive, "0000")]
    crossing = row_of(table, V="0", dV="-")
    leave = "{V: 0 → -, v: 0 → -, i: 0 → -}"
    assert causes(graph, crossing) == [leave]
    assert steps(table, graph, crossing, "V", "i", "P", "dV") == [(leave, "--+-"), (leave, "--+0")]
    assert component_changes(table, graph.edges(crossing)) == (
        ComponentChange("resistor", "OFF", "REVERSE"),
        ComponentChange("source", "ZERO", "NEGATIVE"),
    )


def test_independent_terminations_are_separate_causes_and_never_one(finder: MakeFinder) -> None:
    table = brute_table(two_decays())
    graph = finder(table)
    row = row_of(table, x="+", y="-")
    assert causes(graph, row) == ["no event", "{x: + → 0}", "{y: - → 0}"]
    assert sorted(steps(table, graph, row, "x", "y")) == [("{x: + → 0}", "0-"), ("{y: - → 0}", "+0")]


def test_departures_without_a_consistent_target_are_a_dead_end(finder: MakeFinder) -> None:
    mechanism = made({"drive": "v - u"}, {"x": "v"})
    table = brute_table(mechanism, {"x": ("-", "0")})
    graph = finder(table)
    wall = row_of(table, x="0", v="+")
    assert causes(graph, wall) == ["{x: 0 → +}"]
    assert graph.edges(wall) == ()


def test_a_ring_of_mutual_support_starts_nothing(finder: MakeFinder) -> None:
    table = brute_table(decay_beside_ring())
    graph = finder(table)
    start = row_of(table, x="+", p="0", q="0")
    assert steps(table, graph, start, "x", "p", "q") == [("{x: + → 0}", "000")]


def test_a_rate_without_events_moves_by_one_cell_only(finder: MakeFinder) -> None:
    mechanism = made({"balance": "v - u"}, {"x": "v"})
    table = brute_table(mechanism, {"x": ("+",)})
    graph = finder(table)
    assert graph.edges(row_of(table, v="+")) == (), "v is tied to u, which no event moves"
    table = brute_table(made({}, {"x": "v"}), {"x": ("+",)})
    graph = finder(table)
    assert steps(table, graph, row_of(table, v="+"), "v") == [("no event", "0")]
    assert steps(table, graph, row_of(table, v="0"), "v") == [("no event", "-"), ("no event", "+")]


@pytest.mark.parametrize("continuous", [True, False])
def test_a_rate_that_may_jump_does_so_beside_an_event_only(finder: MakeFinder, continuous: bool) -> None:
    mechanism = made({}, {"x": "v"}, extra=[Variable("v", None, "signs", "derivative", continuous=continuous)])
    table = brute_table(mechanism)
    falling = row_of(table, x="+", v="-")
    landings = [("{x: + → 0}", "0-"), ("{x: + → 0}", "00")] + ([] if continuous else [("{x: + → 0}", "0+")])
    assert steps(table, finder(table), falling, "x", "v") == [*landings, ("no event", "+0")]
