"""Work limits: each ends quickly with a message that says which, how much, on what and what to do."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest
from known_systems import electrothermal_ladder, plain_mechanism, two_masses

from scilaws_bench.errors import WorkLimitError
from scilaws_bench.qualitative import Mechanism
from scilaws_bench.qualitative.solver import (
    FactoredSolver,
    ReferenceSolver,
    WorkLimits,
    episode_table,
    joint_relation,
)

ONLY = ("ONLY",)


def _web(size: int = 60) -> Mechanism:
    """Laws between random variables: no order keeps few of them half read."""
    rng = np.random.default_rng(0)
    laws = {}
    for n in range(size // 2):
        a, b, c, d = (f"x{place}" for place in rng.choice(size, 4, replace=False))
        laws[f"law{n}"] = f"{a} - {b} + {c} - {d}"
    return plain_mechanism("web", laws)


@pytest.mark.parametrize(
    ("limits", "solver", "words"),
    [
        (WorkLimits(rows=500), ReferenceSolver(), "rows=500"),
        (WorkLimits(steps=20_000), ReferenceSolver(), "steps=20000"),
        (WorkLimits(steps=3_000), FactoredSolver(), "steps=3000"),
    ],
    ids=["reference rows", "reference steps", "factored steps"],
)
def test_solving_stops_at_its_limit(limits: WorkLimits, solver: ReferenceSolver | FactoredSolver, words: str) -> None:
    start = time.perf_counter()
    with pytest.raises(WorkLimitError) as caught:
        solver.solve(electrothermal_ladder(4), ONLY, {}, limits=limits)
    assert time.perf_counter() - start < 5
    message = str(caught.value)
    subject = "mechanism ladder_4_full, composite state (ONLY)"
    assert message.startswith(f"inconclusive: limit {words} reached on {subject}")
    assert f"WorkLimits({words.split('=')[0]}=…)" in message


def test_rows_stop_at_their_limit_but_the_count_is_exact() -> None:
    relation = FactoredSolver().solve(electrothermal_ladder(4), ONLY, {}, limits=WorkLimits(rows=1000))
    assert relation.count == 528_769
    with pytest.raises(WorkLimitError, match=r"^inconclusive: limit rows=1000 reached on mechanism ladder_4_full"):
        relation.rows()
    with pytest.raises(WorkLimitError, match="limit rows=10 "):
        relation.rows(limit=10)
    with pytest.raises(WorkLimitError, match="limit rows=1000 "):
        relation.projection(relation.variables[::2])
    assert len(relation.conditioned({"Vs": ("0",), "dVs": ("0",)}).rows()) > 0


def test_a_limit_given_to_rows_may_also_be_higher() -> None:
    relation = FactoredSolver().solve(two_masses(), ONLY, {}, limits=WorkLimits(rows=5))
    assert len(relation.rows(limit=13)) == 13


def test_episodes_stop_at_their_limits() -> None:
    ladder = electrothermal_ladder(4)
    assert joint_relation(ladder, {}, limits=WorkLimits(rows=10)).count == 528_769
    with pytest.raises(WorkLimitError, match="limit rows=10 reached on mechanism ladder_4_full, all composite states"):
        episode_table(ladder, {}, limits=WorkLimits(rows=10))
    with pytest.raises(WorkLimitError, match="limit steps=10 "):
        episode_table(ladder, {}, limits=WorkLimits(steps=10))


def test_the_default_limits_end_a_hopeless_question_soon() -> None:
    start = time.perf_counter()
    with pytest.raises(WorkLimitError, match=r"^inconclusive: limit steps="):
        FactoredSolver().solve(_web(), ONLY, {})
    assert time.perf_counter() - start < 20


def test_a_law_too_wide_for_its_machine_is_inconclusive() -> None:
    """Every x meets every y in a product: all of one kind are open whatever the order."""
    size = 13
    dense = " + ".join(f"x{n} * y{m}" for n in range(size) for m in range(size))
    mechanism = plain_mechanism("dense", {"power": dense})
    start = time.perf_counter()
    with pytest.raises(WorkLimitError, match=r"^inconclusive: limit steps=200000 reached on mechanism dense"):
        FactoredSolver().solve(mechanism, ONLY, {}, limits=WorkLimits(steps=200_000))
    assert time.perf_counter() - start < 5


def test_products_of_ties_are_closed_early() -> None:
    """Found with this system: read along the ties all sixteen products stayed open, and it was inconclusive."""
    count = 16
    names = [f"x{n}" for n in range(count)] + [f"y{n}" for n in range(count)]
    power = " + ".join(f"x{n} * y{n}" for n in range(count))
    ties = {f"tie{n}": f"{one} - {other}" for n, (one, other) in enumerate(itertools.pairwise(names))}
    relation = FactoredSolver().solve(plain_mechanism("ties", {"power": power, **ties}), ONLY, {})
    assert relation.count == 1
    assert set(relation.forced.values()) == {"0"}
