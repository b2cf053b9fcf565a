"""Zygotes from the host's side: waiting, replacing, closing."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from scilaws_bench.sandbox import CallResult, Limits, Sandbox
from scilaws_bench.sandbox.zygote import Zygote

X = np.arange(1000.0).reshape(500, 2)
DOUBLE = "def predict(X, a):\n    return a * X[:, 0]\n"
SLEEP = "import time\ndef predict(X):\n    time.sleep({seconds})\n    return X[:, 0]\n"
LIMITS = Limits(wall_seconds=20.0)


def double(sandbox: Sandbox, factor: float = 2.0) -> CallResult:
    return sandbox.predict(DOUBLE, X, ["a"], np.array([[factor]]), limits=LIMITS)


def is_double(result: CallResult, factor: float = 2.0) -> bool:
    return result.values is not None and bool(np.array_equal(result.values["values"], [factor * X[:, 0]]))


def idle_zygote(sandbox: Sandbox) -> Zygote:
    zygote = sandbox._slots.queue[-1]
    assert zygote is not None
    return zygote


@pytest.fixture
def fresh(sandbox: Sandbox) -> Iterator[Sandbox]:
    """A sandbox of its own at each level, with one worker that has answered once."""
    with Sandbox(sandbox.level) as opened:
        assert is_double(double(opened))
        yield opened


def test_concurrent_calls_get_their_own_answers(sandbox: Sandbox) -> None:
    with Sandbox(sandbox.level, workers=2) as shared, ThreadPoolExecutor(6) as threads:
        factors = [float(number) for number in range(24)]
        results = list(threads.map(lambda factor: double(shared, factor), factors))
    assert all(is_double(result, factor) for result, factor in zip(results, factors, strict=True))


def test_two_workers_run_at_once(sandbox: Sandbox) -> None:
    with Sandbox(sandbox.level, workers=2) as shared, ThreadPoolExecutor(2) as threads:
        list(
            threads.map(lambda _: shared.predict(SLEEP.format(seconds=0.3), X, [], np.empty((1, 0))), range(2))
        )  # boot
        began = time.monotonic()
        list(threads.map(lambda _: shared.predict(SLEEP.format(seconds=0.8), X, [], np.empty((1, 0))), range(2)))
        assert time.monotonic() - began < 1.5


def test_a_zygote_outlives_the_thread_that_caused_it(sandbox: Sandbox) -> None:
    """The kernel's parent-death signal is tied to threads, not processes."""
    with Sandbox(sandbox.level) as opened:
        first = threading.Thread(target=double, args=(opened,))
        first.start()
        first.join()
        before = idle_zygote(opened)
        time.sleep(0.1)
        assert is_double(double(opened))
        assert idle_zygote(opened) is before


def test_a_zygote_that_died_in_between_is_replaced_unnoticed(fresh: Sandbox) -> None:
    process = idle_zygote(fresh)._process
    assert process is not None
    process.kill()
    process.wait()
    assert is_double(double(fresh))


def test_a_zygote_killed_in_mid_call_fails_that_call_only(fresh: Sandbox) -> None:
    process = idle_zygote(fresh)._process
    assert process is not None
    threading.Timer(0.2, process.kill).start()
    result = fresh.predict(SLEEP.format(seconds=15), X, [], np.empty((1, 0)), limits=LIMITS)
    assert (result.status, result.error) == ("crash", "the sandbox process died during the call")
    assert is_double(double(fresh))


