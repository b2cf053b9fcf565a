"""The slow obvious oracle: laws run in the calling process. Only for tests and for laws one trusts."""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping, Sequence

import numpy as np

from ._worker.call import LAW_MODULE, execute
from ._worker.wire import FloatArray, IndexArray, Request
from .protocol import DEFAULT_LIMITS, CallResult, Level, Limits
from .requests import describe_request, fit_request, predict_request, python_request
from .results import decode


class InProcess:
    """An :class:`Evaluator` without isolation and without limits: `limits` is accepted and not enforced.

    Not thread-safe: a law is in sys.modules while it runs, and fit seeds the global random generators, whose state is
    put back afterwards.
    """

    @property
    def level(self) -> Level:
        """Always ``none``."""
        return "none"

    def describe(self, source: str, limits: Limits = DEFAULT_LIMITS) -> CallResult:
        """See :meth:`Evaluator.describe`."""
        return self._call(describe_request(source))

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
        return self._call(fit_request(source, X, y, constants, seed))

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
        return self._call(predict_request(source, X, names, thetas, selections))

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
        return self._call(python_request(code, X, y, columns, groups))

    def _call(self, request: Request) -> CallResult:
        own, numpys = random.getstate(), np.random.get_state()
        before = sys.modules.get(LAW_MODULE)
        try:
            # Through bytes, as in the sandbox, so that the law gets copies and the results take the same way back.
            result = execute(Request.decode(request.encode()), swallow=(Exception, SystemExit))
            return decode(result, request, self.level)
        finally:
            random.setstate(own)
            np.random.set_state(numpys)
            if before is None:
                sys.modules.pop(LAW_MODULE, None)
            else:
                sys.modules[LAW_MODULE] = before
