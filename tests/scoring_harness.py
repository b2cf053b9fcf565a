"""Small gold documents, laws and a fault-injecting evaluator for tests of laws and scoring."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scilaws_bench.sandbox import CallResult, Evaluator
from scilaws_bench.scoring import NumericGold

HASH = "0" * 64
CITATION = {"authors": "N. N.", "year": 1900, "title": "t", "venue": "v", "doi": None, "confirmed": "test"}
X10 = tuple(float(value) for value in range(1, 11))
DOUBLE = tuple(2.0 * value for value in X10)


def law(
    body: str,
    *,
    inputs: Sequence[str] = ("x",),
    constants: Mapping[str, float] | None = None,
    local: Mapping[str, Any] | None = None,
    fit: str | None = None,
    before: str = "",
) -> str:
    """Source of a law: `body` and `fit` are function bodies of one or more lines, `before` goes on top."""
    names = ", ".join(["X", *(constants or {}), *(local or {})])
    lines = [
        "import numpy as np",
        before,
        f"USED_INPUTS = {list(inputs)!r}",
        f"LAW_CONSTANTS = {dict(constants or {})}",
    ]
    lines += [
        "OTHER_CONSTANTS = {}",
        f"LOCAL_FITTABLE = {dict(local or {})}",
        f"def predict({names}):",
        _indented(body),
    ]
    if fit is not None:
        lines += [f"def fit({', '.join(['X', 'y', *(constants or {})])}):", _indented(fit)]
    return "\n".join(lines) + "\n"


def offset_law(offset: float) -> str:
    """y = 2 x + offset: on targets 2 x its rmse is |offset|."""
    return law(f"return 2.0 * X[:, 0] + {offset!r}")


def shift_law(error: float = 0.0, *, also: str = "") -> str:
    """y = 2 x + b + error, with b fitted in each group; `also` goes on top of fit."""
    return law(
        f"return 2.0 * X[:, 0] + b + {error!r}",
        local={"b": {"init": None}},
        fit=f"{also}\nreturn {{'b': float(np.mean(y - 2.0 * X[:, 0]))}}",
    )


def window(x: Sequence[float | None], target: Sequence[float], **more: Sequence[float | None]) -> dict[str, Any]:
    """One window of a gold document with the columns `x` and those of `more`."""
    columns = {name: list(values) for name, values in {"x": x, **more}.items()}
    return {"columns": columns, "target": list(target)}


def group(number: int, scored: dict[str, Any], fit: dict[str, Any] | None = None) -> dict[str, Any]:
    """One group of a gold document."""
    return {"group": number, "label": f"group {number}", "fit": fit, "scored": scored}


def shifted_group(number: int, shift: float, rows: int = 6) -> dict[str, Any]:
    """A group whose targets are 2 x + shift in both windows."""
    fit, scored = X10[:4], X10[4 : 4 + rows]
    return group(
        number,
        window(scored, [2.0 * x + shift for x in scored]),
        window(fit, [2.0 * x + shift for x in fit]),
    )


def gold_document(
    groups: Sequence[dict[str, Any]] | None = None,
    references: Mapping[str, str] | None = None,
    *,
    metric: str = "rmse",
    epsilon: float | None = None,
    median: float = 11.0,
    wall_seconds: float = 10.0,
    memory_bytes: int = 1 << 30,
) -> dict[str, Any]:
    """A gold document that follows its schema; by default targets 2 x and references off by 1 and by 2."""
    groups = list(groups or [group(0, window(X10, DOUBLE))])
    references = references or {"good": offset_law(1.0), "fair": offset_law(2.0)}
    return {
        "schema": "scilaws-bench/gold/1",
        "task_id": "scilaws_real/test-task",
        "suite": "scilaws_real",
        "task_hash": HASH,
        "structure": "multi" if groups[0]["fit"] else "single",
        "metric": metric,
        "epsilon": epsilon,
        "inputs": list(groups[0]["scored"]["columns"]),
        "train_median": median,
        "fit_seed": 20260731,
        "limits": {"cpu_seconds": 10, "wall_seconds": wall_seconds, "memory_bytes": memory_bytes},
        "groups": groups,
        "references": [
            {"id": name, "title": name, "equation": "y", "constants": "none", "fitted": [], "citation": CITATION}
            | {"source": source}
            for name, source in references.items()
        ],
        "rubric": [
            {"id": f"item-{n}", "probe": "finite", "params": {}, "text": "t", "source": "s", "satisfied_by": "good"}
            for n in range(5)
        ],
        "canary": "canary",
    }


def numeric_gold(*arguments: Any, **options: Any) -> NumericGold:
    """`gold_document` as the scorer reads it."""
    return NumericGold.from_json(gold_document(*arguments, **options))


class BrokenMachine:
    """An evaluator that answers like `inner`, except that calls picked by `breaks` never run."""

    def __init__(self, inner: Evaluator, breaks: Callable[[str, str, int], bool]) -> None:
        """`breaks(method, source, count)`; `count` numbers the calls of that method with that source from 1."""
        self._inner = inner
        self._breaks = breaks
        self._counts: dict[tuple[str, str], int] = {}

    @property
    def level(self) -> Any:
        return self._inner.level

    def describe(self, source: str, *rest: Any, **named: Any) -> CallResult:
        return self._call("describe", source, *rest, **named)

    def fit(self, source: str, *rest: Any, **named: Any) -> CallResult:
        return self._call("fit", source, *rest, **named)

    def predict(self, source: str, *rest: Any, **named: Any) -> CallResult:
        return self._call("predict", source, *rest, **named)

    def _call(self, method: str, source: str, *rest: Any, **named: Any) -> CallResult:
        count = self._counts[method, source] = self._counts.get((method, source), 0) + 1
        if self._breaks(method, source, count):
            return CallResult("infrastructure", None, "no zygote could be started", self.level)
        result: CallResult = getattr(self._inner, method)(source, *rest, **named)
        return result


def _indented(body: str) -> str:
    return "\n".join(f"    {line}" for line in body.splitlines())
