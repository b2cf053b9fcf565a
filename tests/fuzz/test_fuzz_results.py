"""What a law's process wrote: any bytes, in answer to any request, become a result; a good one follows the contract."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from fuzz_kit import as_bytes, damaged, fuzz, numbers, texts, values
from hypothesis import example
from hypothesis import strategies as st

from scilaws_bench.sandbox import Limits
from scilaws_bench.sandbox._worker.wire import Request
from scilaws_bench.sandbox.requests import describe_request, fit_request, predict_request, python_request
from scilaws_bench.sandbox.results import decode, judge, one_line
from scilaws_bench.sandbox.zygote import Ending

pytestmark = pytest.mark.slow
X = np.ones((3, 2))
REQUESTS = {
    "describe": describe_request("x"),
    "fit": fit_request("x", X, X[:, 0], {"a": 1.0}, 0),
    "predict": predict_request("x", X, ["a"], np.ones((2, 1)), [np.array([0, 2])]),
    "python": python_request("x", X, X[:, 0], ["a", "b", "c"], None),
}
RIGHT = {
    "describe": b'J{"used_inputs": ["a"], "law_constants": {"a": 1.0}, "has_predict": true}',
    "fit": b'J{"a": 1.0, "b": "<ndarray>"}',
    "predict": b"N" + np.arange(8.0).tobytes(),
    "python": b'J{"output": "x", "truncated": 0, "error": false}',
}
calls = st.sampled_from(sorted(REQUESTS))
bodies = st.one_of(st.binary(max_size=120), values.map(as_bytes))
endings = st.fixed_dictionaries(
    {
        "timed_out": st.booleans(),
        "signal": st.integers(-5, 200),
        "exit_code": st.integers(0, 255),
        "cpu_seconds": st.floats(0, 1e9),
    }
)


def check(result: Any, request: Request) -> None:
    assert (result.values is None) == (result.status != "ok")
    assert result.error.isprintable()
    assert len(result.error) <= 300
    assert bool(result.error) or result.status in ("ok", "error", "memory", "protocol")
    if result.values is None:
        return
    if request.call == "predict":
        assert result.values["values"].shape == (2, 3)
        assert [len(part) for part in result.values["selected"]] == [2]
        assert result.values["values"].dtype == np.float64
    elif request.call == "fit":
        assert all(isinstance(value, str) or math.isfinite(value) for value in result.values.values())
    elif request.call == "python":
        assert set(result.values) == {"output", "truncated", "error"}
    json.dumps({key: value for key, value in result.values.items() if request.call != "predict"}, allow_nan=False)


@fuzz(calls, st.sampled_from([b"N", b"J", b"E", b"", b"X"]), bodies)
@example("fit", b"J", b"[" * 65_000)
@example("fit", b"J", b'{"a":' * 13_000)
@example("describe", b"J", b'{"a": ' + b"1" * 5_000 + b"}")
@example("describe", b"J", b'{"a": "\\ud800"}')
@example("describe", b"J", b"[" * 260_000)
@example("python", b"J", b'{"output": "\\ud800", "truncated": 0, "error": false}')
@example("python", b"J", b'{"output": "", "truncated": 1' + b"0" * 5_000 + b', "error": false}')
@example("fit", b"E", b'{"kind": "error", "message": {"a": "\\ud800"}}')
@example("fit", b"E", b'{"kind": ["error"], "message": ""}')
def test_any_frame(call: str, tag: bytes, body: bytes) -> None:
    check(decode(tag + body, REQUESTS[call], "full"), REQUESTS[call])


@fuzz(calls, st.data())
def test_damaged_frames(call: str, data: st.DataObject) -> None:
    check(decode(data.draw(damaged(RIGHT[call])), REQUESTS[call], "full"), REQUESTS[call])


@fuzz(calls, st.one_of(st.none(), bodies), endings)
def test_any_ending(call: str, data: bytes | None, ending: dict[str, Any]) -> None:
    check(judge(Ending(data, **ending), REQUESTS[call], Limits(), "full"), REQUESTS[call])


@fuzz(st.dictionaries(texts, st.one_of(numbers, texts), max_size=5))
def test_any_fit(fitted: dict[str, Any]) -> None:
    check(decode(b"J" + as_bytes(fitted), REQUESTS["fit"], "full"), REQUESTS["fit"])


@fuzz(st.fixed_dictionaries({"kind": st.sampled_from(["error", "memory", "protocol", "ok"]), "message": values}))
def test_any_error_report(report: dict[str, Any]) -> None:
    result = decode(b"E" + as_bytes(report), REQUESTS["fit"], "full")
    check(result, REQUESTS["fit"])
    assert result.values is None


@fuzz(st.text())
def test_one_line(text: str) -> None:
    assert one_line(text).isprintable()
    assert one_line(one_line(text)) == one_line(text)
