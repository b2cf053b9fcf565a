"""Turn how a child ended and the bytes it wrote into a CallResult. Every byte here may be hostile."""

from __future__ import annotations

import json
import math
import signal
import unicodedata
from typing import Any

import numpy as np

from ._worker.wire import MAX_MESSAGE_CHARACTERS, TAG_ERROR, TAG_JSON, TAG_NUMBERS, Request
from .protocol import CallResult, Level, Limits, Status
from .zygote import Ending

_DECLARED_KINDS: dict[str, Status] = {"error": "error", "memory": "memory", "protocol": "protocol"}
_CPU_ACCOUNTING_SECONDS = 0.5  # the kernel enforces a CPU limit by tick
_MAX_DEPTH = 10


def failure(status: Status, message: str, level: Level) -> CallResult:
    """A result without values."""
    return CallResult(status, None, one_line(message), level)


def one_line(text: str) -> str:
    """`text` on one line, printable characters only, at most 300 of them."""
    kept = "".join(character if character.isprintable() else " " for character in text[: 4 * MAX_MESSAGE_CHARACTERS])
    return " ".join(kept.split())[:MAX_MESSAGE_CHARACTERS]


def judge(ending: Ending, request: Request, limits: Limits, level: Level) -> CallResult:
    """The result of a call whose child has ended."""
    if ending.data is None:
        return failure("protocol", f"the result is longer than {request.result_limit} bytes", level)
    if ending.timed_out:
        return failure("timeout", f"stopped after {limits.wall_seconds:g} s of real time", level)
    if ending.signal:
        if _is_cpu_limit(ending, limits):
            return failure("timeout", f"stopped after {limits.cpu_bound} s of processor time", level)
        return failure("crash", f"the process was killed by {_signal_name(ending.signal)}", level)
    if ending.exit_code or not ending.data:
        return failure("crash", f"the process ended without a result (exit code {ending.exit_code})", level)
    return decode(ending.data, request, level)


def decode(data: bytes, request: Request, level: Level) -> CallResult:
    """The result in `data`, tag and body, of a child that ended by itself."""
    tag, body = data[:1], data[1:]
    if tag == TAG_ERROR:
        return _declared_failure(body, level)
    expected_tag = TAG_NUMBERS if request.call == "predict" else TAG_JSON
    if tag != expected_tag:
        return failure("protocol", "the result is damaged: unknown kind", level)
    if tag == TAG_NUMBERS:
        return _numbers(body, request, level)
    try:
        if request.call == "python":
            return CallResult("ok", _script_values(json.loads(body, parse_constant=_refuse)), "", level)
        values = _parsed(body)
        if request.call == "fit":
            values = {name: _fitted(value) for name, value in values.items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
        return failure("protocol", "the result is damaged: no valid JSON object", level)
    return CallResult("ok", values, "", level)


def _is_cpu_limit(ending: Ending, limits: Limits) -> bool:
    killed = ending.signal in (signal.SIGKILL, signal.SIGXCPU)
    return killed and ending.cpu_seconds >= limits.cpu_bound - _CPU_ACCOUNTING_SECONDS


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _declared_failure(body: bytes, level: Level) -> CallResult:
    try:
        content = _parsed(body)
        return failure(_DECLARED_KINDS[content["kind"]], str(content["message"]), level)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
        return failure("protocol", "the error report is damaged", level)


def _numbers(body: bytes, request: Request, level: Level) -> CallResult:
    expected = 8 * request.result_count
    if len(body) != expected:
        return failure("protocol", f"the result has {len(body)} bytes, expected {expected}", level)
    flat = np.frombuffer(body, "<f8").astype(np.float64)
    k, n = len(request.thetas), len(request.X)
    lengths = [len(selection) for selection in request.selections]
    selected = np.split(flat[k * n :], np.cumsum(lengths)[:-1]) if lengths else []
    return CallResult("ok", {"values": flat[: k * n].reshape(k, n), "selected": selected}, "", level)


def _script_values(content: Any) -> dict[str, Any]:
    output, left_out, failed = content["output"], content["truncated"], content["error"]
    if not (isinstance(output, str) and type(left_out) is int and type(failed) is bool):
        raise TypeError("another type than a script's result has")
    return {"output": _without_controls(output, kept="\n\t"), "truncated": left_out, "error": failed}


def _parsed(body: bytes) -> dict[str, Any]:
    content = json.loads(body, parse_constant=_refuse)
    if not isinstance(content, dict):
        raise ValueError("no object")
    cleaned: dict[str, Any] = _clean(content)
    return cleaned


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not JSON")


def _clean(value: Any, depth: int = 0) -> Any:
    """Text made harmless everywhere, since it will be shown in reports; numbers a float cannot hold refused."""
    if depth > _MAX_DEPTH:
        raise ValueError("too deep")
    if isinstance(value, str):
        return _without_controls(value)
    if isinstance(value, list):
        return [_clean(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {_without_controls(key): _clean(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (int, float)) and not math.isfinite(value):  # OverflowError for a huge int
        raise ValueError("a number beyond float64")
    return value


def _without_controls(text: str, kept: str = "") -> str:
    """Names keep their spelling, columns are looked up by them; only controls and lone surrogates are replaced."""
    return "".join(
        "\ufffd" if unicodedata.category(character)[0] == "C" and character not in kept else character
        for character in text
    )


def _fitted(value: Any) -> float | str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError("neither number nor type name")
    return float(value)
