"""Load a law, call it, check what it returns, serialise: the one implementation, in the sandbox and in process."""

from __future__ import annotations

import inspect
import json
import random
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from .script import run_script
from .values import ContractError, as_fitted, as_json, as_prediction
from .wire import (
    MAX_DESCRIBE_BYTES,
    MAX_FIT_BYTES,
    MAX_MESSAGE_CHARACTERS,
    MAX_PYTHON_BYTES,
    TAG_ERROR,
    TAG_JSON,
    TAG_NUMBERS,
    FloatArray,
    Request,
)

LAW_MODULE = "law"
LAW_FILE = "<law>"
_DECLARATIONS = ("USED_INPUTS", "LAW_CONSTANTS", "OTHER_CONSTANTS", "LOCAL_FITTABLE")
_SEED_LIMIT = 2**32  # of numpy.random.seed


def execute(request: Request, swallow: tuple[type[BaseException], ...] = (BaseException,)) -> bytes:
    """Run `request` in this very process and return the result as tag and body.

    Whatever of the types `swallow` the law raises becomes an error result; the rest propagates.
    """
    stage = "import"
    try:
        if request.call == "python":
            stage = "python"
            return _json(run_script(request, swallow), MAX_PYTHON_BYTES, "the output takes")
        law = _load(request.source)
        stage = request.call
        return _CALLS[request.call](law, request)
    except ContractError as violation:
        return _error("protocol", str(violation))
    except MemoryError:
        return _error("memory", f"{stage}: the memory limit was reached")
    except swallow as error:
        return _error("error", f"{stage}{_line(error)}: {_text(error)}")


def _load(source: str) -> types.ModuleType:
    """The law as a module that sys.modules knows: dataclasses and typing look their module up there."""
    module = types.ModuleType(LAW_MODULE)
    sys.modules[LAW_MODULE] = module
    exec(compile(source, LAW_FILE, "exec", dont_inherit=True), module.__dict__)  # noqa: S102 - the purpose of this module
    return module


def _describe(law: types.ModuleType, request: Request) -> bytes:
    declared = {name.lower(): as_json(getattr(law, name, None)) for name in _DECLARATIONS}
    predict = getattr(law, "predict", None)
    return _json(
        declared
        | {
            "has_predict": callable(predict),
            "has_fit": callable(getattr(law, "fit", None)),
            "predict_parameters": _parameters(predict) if callable(predict) else [],
        },
        MAX_DESCRIBE_BYTES,
        "the declarations take",
    )


def _fit(law: types.ModuleType, request: Request) -> bytes:
    fit = _function(law, "fit")
    random.seed(request.seed)
    np.random.seed(request.seed % _SEED_LIMIT)
    return _json(as_fitted(fit(request.X, request.y, **request.constants)), MAX_FIT_BYTES, "fit returned")


def _predict(law: types.ModuleType, request: Request) -> bytes:
    predict = _function(law, "predict")
    thetas = [dict(zip(request.names, theta, strict=True)) for theta in request.thetas.tolist()]
    blocks = [_predict_once(predict, request.X, theta) for theta in thetas]
    blocks += [_predict_once(predict, request.X[rows], thetas[0]) for rows in request.selections]
    return TAG_NUMBERS + b"".join(block.astype("<f8").tobytes() for block in blocks)


def _predict_once(predict: Callable[..., Any], X: FloatArray, theta: dict[str, float]) -> FloatArray:
    before, shape = X.tobytes(), X.shape
    values = as_prediction(predict(X, **theta), shape[0])
    if X.shape != shape or X.tobytes() != before:
        raise ContractError("predict changed its input X")
    return values


def _function(law: types.ModuleType, name: str) -> Callable[..., Any]:
    function = getattr(law, name, None)
    if not callable(function):
        raise ContractError(f"the law defines no function {name}")
    return function  # type: ignore[no-any-return]


def _parameters(function: Callable[..., Any]) -> list[str]:
    """Parameter names in order, the first (X) included; `*args` and `**kwargs` keep their stars."""
    stars: dict[int, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return [stars.get(item.kind, "") + item.name for item in inspect.signature(function).parameters.values()]


def _json(value: Any, limit: int, what: str) -> bytes:
    body = json.dumps(value, allow_nan=False).encode()
    if len(body) > limit:
        raise ContractError(f"{what} {len(body)} bytes of JSON, allowed {limit}")
    return TAG_JSON + body


def _error(kind: str, message: str) -> bytes:
    return TAG_ERROR + json.dumps({"kind": kind, "message": message[:MAX_MESSAGE_CHARACTERS]}).encode()


def _text(error: BaseException) -> str:
    """Type and message of a law's exception, whose own __str__ is the law's code too."""
    try:
        return f"{type(error).__name__}: {str(error)[:MAX_MESSAGE_CHARACTERS]}"
    except BaseException:  # noqa: BLE001 - whatever a law raises in its own __str__
        return "an exception that cannot be printed"


def _line(error: BaseException) -> str:
    """Where in the law the exception arose: the innermost frame of the law's own file."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == LAW_FILE:
            line = trace.tb_lineno
        trace = trace.tb_next
    if line is None and isinstance(error, SyntaxError) and error.filename == LAW_FILE:
        line = error.lineno
    return f", line {line}" if line is not None else ""


_CALLS: dict[str, Callable[[types.ModuleType, Request], bytes]] = {
    "describe": _describe,
    "fit": _fit,
    "predict": _predict,
}
