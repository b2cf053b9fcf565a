"""Measure the figures of docs/benchmarks.md: `make bench` (prints) or with `--write` (also writes the page)."""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import qualitative_episodes
import qualitative_solver

from scilaws_bench.qualitative.episodes import EpisodeGraph
from scilaws_bench.qualitative.solver import episode_table
from scilaws_bench.release import open_release
from scilaws_bench.release.gold import open_gold
from scilaws_bench.sandbox import Limits, Sandbox
from scilaws_bench.scoring import NumericGold, anchors_of, score_numeric
from scilaws_builders.mechreasoner import catalogue

REPOSITORY = Path(__file__).parents[2]
PAGE = REPOSITORY / "docs" / "benchmarks.md"
SUBMISSIONS = 500
PROBLEM = "scilaws_real/bulk-modulus-atomic-volume"

LAW = """
import numpy as np
USED_INPUTS = ["V_atomic_A3"]
LAW_CONSTANTS = {{"a": {a}, "b": -1.1}}
OTHER_CONSTANTS = {{}}
LOCAL_FITTABLE = {{}}
def predict(X, a, b):
    return a * X[:, 0] ** b
"""

EIGHT_INPUTS = """
import numpy as np
USED_INPUTS = ["a", "b", "c", "d", "e", "f", "g", "h"]
LAW_CONSTANTS = {"k": 1.0}
OTHER_CONSTANTS = {}
LOCAL_FITTABLE = {}
def predict(X, k):
    return k * np.exp(-X.sum(axis=1))
"""


