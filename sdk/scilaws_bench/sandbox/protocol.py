"""What callers see: limits, results, and the interface every evaluator of laws has."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from ._worker.wire import MAX_OUTPUT_CHARACTERS, FloatArray, IndexArray

__all__ = [
    "DEFAULT_LIMITS",
    "MAX_OUTPUT_CHARACTERS",
    "CallResult",
    "Evaluator",
    "Level",
    "LevelChoice",
    "Limits",
    "ScriptRunner",
    "Status",
]

Level = Literal["full", "kernel", "none"]
LevelChoice = Literal["auto", "full", "kernel", "none"]
Status = Literal["ok", "error", "timeout", "memory", "crash", "protocol", "infrastructure"]

_MEBIBYTE = 1 << 20
_LONGEST = 7 * 24 * 3600
_LEAST_MEMORY = 512 * _MEBIBYTE  # the interpreter with numpy and scipy alone maps about 300 MiB


@dataclass(frozen=True)
class Limits:
    """Bounds on one call, the import of the law included.

    wall_seconds: real time; cpu_seconds: processor time of all threads together, by default ⌈wall_seconds⌉ + 1;
    memory_bytes: address space of the process, interpreter and libraries included. Raises ValueError for bounds that
    nothing could run under.
    """

    wall_seconds: float = 10.0
    cpu_seconds: int | None = None
    memory_bytes: int = 2048 * _MEBIBYTE

    def __post_init__(self) -> None:
        if not 0 < self.wall_seconds <= _LONGEST:
            raise ValueError(f"wall_seconds must be above 0 and at most {_LONGEST}, found {self.wall_seconds!r}")
        if self.cpu_seconds is not None and self.cpu_seconds < 1:
            raise ValueError(f"cpu_seconds must be a whole number of at least 1, found {self.cpu_seconds!r}")
        if self.memory_bytes < _LEAST_MEMORY:
            raise ValueError(f"memory_bytes must be at least {_LEAST_MEMORY}, found {self.memory_bytes!r}")

    @property
    def cpu_bound(self) -> int:
        """Processor seconds allowed, the default filled in."""
        return self.cpu_seconds if self.cpu_seconds is not None else math.ceil(self.wall_seconds) + 1


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, eq=False)
class CallResult:
    """Outcome of one call of a law.

    status: ``ok``; ``error`` the law raised; ``timeout``, ``memory`` it reached a limit; ``crash`` its process died;
    ``protocol`` it ran but broke the contract; ``infrastructure`` it never ran, through no fault of its own.
    values: None unless ok, else as the method called says. error: printable, one line, at most 300 characters, empty
    when ok. level: the isolation in force.
    """

    status: Status
    values: Mapping[str, Any] | None
    error: str
    level: Level

    @property
    def ok(self) -> bool:
        """Whether `values` is there to be judged."""
        return self.status == "ok"


class Evaluator(Protocol):
    """Calls laws given as source text. A law cannot make a method raise; ValueError means a wrong argument."""

    @property
    def level(self) -> Level:
        """Isolation in force, to be stamped on what is computed from the results."""
        ...

    def describe(self, source: str, limits: Limits = DEFAULT_LIMITS) -> CallResult:
        """Import the law and report what it declares.

        values: used_inputs, law_constants, other_constants, local_fittable (as declared, None if absent; what JSON
        cannot hold, and non-finite numbers, appear as ``"<type>"``), has_predict, has_fit, predict_parameters (names
        in order, X included).
        """
        ...

    def fit(
        self,
        source: str,
        X: FloatArray,
        y: FloatArray,
        constants: Mapping[str, float],
        seed: int,
        limits: Limits = DEFAULT_LIMITS,
    ) -> CallResult:
        """Call ``fit(X, y, **constants)`` with X (n, d) and y (n,), `random` and `numpy.random` seeded with `seed`.

        values: what fit returned, {name: float}, or ``"<type>"`` where a value is not one finite real number.
        """
        ...

    def predict(
        self,
        source: str,
        X: FloatArray,
        names: Sequence[str],
        thetas: FloatArray,
        selections: Sequence[IndexArray] = (),
        limits: Limits = DEFAULT_LIMITS,
    ) -> CallResult:
        """Call ``predict(X, **θ)`` for each row θ of `thetas` (k, p), its columns called `names`; X is (n, d).

        Then, in the same process, ``predict(X[rows], **thetas[0])`` for every array of row numbers in `selections`.
        values: ``values`` (k, n) float64 and ``selected``, one float64 array per selection. Non-finite values pass.
        """
        ...


class ScriptRunner(Protocol):
    """Runs an agent's scripts on training records; every evaluator here is one too."""

    def run_python(
        self,
        code: str,
        X: FloatArray,
        y: FloatArray,
        columns: Sequence[str],
        groups: IndexArray | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> CallResult:
        """Run `code`, which finds train_df, X_train (n, d), y_train (n,) and, with groups (n,), group_ids_train.

        numpy as np, scipy and pandas as pd are imported. columns: names of X's columns in order, then of y.
        values: ``output``, what was printed, tracebacks included, at most 16,000 characters and a mark where the
        middle is left out; ``truncated``, how many characters that is; ``error``, whether the script raised.
        """
        ...
