"""Figures of the intrastate solver of the qualitative simulator; `figures()` gives rows for run.py.

Run alone: `python tests/benchmarks/qualitative_solver.py`. Takes up to two and a half minutes,
nearly all of it CP-SAT and the plain reference, which get a minute each.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

_TESTS = Path(__file__).parents[1]
for _folder in (_TESTS / "qualitative", _TESTS / "qualitative" / "solver"):
    sys.path.insert(0, str(_folder))

from cp_sat_oracle import enumerate_episodes  # noqa: E402 - the tests' own modules
from known_systems import electrothermal_ladder, thermal_chain, thermal_star, two_masses  # noqa: E402
from random_mechanisms import random_mechanism  # noqa: E402

from scilaws_bench.qualitative import Mechanism  # noqa: E402
from scilaws_bench.qualitative.solver import FactoredSolver, episode_table  # noqa: E402
from scilaws_bench.qualitative.solver.machines import law_machine  # noqa: E402

ONLY = ("ONLY",)
LADDER = 528_769
OTHERS_SECONDS = 60

_ROWS_OF_THE_LADDER = """
import resource
from known_systems import electrothermal_ladder
from scilaws_bench.qualitative.solver import FactoredSolver
relation = FactoredSolver().solve(electrothermal_ladder(4), ("ONLY",), {})
assert len(relation.rows()) == relation.count == 528_769
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
_REFERENCE_ON_THE_LADDER = """
from known_systems import electrothermal_ladder
from scilaws_bench.qualitative.solver import ReferenceSolver, WorkLimits
relation = ReferenceSolver().solve(electrothermal_ladder(4), ("ONLY",), {}, limits=WorkLimits(steps=10**12))
assert relation.count == 528_769
"""


def figures() -> list[tuple[str, str, str]]:
    """Figure, wanted, measured. Solves include the exact count and start without remembered law machines."""
    rows = [(f"intrastate solve, {name}", wanted, f"{1e3 * _cold(m):.1f} ms") for name, wanted, m in _systems()]
    ladder = electrothermal_ladder(4)
    solved = _cold(ladder)
    relation = FactoredSolver().solve(ladder, ONLY, {})
    written = _seconds(relation.rows)
    nodes = sum(factor.diagram.nodes for factor in relation.factors or ())
    assert relation.count == LADDER
    assert FactoredSolver().solve(electrothermal_ladder(6), ONLY, {}).count == 217_708_153
    start = time.perf_counter()
    found, complete = enumerate_episodes(ladder, {}, OTHERS_SECONDS)
    of_cp_sat = f"{time.perf_counter() - start:.0f} s" if complete else f"{len(found):,} of them"
    assert len(found) == LADDER or not complete
    small = [random_mechanism(seed) for seed in range(100)]
    tables = [_seconds(partial(episode_table, mechanism, {})) for mechanism in small]
    return [
        *rows,
        (f"ladder of 4 resistors: {LADDER:,} interpretations counted", "≤ 2 s", f"{solved:.3f} s, {nodes:,} nodes"),
        ("the same, all rows written out and sorted", "≤ 2 s", f"{written:.2f} s"),
        ("peak memory of that process", "≤ 2 GiB", f"{_peak_of_rows() / 2**30:.2f} GiB"),
        (f"the same by CP-SAT enumeration, one worker, at most {OTHERS_SECONDS} s", "", of_cp_sat),
        (f"the same by the plain reference solver, at most {OTHERS_SECONDS} s", "", _reference()),
        ("ladder of 6 resistors: 217,708,153 interpretations counted", "", f"{_cold(electrothermal_ladder(6)):.3f} s"),
        ("all episodes of a random small mechanism, median of 100", "", f"{1e3 * statistics.median(tables):.1f} ms"),
    ]


def _systems() -> list[tuple[str, str, Mechanism]]:
    return [
        ("two thermal masses (13)", "≤ 5 ms", two_masses()),
        ("chain of three thermal masses (143)", "≤ 20 ms", thermal_chain(3)),
        ("star of four thermal masses (1,465)", "≤ 20 ms", thermal_star(4)),
        ("ladder of 2 resistors (1,321)", "≤ 20 ms", electrothermal_ladder(2)),
    ]


def _cold(mechanism: Mechanism) -> float:
    """Median of nine solves."""

    def solve() -> None:
        assert FactoredSolver().solve(mechanism, ONLY, {}).count > 0

    times = []
    for _ in range(9):
        law_machine.cache_clear()
        times.append(_seconds(solve))
    return statistics.median(times)


def _peak_of_rows() -> int:
    done = subprocess.run(_python(_ROWS_OF_THE_LADDER), check=True, capture_output=True, text=True)
    return int(done.stdout) * 1024


def _reference() -> str:
    start = time.perf_counter()
    try:
        subprocess.run(_python(_REFERENCE_ON_THE_LADDER), check=True, timeout=OTHERS_SECONDS)
    except subprocess.TimeoutExpired:
        return "not finished"
    return f"{time.perf_counter() - start:.0f} s"


def _python(code: str) -> list[str]:
    return [sys.executable, "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{code}"]


def _seconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


if __name__ == "__main__":
    for _row in figures():
        print(" | ".join(_row))  # noqa: T201 - this script's output
