"""A law after the next one: patches, planted modules, changed settings, files, threads, a broken zygote.

Imitates a submission that patched numpy so that every later submission failed.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from attack_kit import HONEST, LIMITS, NO_CONSTANTS, X, check_honest, opened, run

from scilaws_bench.sandbox import InProcess, Limits, Sandbox

PLANTS = {
    "a patched numpy": ("np.hypot = lambda a, b: 0 * a", "np.hypot(3.0, 4.0) == 5.0"),
    "a patched builtin": ("import builtins\nbuiltins.sum = lambda *a: 41", "sum([1, 2]) == 3"),
    "a new builtin": ("import builtins\nbuiltins.planted = 1", "'planted' not in dir(__import__('builtins'))"),
    "a planted module": ("sys.modules['planted'] = np", "'planted' not in sys.modules"),
    "an import hook": ("sys.meta_path.insert(0, type('H', (), {'planted': 1}))", "len(sys.meta_path) < 5"),
    "a path": ("sys.path.insert(0, '/planted')", "'/planted' not in sys.path"),
    "the random state": ("np.random.seed(1)", "np.random.random() != np.random.RandomState(1).random()"),
    "error handling": ("np.seterr(all='raise')", "np.geterr()['divide'] == 'warn'"),
    "printing": ("np.set_printoptions(precision=1)", "np.get_printoptions()['precision'] == 8"),
    "warnings": ("import warnings\nwarnings.filters.append('x')", "'x' not in __import__('warnings').filters"),
    "the recursion limit": ("sys.setrecursionlimit(77)", "sys.getrecursionlimit() == 1000"),
    "a signal handler": ("import signal\nsignal.signal(10, lambda *a: 0)", "__import__('signal').getsignal(10) == 0"),
    "a profiler": ("sys.setprofile(lambda *a: None)", "sys.getprofile() is None"),
    "an environment variable": ("import os\nos.environ['PLANTED'] = '1'", "'PLANTED' not in __import__('os').environ"),
    "the standard streams": ("sys.stdout = None", "sys.stdout is not None"),
    "a patched json": ("import json\njson.dumps = None", "__import__('json').dumps([1]) == '[1]'"),
    "the worker": (
        "for m in list(sys.modules.values()):\n    if 'worker' in getattr(m, '__name__', ''): vars(m).clear()",
        "hasattr(sys.modules['_worker.call'], 'execute')",
    ),
    "the law's own module": ("sys.modules['law'].planted = 1", "not hasattr(sys.modules['law'], 'planted')"),
}  # fmt: skip


def planting(name: str) -> str:
    return f"import sys\nimport numpy as np\n{PLANTS[name][0]}\ndef predict(X):\n    return X[:, 0]\n"


def looking(name: str) -> str:
    check = PLANTS[name][1]
    return f"import sys\nimport numpy as np\ndef predict(X):\n    return np.full(len(X), float(bool({check})))\n"


@pytest.mark.parametrize("name", PLANTS)
def test_a_plant_is_gone_with_its_call(sandbox: Sandbox, name: str) -> None:
    run(sandbox, planting(name))
    result = run(sandbox, looking(name))
    assert result.values is not None, result.error
    assert set(result.values["values"][0]) == {1.0}
    check_honest(sandbox)


@pytest.mark.parametrize("name", ["a new builtin", "a planted module", "error handling", "an environment variable"])
def test_the_plant_stays_in_process(name: str) -> None:
    """The control, with plants that are easily pulled out again."""
    import builtins
    import sys

    state = np.geterr()
    try:
        run(InProcess(), planting(name))
        result = run(InProcess(), looking(name))
        assert result.values is not None
        assert set(result.values["values"][0]) == {0.0}
    finally:
        np.seterr(**state)
        sys.modules.pop("planted", None)
        os.environ.pop("PLANTED", None)
        vars(builtins).pop("planted", None)


def test_two_at_once_do_not_meet(sandbox: Sandbox) -> None:
    """One patches and burns processor time while the other computes, on two workers of one sandbox."""
    attacker = "import numpy as np\nnp.hypot = None\ndef predict(X):\n    while True: pass\n"
    with Sandbox(sandbox.level, workers=2) as shared, ThreadPoolExecutor(2) as threads:
        attack = threads.submit(shared.predict, attacker, X, [], NO_CONSTANTS, (), Limits(wall_seconds=1.5))
        honest = [threads.submit(run, shared, HONEST) for _ in range(4)]
        for result in (future.result() for future in honest):
            assert result.values is not None
            np.testing.assert_array_equal(result.values["values"], [np.hypot(X[:, 0], X[:, 1])])
        assert attack.result().status == "timeout"


def test_a_thread_does_not_outlive_its_call(sandbox: Sandbox) -> None:
    """Threads of a finished law are killed with it, whatever they were doing."""
    burning = "import threading\ndef burn():\n    while True: pass\ndef predict(X):\n"
    burning += "    for _ in range(4): threading.Thread(target=burn, daemon=True).start()\n    return X[:, 0]\n"
    assert run(sandbox, burning).ok
    result = sandbox.describe("import os\nLAW_CONSTANTS = [os.times().user]", LIMITS)
    assert result.values is not None
    assert result.values["law_constants"][0] < 1.0
    check_honest(sandbox)


WHO = "import os\nLAW_CONSTANTS = [os.getppid(), os.getpid()]"


def test_fit_and_predict_of_every_group_run_in_processes_of_their_own(sandbox: Sandbox) -> None:
    numbers = []
    for _ in range(3):
        result = sandbox.describe(WHO, LIMITS)
        assert result.values is not None
        numbers.append(result.values["law_constants"][1])
    assert len(set(numbers)) == 3


@pytest.mark.parametrize("level", ["full", "kernel"])
def test_a_sandbox_of_its_own_shares_no_process(level: str) -> None:
    """What boards do (--fresh-workers): the second submission's zygote is another process than the first one's."""
    with opened(level) as first, opened(level) as second:
        zygotes = []
        for sandbox in (first, second):
            assert run(sandbox, HONEST).ok
            zygote = sandbox._slots.queue[-1]
            assert zygote is not None
            assert zygote._process is not None
            zygotes.append(zygote._process.pid)
    assert len(set(zygotes)) == 2
