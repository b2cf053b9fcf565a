"""The sandbox: a fixed number of zygotes, each call in a child of its own, callers waiting for a free zygote."""

from __future__ import annotations

import os
import queue
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

from ._worker.wire import FloatArray, IndexArray, Request
from .levels import detect, resolve
from .protocol import DEFAULT_LIMITS, CallResult, Level, LevelChoice, Limits
from .requests import describe_request, fit_request, predict_request, python_request
from .results import failure, judge
from .selftest import prove
from .view import View, current_view
from .zygote import Zygote, ZygoteLostError, ZygoteNotStartedError


class Sandbox:
    """Runs laws isolated; an :class:`Evaluator` and a context manager. Thread-safe.

    A call never raises for what a law does, and never touches a later call: a zygote that a law manages to break is
    killed and replaced. Zygotes start with the first call that needs them (about a second each), and prove before it
    that the level holds. A sandbox of its own for each submission is what boards use: nothing else then meets it.
    """

    def __init__(self, level: LevelChoice = "auto", workers: int = 1) -> None:
        """level: what is asked for, see :func:`resolve`. workers: how many calls run at once.

        Raises SandboxUnavailableError if the level cannot be had here, ValueError for workers < 1.
        """
        if workers < 1:
            raise ValueError(f"workers must be at least 1, found {workers}")
        self._level = resolve(level)
        self._view: View = current_view()
        self._program: Path | None = detect().bwrap if self._level == "full" else None
        self._workers = workers
        self._owner = os.getpid()
        self._closed = False
        self._slots: queue.LifoQueue[Zygote | None] = queue.LifoQueue()  # last in, first out: warm ones are used first
        for _ in range(workers):
            self._slots.put(None)

    @property
    def level(self) -> Level:
        """The level in force."""
        return self._level

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Wait for running calls, then end every zygote. Later calls raise RuntimeError. Safe to call twice."""
        if self._closed:
            return
        self._closed = True
        for _ in range(self._workers):
            zygote = self._slots.get()
            if zygote is not None:
                zygote.close()
        for _ in range(self._workers):  # wake callers that were waiting; they find the sandbox closed
            self._slots.put(None)

    def describe(self, source: str, limits: Limits = DEFAULT_LIMITS) -> CallResult:
        """See :meth:`Evaluator.describe`."""
        return self._call(describe_request(source), limits)

    def fit(
        self,
        source: str,
        X: FloatArray,
        y: FloatArray,
        constants: Mapping[str, float],
        seed: int,
        limits: Limits = DEFAULT_LIMITS,
    ) -> CallResult:
        """See :meth:`Evaluator.fit`."""
        return self._call(fit_request(source, X, y, constants, seed), limits)

    def predict(
        self,
        source: str,
        X: FloatArray,
        names: Sequence[str],
        thetas: FloatArray,
        selections: Sequence[IndexArray] = (),
        limits: Limits = DEFAULT_LIMITS,
    ) -> CallResult:
        """See :meth:`Evaluator.predict`."""
        return self._call(predict_request(source, X, names, thetas, selections), limits)

    def run_python(
        self,
        code: str,
        X: FloatArray,
        y: FloatArray,
        columns: Sequence[str],
        groups: IndexArray | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> CallResult:
        """See :meth:`ScriptRunner.run_python`."""
        return self._call(python_request(code, X, y, columns, groups), limits)

    def _call(self, request: Request, limits: Limits) -> CallResult:
        if os.getpid() != self._owner:
            raise RuntimeError("a Sandbox cannot be used in a forked process; make one there")
        zygote = self._slots.get()
        try:
            if self._closed:
                raise RuntimeError("the Sandbox is closed")
            if zygote is not None and not zygote.is_usable():
                zygote.close()
                zygote = None
            if zygote is None:
                zygote = self._started()
            return judge(zygote.call(request, limits), request, limits, self._level)
        except ZygoteNotStartedError as error:
            return failure("infrastructure", str(error), self._level)
        except ZygoteLostError as error:
            return failure("crash", str(error), self._level)
        finally:
            self._slots.put(zygote)

    def _started(self) -> Zygote:
        zygote = Zygote(self._level, self._view, self._program)
        try:
            prove(zygote, self._level)
        except BaseException:
            zygote.close()
            raise
        return zygote
