"""What every evaluator does with an agent's script on training records."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from scilaws_bench.sandbox import MAX_OUTPUT_CHARACTERS, CallResult, Limits, ScriptRunner
from scilaws_bench.sandbox.requests import python_request
from scilaws_bench.sandbox.results import decode

X = np.array([[0.0, 1.0], [2.0, np.nan], [4.0, 5.0]])
Y = np.array([10.0, 20.0, 30.0])
GROUPS = np.array([7, 7, 9])
LIMITS = Limits(wall_seconds=30.0, memory_bytes=4 << 30)


def run(evaluator: ScriptRunner, code: str, groups: Any = None, limits: Limits = LIMITS) -> CallResult:
    return evaluator.run_python(code, X, Y, ["length  (m)", "Δt", "y"], groups, limits)


def values(result: CallResult) -> dict[str, Any]:
    assert result.ok, result.error
    assert result.values is not None
    return dict(result.values)


class TestNames:
    def test_the_records_are_there(self, evaluator: ScriptRunner) -> None:
        code = "print(list(train_df), train_df.dtypes.astype(str).tolist(), X_train.shape, y_train.tolist())"
        expected = "['length  (m)', 'Δt', 'y'] ['float64', 'float64', 'float64'] (3, 2) [10.0, 20.0, 30.0]\n"
        assert values(run(evaluator, code)) == {"output": expected, "truncated": 0, "error": False}

    def test_groups_only_where_there_are_groups(self, evaluator: ScriptRunner) -> None:
        code = "print(group_ids_train, train_df.group_id.dtype, np.isnan(X_train[1, 1]))"
        assert values(run(evaluator, code, GROUPS))["output"] == "[7 7 9] int64 True\n"
        assert "name 'group_ids_train' is not defined" in values(run(evaluator, code))["output"]

    def test_libraries_are_imported(self, evaluator: ScriptRunner) -> None:
        code = "print(np.__name__, pd.__name__, scipy.optimize.brentq(lambda x: x - 1, 0, 3))"
        assert values(run(evaluator, code))["output"] == "numpy pandas 1.0\n"

    def test_runs_share_nothing_and_the_callers_arrays_stay(self, evaluator: ScriptRunner) -> None:
        run(evaluator, "kept = 1; X_train[:] = 0; y_train[:] = 0; train_df[:] = 0")
        assert values(run(evaluator, "print('kept' in globals(), y_train.sum())"))["output"] == "False 60.0\n"
        assert Y.tolist() == [10.0, 20.0, 30.0]


class TestOutput:
    def test_tracebacks_show_the_script_and_no_path_of_the_machine(self, evaluator: ScriptRunner) -> None:
        code = "def f(x):\n    raise ValueError('no')\ntry:\n    f(1)\nexcept ValueError:\n    np.exp(f(X_train))\n"
        found = values(run(evaluator, f"print('before')\n{code}"))
        assert found["error"] is True
        assert found["output"].startswith("before\nTraceback")
        assert 'File "<python>", line 3, in f\n    raise ValueError' in found["output"]
        assert "During handling of the above exception" in found["output"]
        assert found["output"].count("File ") == found["output"].count('File "<python>"') == 4

    @pytest.mark.parametrize(
        ("code", "expected", "error"),
        [
            ("x = = 1", "SyntaxError: invalid syntax", True),
            ("\x00", "null bytes", True),
            ("import sys; sys.exit(3)", "SystemExit: 3", True),
            ("import sys; sys.exit()", "", False),
            ("import sys; print('a', file=sys.stderr)", "a\n", False),
            ("import warnings; warnings.warn('careful')", "line 1: UserWarning: careful\n", False),
            ("class E(Exception):\n    def __str__(self): raise E()\nraise E()", "E", True),
            ("print('a\\tb\\x1b[31mc')", "a\tb\ufffd[31mc\n", False),
            ("print(chr(0xd800))", "\ufffd\n", False),
            ("", "", False),
        ],
    )
    @pytest.mark.filterwarnings("default")
    def test_whatever_is_said(self, evaluator: ScriptRunner, code: str, expected: str, error: bool) -> None:
        found = values(run(evaluator, code))
        assert expected in found["output"]
        assert found["error"] is error

    def test_the_middle_of_a_long_output_is_left_out(self, evaluator: ScriptRunner) -> None:
        found = values(run(evaluator, "for i in range(20_000): print(f'{i:09d}')\n1 / 0"))
        assert found["output"].startswith("000000000\n000000001\n")
        assert found["output"].rstrip().endswith("ZeroDivisionError: division by zero")
        mark = f"\n[... {found['truncated']:,} characters left out ...]\n"
        assert mark in found["output"]
        assert len(found["output"]) == MAX_OUTPUT_CHARACTERS + len(mark)
        assert found["truncated"] > 180_000

    def test_wide_characters_at_the_bound_travel(self, evaluator: ScriptRunner) -> None:
        found = values(run(evaluator, f"print('\U0001f600' * {MAX_OUTPUT_CHARACTERS}, end='')"))
        assert found == {"output": "\U0001f600" * MAX_OUTPUT_CHARACTERS, "truncated": 0, "error": False}


class TestLimits:
    def test_time_is_up(self, sandbox: ScriptRunner) -> None:
        result = run(sandbox, "while True: pass", limits=Limits(wall_seconds=1.0, memory_bytes=4 << 30))
        assert result.status == "timeout"
        assert values(run(sandbox, "print(1)"))["output"] == "1\n"

    def test_memory(self, sandbox: ScriptRunner) -> None:
        found = values(run(sandbox, "x = np.ones(10 ** 12)"))
        assert "MemoryError" in found["output"]

    def test_a_process_that_dies(self, sandbox: ScriptRunner) -> None:
        assert run(sandbox, "import ctypes; ctypes.string_at(0)").status == "crash"

    def test_hundred_megabytes_of_output(self, sandbox: ScriptRunner) -> None:
        found = values(run(sandbox, "for _ in range(100): print('x' * 10 ** 6)"))
        assert found["truncated"] == 100 * (10**6 + 1) - MAX_OUTPUT_CHARACTERS


class TestHost:
    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"X": np.zeros(3)}, "X must have 2 dimensions"),
            ({"y": np.zeros(2)}, "same length"),
            ({"groups": np.zeros(2, dtype=int)}, "same length"),
            ({"columns": ["a", "y"]}, "must name 2 columns"),
            ({"columns": ["a", "a", "y"]}, "all different"),
        ],
    )
    def test_a_wrong_argument_of_the_host_raises(
        self, evaluator: ScriptRunner, changes: dict[str, Any], message: str
    ) -> None:
        arguments = {"X": X, "y": Y, "columns": ["a", "b", "y"], "groups": None} | changes
        with pytest.raises(ValueError, match=message):
            evaluator.run_python("", **arguments)

    @pytest.mark.parametrize(
        "body",
        [
            b"JX",
            b"J[]",
            b'J{"output": "x", "truncated": 0}',
            b'J{"output": 1, "truncated": 0, "error": false}',
            b'J{"output": "x", "truncated": true, "error": false}',
            b'J{"output": "x", "truncated": NaN, "error": false}',
            b'J{"output": "x", "truncated": 0, "error": 0}',
            b"N" + bytes(8),
        ],
    )
    def test_a_forged_result_is_a_protocol_failure(self, body: bytes) -> None:
        request = python_request("", X, Y, ["a", "b", "y"], None)
        assert decode(body, request, "full").status == "protocol"
