"""Run untrusted law modules: one interface, layered isolation.

:class:`Sandbox` runs each call in a forked process that is locked down by bubblewrap, Landlock and seccomp (level
``full``) or by the latter two (``kernel``). :class:`InProcess` has the same interface without isolation.
"""

from scilaws_bench.errors import SandboxUnavailableError

from .evaluator import Sandbox
from .inprocess import InProcess
from .levels import Mechanism, Report, detect, resolve
from .protocol import MAX_OUTPUT_CHARACTERS, CallResult, Evaluator, Level, Limits, ScriptRunner

__all__ = [
    "MAX_OUTPUT_CHARACTERS",
    "CallResult",
    "Evaluator",
    "InProcess",
    "Level",
    "Limits",
    "Mechanism",
    "Report",
    "Sandbox",
    "SandboxUnavailableError",
    "ScriptRunner",
    "detect",
    "resolve",
]