def main() -> None:
    """Run all measurements and print a table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--write", action="store_true", help="also write docs/benchmarks.md")
    options.add_argument("--mirror", type=Path, default=_mirror(), help="folder with the pinned url files")
    chosen = options.parse_args()
    rows: list[tuple[str, str, str]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows += builds(folder, chosen.mirror)
        rows += [("import scilaws_bench", "≤ 0.3 s", f"{import_seconds():.3f} s")]
        rows += boots()
        rows += calls()
        rows += submissions(folder / "release")
    rows += qualitative_solver.figures()
    rows += qualitative_episodes.figures()
    rows += catalogue_scenarios()
    table = ["| figure | wanted | measured |", "| --- | --- | --- |", *(f"| {a} | {b} | {c} |" for a, b, c in rows)]
    print("\n".join(table))  # noqa: T201 - this script's output
    if chosen.write:
        PAGE.write_text(_page(table), encoding="utf-8")


def builds(folder: Path, mirror: Path | None) -> list[tuple[str, str, str]]:
    """Build every problem from an empty cache, then again unchanged (median of three)."""
    environment = os.environ | {"SCILAWS_CACHE": str(folder / "cache")}
    command = [sys.executable, "-m", "scilaws_bench", "release", "build", "--output", str(folder / "release")]
    command += ["--mirror", str(mirror)] if mirror else []
    peak = _PeakMemory()
    first = _seconds(lambda: peak.run(command, environment))
    again = statistics.median(_seconds(lambda: peak.run(command, environment)) for _ in range(3))
    tasks = open_release(folder / "release").manifest["suites"]["scilaws_real"]["tasks"]
    return [
        (f"build of {tasks} problems from nothing", "≤ 180 s", f"{first:.1f} s"),
        ("the same build unchanged", "≤ 10 s", f"{again:.1f} s"),
        ("peak memory of the build, all processes", "≤ 4 GiB", f"{peak.bytes / 2**30:.2f} GiB"),
    ]


def catalogue_scenarios() -> list[tuple[str, str, str]]:
    """Solve every declared scenario of the catalogue and walk two steps from each nominal start."""

    def walk() -> None:
        for name in catalogue.ids():
            mechanism = catalogue.load(name).mechanism
            for scenario in mechanism.scenarios:
                table = episode_table(mechanism, scenario.context)
                if scenario.id == "nominal":
                    rows = table.matching(scenario.initial).nonzero()[0].tolist()
                    EpisodeGraph(table).reachable(rows, 2)

    return [("all 18 mechanisms, every declared scenario", "≤ 300 s", f"{_seconds(walk):.1f} s")]


def import_seconds() -> float:
    """Median wall time that `import scilaws_bench` adds to a bare interpreter."""

    def run(code: str) -> float:
        return statistics.median(
            _seconds(lambda: subprocess.run([sys.executable, "-c", code], check=True)) for _ in range(9)
        )

    return max(0.0, run("import scilaws_bench") - run("pass"))


def boots() -> list[tuple[str, str, str]]:
    """Median time until a pool of two workers has answered its first two calls, self-tests included."""

    def boot() -> None:
        with Sandbox("auto", workers=2) as sandbox, ThreadPoolExecutor(2) as threads:
            assert all(result.ok for result in threads.map(lambda _: sandbox.describe(EIGHT_INPUTS), range(2)))

    boot()  # detects the levels, once a process
    median = statistics.median(_seconds(boot) for _ in range(5))
    return [("boot of a pool of 2 workers", "≤ 2 s", f"{median:.2f} s")]


def calls() -> list[tuple[str, str, str]]:
    """Median of 200 warm calls of predict, 500 rows of 8 inputs; then with 200 constant vectors each."""
    X = np.random.default_rng(0).random((500, 8))
    with Sandbox("auto") as sandbox:
        level = sandbox.level

        def call() -> None:
            result = sandbox.predict(EIGHT_INPUTS, X, ["k"], np.array([[1.0]]), (), Limits())
            assert result.status == "ok", result.error

        call()
        times = sorted(_seconds(call) for _ in range(200))

        def batch() -> None:
            result = sandbox.predict(EIGHT_INPUTS, X, ["k"], np.linspace(1.0, 2.0, 200).reshape(-1, 1), (), Limits())
            assert result.status == "ok", result.error

        batches = statistics.median(_seconds(batch) for _ in range(50))
    return [
        (f"warm sandboxed call, level {level}, median", "≤ 25 ms", f"{1e3 * statistics.median(times):.1f} ms"),
        ("the same, 95th percentile", "", f"{1e3 * times[189]:.1f} ms"),
        ("200 constant vectors on 500 rows, one call, median", "≤ 60 ms", f"{1e3 * batches:.1f} ms"),
    ]


def submissions(release_folder: Path) -> list[tuple[str, str, str]]:
    """Score 500 different laws on one problem with two sandboxes."""
    release = open_release(release_folder)
    gold = NumericGold.from_json(open_gold(release, PROBLEM), release.task(PROBLEM))
    with Sandbox("auto", workers=2) as sandbox, ThreadPoolExecutor(2) as pool:
        anchors = anchors_of(gold, sandbox)
        laws = [LAW.format(a=1000.0 + number) for number in range(SUBMISSIONS)]
        start = time.perf_counter()
        verdicts = list(pool.map(lambda law: score_numeric(law, gold, sandbox, anchors), laws))
        seconds = time.perf_counter() - start
    assert all(verdict.score is not None and verdict.failure is None for verdict in verdicts)
    assert len({verdict.score for verdict in verdicts}) > SUBMISSIONS // 2
    return [(f"{SUBMISSIONS} submissions to one problem, 2 workers", "≤ 30 s", f"{seconds:.1f} s")]


class _PeakMemory:
    """Largest resident memory of a command and everything it started, sampled ten times a second."""

    def __init__(self) -> None:
        self.bytes = 0

    def run(self, command: list[str], environment: dict[str, str]) -> None:
        with subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            done = threading.Event()
            sampler = threading.Thread(target=self._sample, args=(process.pid, done))
            sampler.start()
            code = process.wait()
            done.set()
            sampler.join()
        if code != 0:
            raise SystemExit(f"{' '.join(command)} ended with {code}")

    def _sample(self, root: int, done: threading.Event) -> None:
        while not done.wait(0.1):
            self.bytes = max(self.bytes, sum(_resident(pid) for pid in _tree(root)))


def _tree(root: int) -> list[int]:
    try:
        children = Path(f"/proc/{root}/task/{root}/children").read_text().split()
    except OSError:
        return [root]
    return [root, *(pid for child in children for pid in _tree(int(child)))]


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _seconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def _mirror() -> Path | None:
    shared = REPOSITORY.parent / "shared" / "sources"
    named = os.environ.get("SCILAWS_MIRROR")
    return Path(named) if named else shared if shared.is_dir() else None


def _page(table: list[str]) -> str:
    commit = subprocess.run(
        [shutil.which("git") or "git", "rev-parse", "--short", "HEAD"], cwd=REPOSITORY, capture_output=True, text=True
    ).stdout.strip()
    machine = (
        f"{os.cpu_count()} cores, {platform.machine()}, Linux {platform.release()}, Python {platform.python_version()}"
    )
    lines = [
        "# Benchmarks",
        "",
        f"Measured with `make bench` at commit {commit} on {datetime.now(UTC).date().isoformat()}; {machine}.",
        "Medians where a figure was taken more than once.",
        "",
        *table,
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
