"""The one shortcut changes nothing, the checker stands alone, and it is fast enough for 2,000 episodes."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from second_worlds import (
    linked,
    mass_and_spring,
    one_crowded_group,
    pushed_body,
    ring,
    three_oscillators,
    two_free,
    two_tied_and_one,
    valve,
)

from scilaws_builders.mechreasoner.second_checker import edges_by_brute_force, edges_of


@pytest.mark.parametrize("make", [mass_and_spring, pushed_body, two_free, two_tied_and_one, ring, valve, linked])
def test_the_shortcut_changes_nothing(make) -> None:
    world = make()
    step = max(1, len(world.episodes) // 60)
    numbers = 0
    for x in world.episodes[::step]:
        found = edges_of(world, x)
        assert found == edges_by_brute_force(world, x)
        numbers += len(found)
    assert numbers > 0


def test_the_checker_never_loads_the_simulator_it_checks() -> None:
    code = (
        "import sys, scilaws_builders.mechreasoner.second_checker as c;"
        "from scilaws_builders.mechreasoner.second_checker import world_of, edges_of;"
        "sys.exit(any(name.startswith('scilaws_bench.qualitative') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("make", [three_oscillators, one_crowded_group])
def test_two_thousand_episodes_in_a_minute(make) -> None:
    started = time.process_time()
    world = make()
    assert len(world.episodes) == 2187
    assert sum(len(edges_of(world, x)) for x in world.episodes) > 2187
    assert time.process_time() - started < 60
