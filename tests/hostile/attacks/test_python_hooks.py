"""A law that acts when nobody looks: `__del__`, atexit, signals, tracing, audit and import hooks, `__array__`, clocks.

Imitates laws that wait for the checks to be over. Hooks run in the law's process or not at all, and clocks it moves
are its own.
"""

from __future__ import annotations

import time
from typing import ClassVar

import numpy as np
import pytest
from attack_kit import LIMITS, NO_CALL, Attack, AttackTests, X, check_honest, run

from scilaws_bench.sandbox import Limits, Sandbox

WRITE = """
import os, sys
import numpy as np
def write(*ignored):
    for number in range(3, 256):
        try:
            os.write(number, b'N' + bytes(160))
        except OSError:
            pass
"""
LATE = {
    "atexit": "import atexit\natexit.register(write)",
    "__del__ of a global": "class D:\n    def __del__(self): write()\nsys.kept = D()",
    "a weak reference": "import weakref\nclass D: pass\nsys.kept = D()\nweakref.finalize(sys.kept, write)",
    "a callback of gc": "import gc\ngc.callbacks.append(write)\ngc.freeze()\ngc.disable()",
    "threading's end": "import threading\nthreading._register_atexit(write)",
    "the exit of sys": "sys.exitfunc = write",
    "a generator that is closed": ("def g():\n    try: yield\n    finally: write()\nsys.kept = g()\nnext(sys.kept)"),
    "a later thread": "import threading\nthreading.Timer(30.0, write).start()",
    "a signal": "import signal\nsignal.signal(signal.SIGTERM, write)",
    "excepthook": "sys.excepthook = sys.unraisablehook = write",
    "an audit hook": "sys.addaudithook(lambda *a: None)",
    "a trace": "sys.settrace(lambda *a: None)",
    "an import hook": "sys.meta_path.insert(0, type('F', (), {'find_spec': staticmethod(lambda *a: None)}))",
}


@pytest.mark.parametrize("name", LATE)
def test_a_late_hook_changes_no_result(sandbox: Sandbox, name: str) -> None:
    """The worker leaves by _exit after its only write: hooks of the interpreter's end never run."""
    body = LATE[name].replace("\n", "\n    ")
    result = run(sandbox, f"{WRITE}\ndef predict(X):\n    {body}\n    return X[:, 0] + 1\n")
    assert result.values is not None, result.error
    np.testing.assert_array_equal(result.values["values"], [X[:, 0] + 1])
    check_honest(sandbox)


@pytest.mark.parametrize("name", ["atexit", "threading's end"])
def test_the_hook_would_run_where_an_interpreter_ends(name: str) -> None:
    """The control: the same hook in an interpreter that ends in the ordinary way."""
    import subprocess
    import sys

    source = WRITE.replace("os.write(number", "os.write(1") + LATE[name]
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, check=False)
    assert b"N\0" in done.stdout


AT_ONCE = {
    "__array__ that leaves": ("class A:\n    def __array__(self, *a, **k): os._exit(0)\nreturn A()", "crash"),
    "__array__ that raises SystemExit": (
        "class A:\n    def __array__(self, *a, **k): raise SystemExit\nreturn A()", "error",
    ),
    "__array__ that answers itself": (
        "class A:\n    def __array__(self, *a, **k): return self\nreturn A()", "protocol error",
    ),
    "__getattr__ of the module": ("raise ValueError('x' * 10 ** 7)", "error"),
    "an error whose name lies": (
        "class E(Exception): pass\nE.__name__ = 'x\\x1b[2J' * 999\nraise E('\\u202e\\x07')", "error",
    ),
    "an error that cannot be printed": ("class E(Exception):\n    def __str__(self): raise self\nraise E", "error"),
    "KeyboardInterrupt": ("raise KeyboardInterrupt", "error"),
    "GeneratorExit": ("raise GeneratorExit", "error"),
    "an exception group": ("raise BaseExceptionGroup('g', [SystemExit()])", "error"),
    "a false contract error": (
        "from _worker.values import ContractError\nraise ContractError('infrastructure: retry me')", "protocol",
    ),
    "__hash__ and __eq__": (
        "class K(str):\n    __hash__ = lambda s: 0\n    __eq__ = lambda s, o: True\nreturn {K('a'): 1.0}", "protocol",
    ),
    "__class__": ("class A:\n    __class__ = np.ndarray\nreturn A()", "protocol"),
    "__float__ that loops": (
        "class F:\n    def __float__(self):\n        while True: pass\nreturn np.array([F()] * 20)", "protocol",
    ),
    "__del__ that raises": ("class D:\n    def __del__(self): raise SystemExit\nD()\nreturn X[:, :1]", "protocol"),
}  # fmt: skip