def test_a_zygote_that_stops_answering_is_replaced(fresh: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scilaws_bench.sandbox.zygote._GRACE_SECONDS", 0.2)
    process = idle_zygote(fresh)._process
    assert process is not None
    target = descendants(process.pid)[-1]  # bwrap itself only waits
    os.kill(target, 19)  # SIGSTOP
    result = fresh.predict(DOUBLE, X, ["a"], np.ones((1, 1)), limits=Limits(wall_seconds=0.2))
    assert (result.status, result.error) == ("crash", "the sandbox process stopped answering")
    assert is_double(double(fresh))


def test_a_zygote_that_cannot_start_is_infrastructure(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scilaws_bench.sandbox.zygote._START", "import sys; sys.exit('no luck today')#{paths}")
    with Sandbox(sandbox.level) as opened:
        result = double(opened)
        assert result.status == "infrastructure"
        assert "no luck today" in result.error
        monkeypatch.undo()
        assert is_double(double(opened))


def test_nothing_is_left_after_closing(sandbox: Sandbox) -> None:
    with Sandbox(sandbox.level) as opened:
        double(opened)
        process = idle_zygote(opened)._process
        assert process is not None
        folder = idle_zygote(opened)._folder.name
        tree = descendants(process.pid)
    assert survivors(tree) == []
    assert not Path(folder).exists()
    opened.close()
    with pytest.raises(RuntimeError, match="closed"):
        double(opened)


def test_a_host_that_is_killed_leaves_no_process(sandbox: Sandbox, tmp_path: Path) -> None:
    code = (
        "import os, numpy as np\nfrom scilaws_bench.sandbox import Sandbox\n"
        f"s = Sandbox({sandbox.level!r}); s.describe('')\n"
        "print(s._slots.queue[-1]._process.pid, flush=True)\n"
        "s.predict('while True: pass', np.ones((1, 1)), [], np.ones((1, 0)))\n"
    )
    paths = os.pathsep.join(path for path in sys.path if path)
    environment = os.environ | {"PYTHONPATH": paths, "TMPDIR": str(tmp_path)}  # its empty working folder stays behind
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=environment) as host:
        assert host.stdout is not None
        zygote = int(host.stdout.readline())
        time.sleep(0.3)
        tree = descendants(zygote)
        host.kill()
    assert len(tree) >= 2  # at least zygote and child were there to be killed
    assert survivors(tree) == []


def descendants(process: int) -> list[int]:
    parents: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # ended since the listing
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
    tree = [process]
    for parent in tree:
        tree += [pid for pid, above in parents.items() if above == parent]
    return tree


def survivors(processes: list[int]) -> list[int]:
    """Those still running after up to five seconds: the kernel kills a namespace with a delay."""
    deadline = time.monotonic() + 5.0
    while (alive := [process for process in processes if is_running(process)]) and time.monotonic() < deadline:
        time.sleep(0.05)
    return alive


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_use_after_a_fork_is_refused(fresh: Sandbox) -> None:
    fresh._owner += 1
    try:
        with pytest.raises(RuntimeError, match="forked"):
            double(fresh)
    finally:
        fresh._owner -= 1


def test_workers_must_be_positive() -> None:
    with pytest.raises(ValueError, match="workers"):
        Sandbox(workers=0)


def test_a_warm_call_imports_nothing(fresh: Sandbox) -> None:
    """Importing scipy anew takes 300 ms and more; a warm call is a fork (about 10 ms on an idle machine)."""
    thetas, wide = np.ones((1, 1)), np.ones((500, 8))
    took = []
    for _ in range(9):
        began = time.perf_counter()
        assert fresh.predict(DOUBLE, wide, ["a"], thetas, limits=LIMITS).ok
        took.append(time.perf_counter() - began)
    assert np.median(took) < 0.15


@pytest.mark.parametrize(
    "bad",
    [
        {"wall_seconds": 0},
        {"wall_seconds": np.nan},
        {"wall_seconds": np.inf},
        {"cpu_seconds": 0},
        {"memory_bytes": 1},
        {"wall_seconds": -1},
    ],
)
def test_limits_nothing_could_run_under(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must be"):
        Limits(**bad)  # type: ignore[arg-type]


def test_default_processor_time() -> None:
    assert Limits(wall_seconds=2.5).cpu_bound == 4
    assert Limits(wall_seconds=2.5, cpu_seconds=1).cpu_bound == 1
