"""A law that writes its result itself: frames of every kind, control messages, exit codes, objects that lie.

Imitates submissions that replaced the score file or patched the grader. No score travels on the pipe: the most a
forged frame can be is predictions, and those are judged like any others.
"""

from __future__ import annotations

import json
import pickle
import struct
from pathlib import Path

import numpy as np
import pytest
from attack_kit import LIMITS, NO_CONSTANTS, X, check_honest, run

from scilaws_bench.laws.contract import Contract
from scilaws_bench.laws.evaluation import Rows, Unit, run_law
from scilaws_bench.sandbox import Sandbox

SEND = """
import os
def send(data, leave=0):
    for number in range(256):
        try:
            os.write(number, data)
        except OSError:
            pass
    if leave is not None:
        os._exit(leave)
"""
LAW = "USED_INPUTS = ['x']\nLAW_CONSTANTS = {}\nOTHER_CONSTANTS = {}\nLOCAL_FITTABLE = {}\n"


def sent(data: bytes, leave: int | None = 0) -> str:
    return f"{SEND}\ndef predict(X):\n    send({data!r}, {leave})\n    return X[:, 0]\n"


class Marker:
    """Unpickled, it creates a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return Path.touch, (self.path,)  # type: ignore[return-value]


VERDICT = json.dumps({"score": 1.0, "failure": None, "suite": "scilaws_real"}).encode()
FRAMES = {
    "a score as JSON": (b"J" + VERDICT, "protocol", "unknown kind"),
    "a verdict instead of numbers": (b"N" + VERDICT, "protocol", "bytes, expected 160"),
    "one number too many": (b"N" + bytes(168), "protocol", "bytes, expected 160"),
    "one number too few": (b"N" + bytes(152), "protocol", "bytes, expected 160"),
    "a length of its own": (b"N" + struct.pack("<Q", 1 << 60) + bytes(152 + 8), "protocol", "expected 160"),
    "no kind": (bytes(161), "protocol", "unknown kind"),
    "an array file": (b"\x93NUMPY\x01\x00" + bytes(200), "protocol", "unknown kind"),
    "a success report": (b'E{"kind": "ok", "message": ""}', "protocol", "damaged"),
    "the zygote's ready": (b'{"ready": true}', "protocol", "unknown kind"),
    "the zygote's ending": (
        b'{"timed_out": false, "signal": 0, "exit_code": 0, "cpu_seconds": 0}', "protocol", "unknown kind",
    ),
    "an error of the infrastructure": (b'E{"kind": "infrastructure", "message": "retry"}', "protocol", "damaged"),
    "a message with escapes": (b'E{"kind": "error", "message": "\\u001b[2J\\u202egold\\n\\u0007"}', "error", "gold"),
    "deep nesting": (b'E{"kind": "error", "message": ' + b"[" * 3000, "protocol", "damaged"),
    "two frames": (b"N" + bytes(160) + b"N" + bytes(160), "protocol", "expected 160"),
}  # fmt: skip


@pytest.mark.parametrize("name", FRAMES)
def test_a_forged_frame(sandbox: Sandbox, name: str) -> None:
    data, status, message = FRAMES[name]
    result = run(sandbox, sent(data))
    assert (result.status, result.values) == (status, None)
    assert message in result.error
    assert result.error.isprintable()
    assert result.level == sandbox.level
    check_honest(sandbox)


def test_a_pickle_is_never_opened(sandbox: Sandbox, tmp_path: Path) -> None:
    marker = tmp_path / "opened"
    frame = pickle.dumps(Marker(marker))
    for prefix in (b"", b"N", b"J", b"E"):
        assert run(sandbox, sent(prefix + frame)).status == "protocol"
    assert not marker.exists()
    pickle.loads(frame)
    assert marker.exists()  # the control: it would have been noticed
    check_honest(sandbox)


@pytest.mark.parametrize(("code", "status"), [(0, "crash"), (3, "crash"), (70, "crash"), (137, "crash")])
def test_an_exit_code_excuses_nothing(sandbox: Sandbox, code: int, status: str) -> None:
    """70 is the worker's own word for "not confined"; a law that says it has crashed, nothing else."""
    result = run(sandbox, sent(b"", code))
    assert result.status == status
    assert f"exit code {code}" in result.error
    check_honest(sandbox)


def test_a_right_frame_before_a_bad_end_does_not_count(sandbox: Sandbox) -> None:
    result = run(sandbox, sent(b"N" + bytes(160), 9))
    assert (result.status, result.error) == ("crash", "the process ended without a result (exit code 9)")
    check_honest(sandbox)


