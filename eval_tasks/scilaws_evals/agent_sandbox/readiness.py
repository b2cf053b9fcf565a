"""What this machine must have before a sample can start, said once and loudly; there is no weaker way to run."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

from scilaws_bench.errors import SandboxUnavailableError
from scilaws_bench.sandbox import detect
from scilaws_bench.sandbox.view import View, current_view

from .programs import Programs, find_programs
from .system_calls import build

_NEEDED = ("packages", "bubblewrap", "seccomp")


@dataclass(frozen=True)
class Setup:
    """What machines are started from; the same for every sample of a process."""

    bwrap: Path
    view: View
    programs: Programs
    filter: bytes


@functools.cache
def require_ready() -> Setup:
    """Look everything up, once per process (seconds the first time). Raises SandboxUnavailableError with the remedy."""
    report = detect()
    missing = [row for row in report.rows if row.mechanism in _NEEDED and not row.available]
    if missing or report.bwrap is None:
        raise SandboxUnavailableError(
            "sandbox='scilaws' can't isolate commands on this machine, and never runs them without isolation",
            expected=f"working {', '.join(_NEEDED)}",
            found="; ".join(f"{row.mechanism}: {row.detail}" for row in missing),
            remedy="; ".join(dict.fromkeys(f"{row.mechanism}: {row.remedy}" for row in missing)),
        )
    try:
        return Setup(report.bwrap, current_view(), find_programs(), build())
    except OSError as error:
        raise SandboxUnavailableError(
            "sandbox='scilaws' finds no programs to offer",
            found=str(error),
            remedy="install bash, coreutils and the C library's ldd",
        ) from error
