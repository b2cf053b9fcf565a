"""All composite states at once: state-dependent laws and restrictions, far more states than could be visited."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from known_systems import plain_mechanism

from made_mechanisms import braked_mass
from scilaws_bench.errors import MechanismError
from scilaws_bench.qualitative import (
    Component,
    Mechanism,
    QuantitySpace,
    Restrictions,
    StateRestriction,
    mechanism_from_document,
    space_of_landmarks,
)
from scilaws_bench.qualitative.solver import (
    FactoredSolver,
    consistent_states,
    episode_table,
    joint_relation,
)
from scilaws_bench.qualitative.spaces import Cell

STATES = ("NEGATIVE", "REST", "POSITIVE")


def _row_of_parts(size: int, *, tied: bool) -> Mechanism:
    """`size` components with three states each by the sign of v_n; tied together by equalities or free."""
    laws = {f"tie{n}": f"v{n} - v{n + 1}" for n in range(size - 1)}
    plain = plain_mechanism("row", laws)
    return replace(
        plain,
        components=tuple(Component(f"part{n}", "Part", STATES) for n in range(size)),
        confluences=plain.confluences if tied else (),
        restrictions=tuple(
            StateRestriction(f"part{n}", state, f"v{n}", (cell,))
            for n in range(size)
            for state, cell in zip(STATES, "-0+", strict=True)
        ),
    )


def _named(mechanism: Mechanism, restrictions: Restrictions) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    table = episode_table(mechanism, restrictions)
    episodes = [table.episode(row) for row in range(len(table))]
    return [(episode.state, episode.cells) for episode in episodes]


def test_a_braked_mass_by_hand() -> None:
    assert _named(mechanism_from_document(braked_mass()), {}) == [
        (("MOVING_NEGATIVE",), ("-", "+")),
        (("REST",), ("0", "0")),
        (("MOVING_POSITIVE",), ("+", "-")),
    ]


def test_states_that_share_an_interpretation_are_two_episodes() -> None:
    mechanism = replace(mechanism_from_document(braked_mass()), restrictions=())
    assert len(episode_table(mechanism, {"mass.v": ("0",)})) == 3
    assert consistent_states(mechanism, {"mass.v": ("0",)}) == (("MOVING_NEGATIVE",), ("REST",), ("MOVING_POSITIVE",))


def test_laws_hold_in_their_states_alone() -> None:
    """A clutch joins two speeds when it is closed; two components decide about the last law, one of them twice."""
    plain = plain_mechanism("clutch", {"joined": "w1 - w2", "slip": "w1 + w2"})
    joined, slip = plain.confluences
    mechanism = replace(
        plain,
        components=(Component("clutch", "Clutch", ("OPEN", "CLOSED")), Component("key", "Key", ("IN", "OUT", "LOST"))),
        confluences=(
            replace(joined, active=(("clutch", ("CLOSED",)),)),
            replace(slip, active=(("clutch", ("OPEN",)), ("key", ("OUT", "LOST")), ("key", ("IN", "OUT")))),
        ),
    )
    counts = {state: sum(s == state for s, _ in _named(mechanism, {})) for state in mechanism.composite_states()}
    opposite, free, equal = 3, 9, 3
    assert counts == {
        ("OPEN", "IN"): free,
        ("OPEN", "OUT"): opposite,
        ("OPEN", "LOST"): free,
        ("CLOSED", "IN"): equal,
        ("CLOSED", "OUT"): equal,
        ("CLOSED", "LOST"): equal,
    }


def test_restrictions_of_one_state_on_one_variable_add_up() -> None:
    mechanism = mechanism_from_document(braked_mass())
    more = replace(
        mechanism,
        restrictions=(
            StateRestriction("mass", "REST", "mass.v", ("-", "0")),
            StateRestriction("mass", "REST", "mass.v", ("0", "+")),
        ),
    )
    assert sum(state == ("REST",) for state, _ in _named(more, {})) == 1
    assert len(_named(more, {})) == 7


@pytest.mark.parametrize("size", [16, 40])
def test_few_episodes_among_very_many_composite_states(size: int) -> None:
    """3^16 is 43 million states; nothing may loop over them."""
    mechanism = _row_of_parts(size, tied=True)
    assert consistent_states(mechanism, {}) == tuple((state,) * size for state in STATES)
    table = episode_table(mechanism, {"v3": ("0", "+")})
    assert table.states.tolist() == table.cells.tolist() == [[1] * size, [2] * size]
    assert table.states.dtype == table.cells.dtype == np.int8


def test_independent_parts_are_counted_without_being_multiplied_out() -> None:
    assert joint_relation(_row_of_parts(45, tied=False), {}).count == 3**45


def test_a_hundred_thousand_episodes_are_sorted_and_unique() -> None:
    table = episode_table(_row_of_parts(10, tied=False), {"v0": ("0", "+")})
    assert len(table) == 2 * 3**9
    both = np.hstack([table.states, table.cells])
    assert np.array_equal(both, np.unique(both, axis=0))
    assert np.array_equal(table.states, table.cells)


def test_an_inconsistent_mechanism_has_no_episode() -> None:
    table = episode_table(_row_of_parts(3, tied=True), {"v0": ("-",), "v2": ("+",)})
    assert (len(table), table.states.shape, table.cells.shape) == (0, (0, 3), (0, 3))
    assert consistent_states(_row_of_parts(3, tied=True), {"v0": ()}) == ()


def test_fixed_variables_and_entailed_laws_join_nothing() -> None:
    """y = 0 cuts the system in two; the product law holds whatever its free factors are."""
    laws = {"left": "a + b + y", "right": "c + d + y", "entailed": "y * a - y * c"}
    relation = FactoredSolver().solve(plain_mechanism("cut", laws), ("ONLY",), {"y": ("0",)})
    assert relation.factors is not None
    parts = [sorted(relation.variables[column] for column in factor.columns) for factor in relation.factors]
    assert sorted(parts) == [["a", "b"], ["c", "d"], ["y"]]
    assert relation.count == 9


def test_cells_of_one_sign_cost_no_nodes() -> None:
    """Seven cells instead of three: more rows, the same diagram."""
    few = plain_mechanism("few", {"sum": "x + y - z", "product": "z - x * y"})
    levels = space_of_landmarks("signs", [("-v0", -1.0), ("0", 0.0), ("v0", 1.0)])
    many = replace(few, spaces=(levels, few.spaces[1]))
    solver = FactoredSolver()
    small, large = (solver.solve(mechanism, ("ONLY",), {}) for mechanism in (few, many))
    assert small.factors is not None
    assert large.factors is not None
    assert [f.diagram.nodes for f in small.factors] == [f.diagram.nodes for f in large.factors]
    assert large.count == sum(3 ** sum(cell != 1 for cell in row) for row in small.rows().tolist()) > small.count


def test_more_cells_or_states_than_rows_can_hold_are_refused() -> None:
    """int8 positions would wrap around silently."""
    wide = tuple(
        Cell(f"c{place}", "interval" if place % 2 == 0 else "point", 1, None if place % 2 == 0 else float(place))
        for place in range(129)
    )
    plain = plain_mechanism("wide", {"law": "x - y"})
    with pytest.raises(MechanismError, match="quantity space signs; expected at most 127 cells; found 129"):
        episode_table(replace(plain, spaces=(QuantitySpace("signs", wide), plain.spaces[1])), {})
    states = tuple(f"S{n}" for n in range(200))
    with pytest.raises(MechanismError, match="component system; expected at most 127 states; found 200"):
        episode_table(replace(plain, components=(Component("system", "System", states),)), {})


def test_unknown_names_in_restrictions_are_refused() -> None:
    with pytest.raises(MechanismError, match="variable 'v9'"):
        episode_table(_row_of_parts(3, tied=True), {"v9": ("+",)})
    with pytest.raises(MechanismError, match="cells among -, 0, \\+"):
        consistent_states(_row_of_parts(3, tied=True), {"v1": ("up",)})
