"""Decoding what a child wrote: any bytes give a result, none gives an exception."""

from __future__ import annotations

import json
import signal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scilaws_bench.sandbox import Limits
from scilaws_bench.sandbox._worker.wire import TAG_ERROR, TAG_JSON, TAG_NUMBERS, Request
from scilaws_bench.sandbox.results import decode, judge, one_line
from scilaws_bench.sandbox.zygote import Ending

PREDICT = Request(
    "predict", "", X=np.zeros((3, 1)), thetas=np.zeros((2, 0)), selections=[np.array([0]), np.array([1, 2])]
)
FIT = Request("fit", "", X=np.zeros((3, 1)), y=np.zeros(3))
DESCRIBE = Request("describe", "")
REQUESTS = st.sampled_from([PREDICT, FIT, DESCRIBE])


@given(data=st.binary(max_size=200), tag=st.sampled_from([b"", TAG_NUMBERS, TAG_JSON, TAG_ERROR]), request=REQUESTS)
def test_any_bytes_give_a_result(data: bytes, tag: bytes, request: Request) -> None:
    result = decode(tag + data, request, "full")
    assert (result.error == "") == result.ok == (result.values is not None)
    assert result.status in ("ok", "protocol", "error", "memory")


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(content=JSON_VALUES, tag=st.sampled_from([TAG_JSON, TAG_ERROR]), request=REQUESTS)
def test_any_json_gives_a_result(content: object, tag: bytes, request: Request) -> None:
    result = decode(tag + json.dumps(content).encode(), request, "kernel")
    assert result.error.isprintable()
    assert len(result.error) <= 300
    if result.ok and request is FIT:
        assert result.values is not None
        assert all(isinstance(value, str) or np.isfinite(value) for value in result.values.values())


def test_numbers_are_cut_as_the_request_says() -> None:
    flat = np.arange(9.0)
    flat[4] = np.nan
    result = decode(TAG_NUMBERS + flat.tobytes(), PREDICT, "full")
    assert result.values is not None
    np.testing.assert_array_equal(result.values["values"], flat[:6].reshape(2, 3))
    assert [part.tolist() for part in result.values["selected"]] == [[6.0], [7.0, 8.0]]
    result.values["values"][0, 0] = 1.0  # the caller owns it


@pytest.mark.parametrize("count", [0, 1, 71, 73, 80])
def test_another_length_is_refused(count: int) -> None:
    assert decode(TAG_NUMBERS + bytes(count), PREDICT, "full").status == "protocol"


@pytest.mark.parametrize("request_", [PREDICT, FIT])
def test_a_request_survives_the_way(request_: Request) -> None:
    again = Request.decode(request_.encode())
    for name in ("call", "source", "seed", "constants"):
        assert getattr(again, name) == getattr(request_, name)
    for name in ("X", "y", "thetas"):
        np.testing.assert_array_equal(getattr(again, name), getattr(request_, name))
        assert getattr(again, name).flags.writeable
    assert [rows.tolist() for rows in again.selections] == [rows.tolist() for rows in request_.selections]


def ending(
    data: bytes | None = b"", *, timed_out: bool = False, signal: int = 0, exit_code: int = 0, cpu_seconds: float = 0.0
) -> Ending:
    return Ending(data, timed_out, signal, exit_code, cpu_seconds)


@pytest.mark.parametrize(
    ("how", "status"),
    [
        (ending(timed_out=True, signal=signal.SIGKILL), "timeout"),
        (ending(signal=signal.SIGKILL, cpu_seconds=11.0), "timeout"),
        (ending(signal=signal.SIGXCPU, cpu_seconds=10.9), "timeout"),
        (ending(signal=signal.SIGKILL, cpu_seconds=1.0), "crash"),
        (ending(signal=signal.SIGSEGV, cpu_seconds=11.0), "crash"),
        (ending(signal=99), "crash"),
        (ending(exit_code=3), "crash"),
        (ending(TAG_NUMBERS + bytes(72), signal=signal.SIGSEGV), "crash"),
        (ending(None, signal=signal.SIGKILL), "protocol"),
        (ending(TAG_NUMBERS + bytes(72)), "ok"),
    ],
)
def test_how_a_child_ended_decides(how: Ending, status: str) -> None:
    assert judge(how, PREDICT, Limits(wall_seconds=10.0), "full").status == status


@given(st.text())
def test_one_line_is_one_line(text: str) -> None:
    line = one_line(text)
    assert line.isprintable()
    assert len(line) <= 300
    assert line == one_line(line)