def test_forged_numbers_are_predictions_and_judged_as_such(sandbox: Sandbox) -> None:
    """The forger must answer every selection of rows consistently: constant numbers are a constant law."""
    rows = Rows({"x": np.arange(1.0, 9.0)}, np.arange(1.0, 9.0))
    forged = LAW + SEND + (
        "import numpy as np, struct\ndef predict(X):\n"
        "    frame = sys._getframe(2)\n"
        "    request = frame.f_locals['request']\n"
        "    send(b'N' + np.arange(float(request.result_count)).tobytes())\n"
    ).replace("import numpy", "import sys, numpy")  # fmt: skip
    result = run_law(forged, (Unit(1, None, rows),), Contract(("x",), multi=False), sandbox, seed=0, limits=LIMITS)
    assert result.groups[0].failure == "protocol"
    assert "not row-wise" in result.groups[0].reason
    constant = forged.replace("np.arange(float(request.result_count))", "np.full(request.result_count, 7.0)")
    result = run_law(constant, (Unit(1, None, rows),), Contract(("x",), multi=False), sandbox, seed=0, limits=LIMITS)
    assert result.groups[0].predictions is not None
    assert set(result.groups[0].predictions) == {7.0}
    check_honest(sandbox)


FITS = {
    "more constants than asked": b'J{"a": 1.0, "score": 1.0}',
    "a constant that is a list": b'J{"a": [1.0]}',
    "infinity by overflow": b'J{"a": 1e999}',
    "the same constant twice": b'J{"a": 1.0, "a": 2.0}',
}


@pytest.mark.parametrize("name", FITS)
def test_a_forged_fit(sandbox: Sandbox, name: str) -> None:
    """What the decoder lets pass is still held against the declared names."""
    law = LAW.replace("LOCAL_FITTABLE = {}", "LOCAL_FITTABLE = {'a': {'init': None}}")
    law += f"{SEND}\ndef fit(X, y):\n    send({FITS[name]!r})\ndef predict(X, a):\n    return a * X[:, 0]\n"
    rows = Rows({"x": np.arange(1.0, 9.0)}, np.arange(1.0, 9.0))
    result = run_law(law, (Unit(1, rows, rows),), Contract(("x",), multi=True), sandbox, seed=0, limits=LIMITS)
    (group,) = result.groups
    if name == "the same constant twice":  # harmless: the last one is the law's constant
        assert group.parameters == {"a": 2.0}
    else:
        assert group.failure == "protocol"
        assert group.predictions is None
    check_honest(sandbox)


LIES = {
    "shape": "class A(np.ndarray):\n    shape = property(lambda s: (20,))\nreturn np.zeros(3).view(A)",
    "length": "class A(list):\n    __len__ = lambda s: 20\nreturn A([1.0])",
    "__array__": "class A:\n    def __array__(self, *a, **k): return np.zeros((20, 2))\nreturn A()",
    "__array__ of objects": "class A:\n    def __array__(self, *a, **k): return np.array([object()] * 20)\nreturn A()",
    "__array_interface__": (
        "class A:\n    __array_interface__ = dict(shape=(20,), typestr='<c16', data=(id(X), True), version=3)\n"
        "return A()"
    ),
    "complex": "return np.zeros(20, complex)",
    "dates": "return np.zeros(20, 'M8[s]')",
    "text": "return np.array(['1.0'] * 20)",
    "a masked array of text": "return np.ma.masked_array(['x'] * 20)",
    "structured": "return np.zeros(20, [('a', float)])",
    "a generator": "return (float(i) for i in range(20))",
    "a changed input": "X[:] = 0\nreturn X[:, 0]",
    "an input of another shape": "X.shape = (2, 20)\nreturn X[0]",
}  # fmt: skip


@pytest.mark.parametrize("name", LIES)
def test_an_object_that_lies_breaks_the_contract(sandbox: Sandbox, name: str) -> None:
    body = LIES[name].replace("\n", "\n    ")
    result = run(sandbox, f"import numpy as np\ndef predict(X):\n    {body}\n")
    assert result.status == "protocol", result
    assert "predict" in result.error
    check_honest(sandbox)


def test_describe_cannot_pass_objects(sandbox: Sandbox) -> None:
    source = "class E(float):\n    __repr__ = __str__ = lambda s: '0'\nclass D(dict):\n    pass\n"
    source += "LAW_CONSTANTS = D(a=E('nan'), b=print, c=float('inf'), d={1: 2})\ndef predict(X): return X\n"
    result = sandbox.describe(source, LIMITS)
    assert result.values is not None
    text = json.dumps(result.values["law_constants"], allow_nan=False)
    assert json.loads(text).keys() == {"a", "b", "c", "d"}
    assert result.values["law_constants"]["b"] == "<builtin_function_or_method>"
    check_honest(sandbox)


def test_the_level_is_stamped_by_the_host(sandbox: Sandbox) -> None:
    source = "import sys\nfor m in list(sys.modules.values()):\n    vars(m).update(level='full', LEVEL='full')\n"
    assert run(sandbox, source + "def predict(X): return X[:, 0]").level == sandbox.level
    assert sandbox.predict("", X, [], NO_CONSTANTS).level == sandbox.level
    check_honest(sandbox)
