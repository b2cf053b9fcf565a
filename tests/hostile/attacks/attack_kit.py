"""How an attack is written down, run and judged.

An attack is the body of a function `attempt(X)`: it returns something true if it got what it wanted, and whatever
refuses it raises. A law calls it and lets the exception through, so the reason for the failure is in the result of the
call and is compared with the reason intended: another failure (a typo, a missing module) fails the test.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from scilaws_bench.sandbox import CallResult, Evaluator, Limits, Sandbox, detect

X = np.linspace(0.0, 1.0, 40).reshape(20, 2)
NO_CONSTANTS = np.empty((1, 0))
LIMITS = Limits(wall_seconds=20.0)
HONEST = "import numpy as np\ndef predict(X):\n    return np.hypot(X[:, 0], X[:, 1])\n"
SECRET = "sk-attack-suite-9c41"
SENTINEL = 8128.496006721  # stands in held-out targets, gold files and earlier calls, and nowhere else

NO_FILE = r"FileNotFoundError: "  # bubblewrap: the path does not exist inside
NOT_ALLOWED = r"PermissionError: \[Errno 13\]"  # Landlock: no rule for the path
NO_CALL = r"(PermissionError|OSError|BlockingIOError): \[Errno 1\]"  # seccomp: the system call is not on the list
NOTHING = r"LookupError: nothing found"  # the search ran to its end

_LAW = """\
import ctypes, glob, os, sys
import numpy as np
libc = ctypes.CDLL(None, use_errno=True)
def check(answer):
    if answer == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return True
def attempt(X):
{body}
def predict(X):
    if not attempt(X):
        raise LookupError('nothing found')
    return np.ones(len(X))
"""


@dataclass(frozen=True)
class Attack:
    """`code`: body of `attempt(X)`, in which the names of places stand for them.

    `full`, `kernel`: pattern of the failure that is intended at this level.
    `unprotected`: why there is no positive control at level none, "" where there is one.
    """

    code: str
    full: str
    kernel: str = ""
    unprotected: str = ""

    def reason(self, level: str) -> str:
        """Pattern of the intended failure; the same at both levels unless told otherwise."""
        return self.kernel or self.full if level == "kernel" else self.full

    def law(self, targets: Mapping[str, str]) -> str:
        """Source of the attacking law. The secrets are spelled so that the source itself does not contain them."""
        code = textwrap.dedent(self.code).strip("\n")
        known = {"SECRET": f"({SECRET[:6]!r} + {SECRET[6:]!r})", "SENTINEL": f"({SENTINEL * 2!r} / 2)"}
        for name, value in {**targets, **known}.items():
            code = code.replace(name, value)
        return _LAW.format(body=textwrap.indent(code, "    "))


def opened(level: str) -> Sandbox:
    """A sandbox of this level; the test is skipped, with the reason, where the machine can't give it."""
    missing = detect().missing(level)  # type: ignore[arg-type]
    if missing:
        pytest.skip(f"level {level}: " + "; ".join(f"{row.mechanism}: {row.detail}" for row in missing))
    return Sandbox(level)  # type: ignore[arg-type]


def run(evaluate: Evaluator, source: str, limits: Limits = LIMITS) -> CallResult:
    return evaluate.predict(source, X, [], NO_CONSTANTS, limits=limits)


def check_honest(sandbox: Sandbox) -> None:
    """The next submission on the same workers is computed, and right."""
    result = run(sandbox, HONEST)
    assert result.ok, result.error
    assert result.values is not None
    np.testing.assert_array_equal(result.values["values"], [np.hypot(X[:, 0], X[:, 1])])


class AttackTests:
    """Base of a class of tests: each attack works unprotected, and fails for its reason at each level that isolates."""

    attacks: ClassVar[dict[str, Attack]]

    def test_refused(self, sandbox: Sandbox, attack: Attack, targets: dict[str, str]) -> None:
        result = run(sandbox, attack.law(targets))
        assert result.status == "error", result
        assert re.search(attack.reason(sandbox.level), result.error), result.error
        assert SECRET not in result.error
        check_honest(sandbox)

    def test_works_unprotected(self, unprotected: Sandbox, control: Attack, targets: dict[str, str]) -> None:
        result = run(unprotected, control.law(targets))
        assert result.ok, result.error