@pytest.mark.parametrize("name", AT_ONCE)
def test_a_hook_costs_its_own_call(sandbox: Sandbox, name: str) -> None:
    body, statuses = AT_ONCE[name]
    result = run(sandbox, "import os, sys\nimport numpy as np\ndef predict(X):\n    " + body.replace("\n", "\n    "))
    assert result.status in statuses.split(), result
    assert result.error.isprintable()
    assert 0 < len(result.error) <= 300
    check_honest(sandbox)


class TestClocks(AttackTests):
    attacks: ClassVar[dict[str, Attack]] = {
        "set the clock": Attack(
            "import time\ntime.clock_settime(0, 0.0)\nreturn True", NO_CALL, unprotected="sets the clock"
        ),
        "adjust the clock": Attack(
            "return check(libc.adjtimex(ctypes.create_string_buffer(512)))", NO_CALL
        ),
        "a namespace of time": Attack("return check(libc.unshare(0x80))", NO_CALL, unprotected="needs root"),
        "an interval timer": Attack("import signal\nsignal.setitimer(0, 0)\nreturn True", r"itimer_error: \[Errno 1\]"),
        "a timer of the kernel": Attack("return check(libc.timerfd_create(0, 0))", NO_CALL),
        "more processor time": Attack(
            "import resource as r\nsoft, hard = r.getrlimit(r.RLIMIT_CPU)\nr.setrlimit(r.RLIMIT_CPU, (soft, hard))\n"
            "return True",
            "not allowed to raise maximum limit",  # Python's words for EPERM
        ),
        "real-time scheduling": Attack(
            "os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))\nreturn True", NO_CALL, unprotected="needs root"
        ),
        "a higher priority": Attack("os.nice(-5)\nreturn True", NO_CALL, unprotected="needs root"),
    }  # fmt: skip


def test_a_clock_patched_in_python_stops_no_limit(sandbox: Sandbox) -> None:
    source = "import time\ntime.time = time.monotonic = time.perf_counter = lambda: 0.0\ntime.sleep(100)\n"
    began = time.monotonic()
    result = run(sandbox, source, Limits(wall_seconds=0.5))
    assert (result.status, result.error) == ("timeout", "stopped after 0.5 s of real time")
    assert time.monotonic() - began < 5.0
    check_honest(sandbox)


def test_what_the_clock_says_can_be_used_and_is_caught_as_not_row_wise(sandbox: Sandbox) -> None:
    """A law may read the time. One that answers by it gives a row two values, which run_law refuses."""
    from scilaws_bench.laws.contract import Contract
    from scilaws_bench.laws.evaluation import Rows, Unit, run_law

    law = "import time\nUSED_INPUTS = ['x']\nLAW_CONSTANTS = {}\nOTHER_CONSTANTS = {}\nLOCAL_FITTABLE = {}\n"
    law += "def predict(X):\n    return X[:, 0] + time.perf_counter()\n"
    rows = Rows({"x": np.arange(1.0, 9.0)}, np.arange(1.0, 9.0))
    result = run_law(law, (Unit(1, None, rows),), Contract(("x",), multi=False), sandbox, seed=0, limits=LIMITS)
    assert "not row-wise" in result.groups[0].reason
    check_honest(sandbox)
