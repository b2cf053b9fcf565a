"""Support and law machines against trying everything."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scilaws_bench.errors import MechanismError, WorkLimitError
from scilaws_bench.qualitative import Cell, Confluence, Factor, Term, is_satisfied, parse_confluence, space_of_landmarks
from scilaws_bench.qualitative.solver import WorkLimits, supported_cells
from scilaws_bench.qualitative.solver.machines import DEAD, Letters, Machine, law_machine, pair_machine

LEVELS = space_of_landmarks("levels", [("-v0", -1.0), ("0", 0.0), ("v0", 1.0)]).cells
NEGATIVE, ZERO, POSITIVE = LEVELS[0], LEVELS[3], LEVELS[6]
SIGNS = (NEGATIVE, ZERO, POSITIVE)
NAMES = "wxyz"

terms = st.builds(
    Term,
    st.sampled_from([-1, 1]),
    st.lists(st.builds(Factor, st.sampled_from(NAMES), st.integers(1, 3)), min_size=1, max_size=3).map(tuple),
)
laws = st.lists(terms, min_size=1, max_size=4).map(lambda found: Confluence("law", tuple(found)))
cell_sets = st.sets(st.sampled_from(range(7)), max_size=7).map(lambda chosen: tuple(LEVELS[i] for i in sorted(chosen)))


@settings(max_examples=300, deadline=None)
@given(law=laws, domains=st.fixed_dictionaries(dict.fromkeys(NAMES, cell_sets)))
def test_supported_cells_are_those_of_all_satisfying_assignments(
    law: Confluence, domains: dict[str, tuple[Cell, ...]]
) -> None:
    names = law.variables
    satisfying = [
        cells
        for cells in itertools.product(*(domains[name] for name in names))
        if is_satisfied(law, {name: cell.sign for name, cell in zip(names, cells, strict=True)})
    ]
    for place, name in enumerate(names):
        supported = {cells[place].id for cells in satisfying}
        assert supported_cells(law, domains, name) == tuple(cell for cell in domains[name] if cell.id in supported)


@pytest.mark.parametrize(
    ("text", "variable", "domains", "expected"),
    [
        ("p - x * x", "p", {"p": SIGNS, "x": (NEGATIVE, POSITIVE)}, (POSITIVE,)),
        ("p - x^3", "p", {"p": SIGNS, "x": (NEGATIVE,)}, (NEGATIVE,)),
        ("x - x", "x", {"x": SIGNS}, SIGNS),
        ("x + x", "x", {"x": SIGNS}, (ZERO,)),
        ("p - x * y + x", "p", {"p": SIGNS, "x": (ZERO,), "y": SIGNS}, (ZERO,)),
        ("x + y", "x", {"x": LEVELS, "y": LEVELS[:2]}, LEVELS[4:]),
        ("x + y", "x", {"x": SIGNS, "y": ()}, ()),
    ],
)
def test_repeated_variables_and_powers_by_hand(
    text: str, variable: str, domains: dict[str, tuple[Cell, ...]], expected: tuple[Cell, ...]
) -> None:
    assert supported_cells(parse_confluence("law", text), domains, variable) == expected


def test_a_variable_outside_the_law_is_refused() -> None:
    with pytest.raises(MechanismError, match="support of z in law sum"):
        supported_cells(parse_confluence("sum", "x + y"), {"x": SIGNS, "y": SIGNS, "z": SIGNS}, "z")


def test_a_law_of_many_variables_is_no_trouble() -> None:
    names = [f"x{n}" for n in range(200)]
    law = parse_confluence("sum", " + ".join(names))
    domains = dict.fromkeys(names, (ZERO, POSITIVE))
    assert supported_cells(law, domains, "x0") == (ZERO,)
    assert supported_cells(law, {**domains, "x199": SIGNS}, "x0") == (ZERO, POSITIVE)


def test_a_law_with_too_many_open_products_is_inconclusive() -> None:
    count = 14
    factors = [f"x{n} * y{(n * 5 + 3) % count}" for n in range(count)]
    law = Confluence("web", tuple(reversed(parse_confluence("web", " + ".join(factors)).terms)))
    domains = dict.fromkeys(law.variables, SIGNS)
    with pytest.raises(WorkLimitError, match=r"^inconclusive: limit steps=2000 reached on law web"):
        supported_cells(law, domains, "x0", limits=WorkLimits(steps=2000))


def _accepts(machine: Machine, word: tuple[int, ...]) -> bool:
    if machine.accepts_nothing:
        return False
    node = 0
    for level, letter in zip(machine.levels, word, strict=True):
        node = int(level[node, letter])
        if node == DEAD:
            return False
    return True


@settings(max_examples=200, deadline=None)
@given(law=laws, order=st.permutations([*NAMES, "guard"]))
def test_a_machine_accepts_what_satisfies_its_law_or_switches_it_off(law: Confluence, order: list[str]) -> None:
    order = [name for name in order if name in law.variables or name == "guard"]
    alphabets: tuple[Letters, ...] = tuple((0, 1) if name == "guard" else (-1, 0, 1) for name in order)
    shape = tuple((t.sign, tuple((order.index(f.variable), f.exponent) for f in t.factors)) for t in law.terms)
    machine = law_machine(shape, frozenset([order.index("guard")]), alphabets, 10**6)
    assert machine is not None
    accepted = set()
    for word in itertools.product(*(range(len(letters)) for letters in alphabets)):
        signs = {name: alphabets[i][word[i]] for i, name in enumerate(order)}
        holds = signs.pop("guard") == 0 or is_satisfied(law, signs)
        assert _accepts(machine, word) == holds
        accepted |= {word} if holds else set()
    for place, level in enumerate(machine.levels):
        residuals = {}
        for word in accepted:
            residuals.setdefault(word[:place], set()).add(word[place:])
        assert len(level) == len({frozenset(rest) for rest in residuals.values()}), "a machine is reduced"
    everything = len(accepted) == np.prod([len(letters) for letters in alphabets])
    assert machine.accepts_everything == everything


def test_a_pair_machine_accepts_its_table() -> None:
    table = np.array([[1, 0, 1], [0, 0, 0], [1, 0, 1], [1, 1, 0]], dtype=bool)
    machine = pair_machine(table)
    assert [[_accepts(machine, (i, j)) for j in range(3)] for i in range(4)] == table.tolist()
    assert len(machine.levels[1]) == 2
    assert pair_machine(np.zeros((2, 2), dtype=bool)).accepts_nothing
    assert pair_machine(np.ones((2, 2), dtype=bool)).accepts_everything
