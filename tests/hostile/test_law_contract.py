"""The hostile-input table of the law contract, row by row, through the scorer and the real sandbox.

A law here predicts 2 x + 0.5 where the truth is 2 x and the best reference 2 x + 1: honestly scored it gets 0.75.
"""

from __future__ import annotations

import time
from functools import cache
from typing import Any

import pytest

from scilaws_bench.sandbox import InProcess, Sandbox
from scilaws_bench.scoring import Anchors, NumericGold, Verdict, anchors_of, score_numeric
from scoring_harness import (
    DOUBLE,
    X10,
    group,
    law,
    numeric_gold,
    offset_law,
    shift_law,
    shifted_group,
    window,
)

HONEST = "2.0 * X[:, 0] + 0.5"
SINGLE = numeric_gold()
MULTI = numeric_gold([shifted_group(0, 1.0), shifted_group(1, 5.0)], {"a": shift_law(1.0), "b": shift_law(2.0)})
LIMITED = numeric_gold(
    [shifted_group(0, 1.0), shifted_group(1, 5.0)],
    {"a": shift_law(1.0), "b": shift_law(2.0)},
    wall_seconds=1.0,
    memory_bytes=1 << 30,
)


GOLDS = (SINGLE, MULTI, LIMITED)


@cache
def anchors(number: int) -> Anchors:
    return anchors_of(GOLDS[number], InProcess())


def score(source: str, gold: NumericGold, sandbox: Sandbox) -> Verdict:
    assert sandbox.level != "none"
    known = [number for number, other in enumerate(GOLDS) if other is gold]
    verdict = score_numeric(source, gold, sandbox, anchors(known[0]) if known else None)
    assert verdict.isolation == sandbox.level
    return verdict


def in_second_group(action: str, where: str) -> str:
    """A law off by 0.5 that does `action` in `fit` or `predict`, in the second group only."""
    if where == "fit":
        return shift_law(0.5, also=f"if np.mean(y - 2.0 * X[:, 0]) > 3.0:\n    {action}")
    return law(
        f"if b > 3.0:\n    {action}\nreturn {HONEST} + b",
        local={"b": {"init": 0.0}},
        fit="return {'b': float(np.mean(y - 2.0 * X[:, 0]))}",
    )


def assert_only_second_group_failed(verdict: Verdict, *words: str) -> None:
    assert verdict.evidence is not None
    first, second = verdict.evidence.groups
    assert first.score == pytest.approx(0.75)
    assert (second.score, second.failure, second.metric_value) == (0.0, "protocol", None)
    assert verdict.score == pytest.approx(0.375)
    assert all(word in second.reason for word in words), second.reason


def test_an_honest_law_scores_what_it_earns(sandbox: Sandbox) -> None:
    assert score(offset_law(0.5), SINGLE, sandbox).score == 0.75
    verdict = score(shift_law(0.5), MULTI, sandbox)
    assert (verdict.score, verdict.flags) == (pytest.approx(0.75), ())


class TestShapes:
    """Row 1. grader_pitfalls 1 SC, OG; the original harness: (n, 1) broadcasts into a metric."""

    @pytest.mark.parametrize(
        "answer",
        [
            f"list({HONEST})",
            f"tuple({HONEST})",
            f"({HONEST}).astype(object).tolist()",
            "[2 * x + 0.5 for x in X[:, 0]]",
        ],
    )
    def test_a_list_becomes_an_array(self, answer: str, sandbox: Sandbox) -> None:
        assert score(law(f"return {answer}"), SINGLE, sandbox).score == 0.75

    @pytest.mark.parametrize(
        ("answer", "found"),
        [
            ("0.0", "shape ()"),
            ("np.float64(0.0)", "shape ()"),
            ("[0.0]", "shape (1,)"),
            (f"({HONEST})[:, None]", "shape (10, 1)"),
            (f"({HONEST})[None, :]", "shape (1, 10)"),
            (f"np.tile({HONEST}, (10, 1))", "shape (10, 10)"),
            (f"({HONEST})[:-1]", "shape (9,)"),
            (f"np.append({HONEST}, 0.0)", "shape (11,)"),
            ("[]", "shape (0,)"),
            (f"({HONEST}) + 0j", "complex128"),
            (f"({HONEST}).astype(object)", "object"),
            (f"({HONEST}).astype(str)", "<U"),
            ("None", "NoneType"),
            ("{}", "dict"),
            ("(row for row in X)", "generator"),
            ("[[1.0], [1.0, 2.0]] * 5", "list"),
        ],
    )
    def test_anything_else_is_a_protocol_failure_that_names_it(self, answer: str, found: str, sandbox: Sandbox) -> None:
        verdict = score(law(f"return {answer}"), SINGLE, sandbox)
        assert (verdict.score, verdict.failure) == (0.0, "protocol")
        assert found in verdict.reason
        assert "(10,)" in verdict.reason or "real numbers" in verdict.reason


class TestNonFinite:
    """Row 2. grader_pitfalls 1 NB, LS: 49 of 50 NaN is perfect, one inf ends the run."""

    @pytest.mark.parametrize("value", ["np.nan", "np.inf", "-np.inf"])
    @pytest.mark.parametrize("row", [0, 9])
    def test_one_bad_value_fails_the_task(self, value: str, row: int, sandbox: Sandbox) -> None:
        body = f"out = {HONEST}\nout[X[:, 0] == {X10[row]}] = {value}\nreturn out"
        verdict = score(law(body), SINGLE, sandbox)
        assert (verdict.score, verdict.failure) == (0.0, "protocol")
        assert "1 of 10 values" in verdict.reason

    def test_nothing_but_the_easy_row_is_not_masked(self, sandbox: Sandbox) -> None:
        verdict = score(law("return np.where(X[:, 0] == 3.0, 6.0, np.nan)"), SINGLE, sandbox)
        assert verdict.score == 0.0
        assert "9 of 10 values" in verdict.reason

    def test_it_fails_its_group_alone(self, sandbox: Sandbox) -> None:
        verdict = score(in_second_group("X = X * np.nan", "predict"), MULTI, sandbox)
        assert_only_second_group_failed(verdict, "6 of 6 values that are not finite")


class TestFitResults:
    """Row 3. The group fails and the key is named."""

    @pytest.mark.parametrize(
        ("returned", "words"),
        [
            ("{}", ("lacks 'b'",)),
            ("{'b': 0.0, 'c': 1.0}", ("unexpected 'c'",)),
            ("{'c': 1.0}", ("lacks 'b'", "unexpected 'c'")),
            ("{'b': np.zeros(1)}", ("'b'", "ndarray")),
            ("{'b': [0.0]}", ("'b'", "list")),
            ("{'b': float('nan')}", ("'b'", "nan")),
            ("{'b': np.inf}", ("'b'", "inf")),
            ("{'b': 1j}", ("'b'", "complex")),
            ("{'b': '1'}", ("'b'",)),
            ("{'b': None}", ("'b'",)),
            ("{'b': True}", ("'b'",)),
            ("None", ("fit returned", "NoneType")),
            ("[0.0]", ("fit returned", "list")),
            ("0.0", ("fit returned", "float")),
        ],
    )
    def test_a_faulty_result_fails_the_group(self, returned: str, words: tuple[str, ...], sandbox: Sandbox) -> None:
        assert_only_second_group_failed(score(in_second_group(f"return {returned}", "fit"), MULTI, sandbox), *words)

    @pytest.mark.parametrize("where", ["fit", "predict"])
    def test_raising_fails_the_group(self, where: str, sandbox: Sandbox) -> None:
        verdict = score(in_second_group("raise ValueError('no root')", where), MULTI, sandbox)
        assert_only_second_group_failed(verdict, where, "ValueError: no root")


class TestLimits:
    """Row 4. grader_pitfalls 1 SL, 59-61: a signal does not interrupt C code; only a killed process is a limit."""

    @pytest.mark.parametrize("where", ["fit", "predict"])
    @pytest.mark.parametrize(
        ("action", "word"),
        [
            ("__import__('time').sleep(600)", "time limit"),
            ("sum(range(10**15))", "time limit"),  # C code
            ("(lambda: [None for _ in iter(int, 1)])()", "limit"),
            ("np.ones(30 << 27)", "memory limit"),
        ],
        ids=["sleep", "C loop", "endless list", "30 GB"],
    )
    def test_a_call_beyond_its_limit_is_ended_and_the_next_group_scored(
        self, action: str, word: str, where: str, sandbox: Sandbox
    ) -> None:
        started = time.monotonic()
        verdict = score(in_second_group(action, where), LIMITED, sandbox)
        assert_only_second_group_failed(verdict, where, word)
        assert time.monotonic() - started < 8.0
        assert score(shift_law(0.5), LIMITED, sandbox).score == pytest.approx(0.75)

    @pytest.mark.parametrize("where", ["fit", "predict"])
    @pytest.mark.parametrize(
        "action",
        ["[__import__('os').fork() for _ in range(12)]", "__import__('os')._exit(0)", "__import__('os').kill(0, 9)",
         "exec('def f(): f()\\nf()')", "__import__('ctypes').string_at(0)"],
        ids=["forks", "exit", "kill", "recursion", "segfault"],
    )  # fmt: skip
    def test_a_call_that_forks_or_dies_fails_alone(self, action: str, where: str, sandbox: Sandbox) -> None:
        assert_only_second_group_failed(score(in_second_group(action, where), LIMITED, sandbox), where)
        assert score(shift_law(0.5), LIMITED, sandbox).score == pytest.approx(0.75)

    def test_a_module_that_never_ends_its_import_fails_whole(self, sandbox: Sandbox) -> None:
        verdict = score(shift_law(0.5) + "\nwhile True:\n    pass\n", LIMITED, sandbox)
        assert (verdict.score, verdict.failure) == (0.0, "protocol")
        assert "importing the module: killed at the time limit" in verdict.reason


SIDE_EFFECTS = {
    "prints": """
import sys
print('{"score": 1.0}' * 10000)
print("PASSED", file=sys.stderr, flush=True)""",
    "files": """
for name in ("/etc/passwd", "/tmp/x", "law.py"):
    for mode in ("r", "w"):
        try:
            open(name, mode).close()
        except OSError:
            pass""",
    "sockets": """
try:
    import socket
    socket.create_connection(("127.0.0.1", 80), 0.1)
except OSError:
    pass""",
    "atexit": """
import atexit, os
def forge():
    for number in range(3, 40):
        try:
            os.write(number, b"forged")
        except OSError:
            pass
atexit.register(forge)""",
    "del": """
class Bomb:
    def __del__(self):
        raise SystemExit("gone")
BOMB = Bomb()""",
    "patched numpy": """
np.isfinite = lambda *_: np.True_
np.mean = lambda *_, **__: 0.0
np.sqrt = lambda *_: 0.0""",
    "patched scorer": """
import sys
for module in [module for name, module in sys.modules.items() if "scilaws" in name]:
    for key in ("METRICS", "score_numeric", "anchors_of"):
        setattr(module, key, None)""",
    "threads": """
import threading, time
threading.Thread(target=lambda: time.sleep(60), daemon=True).start()""",
    "settings": """
import warnings
np.seterr(all="raise")
np.set_printoptions(precision=1)
warnings.simplefilter("error")""",
}


class TestSideEffects:
    """Row 5. grader_pitfalls 56, 57: success printed, frames walked, results forged by the code under test."""

    @pytest.mark.parametrize("effect", SIDE_EFFECTS.values(), ids=SIDE_EFFECTS.keys())
    def test_the_score_is_that_of_the_predictions(self, effect: str, sandbox: Sandbox) -> None:
        verdict = score(law(f"return {HONEST}", before=effect), SINGLE, sandbox)
        assert (verdict.score, verdict.reason) == (0.75, "")

    def test_walking_frames_finds_no_target(self, sandbox: Sandbox) -> None:
        """The truth is 2 x: any array or number list in reach that equals it would score 1."""
        body = f"""
import gc, sys
truth = set({list(DOUBLE)!r}[5:])
seen = [] ; frame = sys._getframe()
while frame is not None:
    seen += [v for f in (frame.f_locals, frame.f_globals) for v in list(f.values())]
    frame = frame.f_back
for thing in seen + [o for o in gc.get_objects() if isinstance(o, (np.ndarray, bytes, list, dict))]:
    if isinstance(thing, np.ndarray) and thing.dtype == float and truth <= set(thing.ravel().tolist()):
        return 2.0 * X[:, 0]
return {HONEST}
"""
        gold = numeric_gold(
            [group(0, window([x + 0.25 for x in X10], DOUBLE))], {"a": offset_law(1.0), "b": offset_law(2.0)}
        )
        honest = score(offset_law(0.5), gold, sandbox)
        assert score(law(body.strip()), gold, sandbox).score == honest.score

    @pytest.mark.parametrize(
        "forgery", ["b'N' + np.array({truth}).tobytes()", "b'[' * 9", "np.array({truth}).tobytes()"]
    )
    def test_a_forged_result_never_scores_more(self, forgery: str, sandbox: Sandbox) -> None:
        forged = forgery.format(truth=list(DOUBLE))
        body = (
            f"import os\nfor fd in range(1, 64):\n    try:\n        os.write(fd, {forged})\n"
            f"    except OSError:\n        pass\nreturn {HONEST}"
        )
        verdict = score(law(body), SINGLE, sandbox)
        assert verdict.score == 0.75 or (verdict.score, verdict.failure) == (0.0, "protocol")
        assert score(offset_law(0.5), SINGLE, sandbox).score == 0.75

    def test_group_id_never_reaches_a_law(self, sandbox: Sandbox) -> None:
        verdict = score(law(f"return {HONEST}", inputs=["x", "group_id"]), SINGLE, sandbox)
        assert (verdict.score, verdict.failure) == (0.0, "protocol")
        assert "'group_id'" in verdict.reason


ROW_TRICKS: dict[str, tuple[str, str]] = {
    "mean of the window": ("", "return X[:, 0] - X[:, 0].mean()"),
    "rank": ("", "return np.argsort(np.argsort(X[:, 0])) * 1.0"),
    "number of rows": ("", f"return {HONEST} + len(X)"),
    "position": ("", f"return {HONEST} + np.arange(len(X))"),
    "repeats": ("", "u, i, c = np.unique(X[:, 0], return_inverse=True, return_counts=True)\nreturn X[:, 0] + c[i]"),
    "calls": ("CALLS = []", f"CALLS.append(1)\nreturn {HONEST} + len(CALLS)"),
    "state on numpy": ("", f"np.calls = getattr(np, 'calls', 0) + 1\nreturn {HONEST} + np.calls"),
    "remembered answers": (
        "SEEN = {}",
        "for x in X[:, 0]:\n    SEEN.setdefault(x, x - X[:, 0].mean())\nreturn np.array([SEEN[x] for x in X[:, 0]])",
    ),
    "noise": ("", f"return {HONEST} + np.random.random(len(X))"),
}


class TestRowWise:
    """Row 6. A law answers each row by itself, whatever stands beside it and whatever was asked before."""

    @pytest.mark.parametrize(("before", "body"), ROW_TRICKS.values(), ids=ROW_TRICKS.keys())
    def test_looking_at_other_rows_or_calls_is_a_contract_failure(
        self, before: str, body: str, sandbox: Sandbox
    ) -> None:
        verdict = score(law(body, before=before), SINGLE, sandbox)
        assert (verdict.score, verdict.failure) == (0.0, "protocol")
        assert "not row-wise" in verdict.reason

    @pytest.mark.parametrize(
        "change", ["X[:] = 0.0", "X[0, 0] += 1e-9", "X.sort(axis=0)", "X.resize((5, 2), refcheck=False)"]
    )
    def test_changing_x_is_a_contract_failure(self, change: str, sandbox: Sandbox) -> None:
        verdict = score(law(f"out = {HONEST}\n{change}\nreturn out"), SINGLE, sandbox)
        assert (verdict.score, verdict.failure) == (0.0, "protocol")
        assert "changed its input X" in verdict.reason or "ValueError" in verdict.reason

    def test_it_is_checked_in_every_group(self, sandbox: Sandbox) -> None:
        verdict = score(in_second_group("X = X - X.mean()", "predict"), MULTI, sandbox)
        assert_only_second_group_failed(verdict, "not row-wise")


class TestMissingInputs:
    """Row 7. `missing: pass` hands NaN to the law; what it makes of it is its own affair."""

    GOLD = numeric_gold([group(0, window(X10, DOUBLE, z=[None, *range(1, 10)]))])

    def test_nan_reaches_the_law_and_may_be_dealt_with(self, sandbox: Sandbox) -> None:
        body = f"return {HONEST} + np.where(np.isnan(X[:, 1]), 0.0, X[:, 1] * 0.0)"
        assert score(law(body, inputs=["x", "z"]), self.GOLD, sandbox).score == 0.75

    def test_nan_that_goes_through_fails_the_task(self, sandbox: Sandbox) -> None:
        verdict = score(law(f"return {HONEST} + X[:, 1]", inputs=["x", "z"]), self.GOLD, sandbox)
        assert (verdict.score, verdict.failure) == (0.0, "protocol")
        assert "1 of 10 values" in verdict.reason

    def test_it_is_there_to_be_seen(self, sandbox: Sandbox) -> None:
        body = f"return {HONEST} + np.where(np.isnan(X[:, 1]), 100.0, 0.0)"
        assert score(law(body, inputs=["x", "z"]), self.GOLD, sandbox).score == 0.0


@pytest.mark.parametrize("gold", [SINGLE, MULTI], ids=["single", "multi"])
def test_local_parameters_belong_to_tasks_with_groups(gold: Any, sandbox: Sandbox) -> None:
    verdict = score(shift_law(0.5), gold, sandbox)
    if gold is SINGLE:
        assert (verdict.score, verdict.failure) == (0.0, "protocol")
        assert "LOCAL_FITTABLE must be empty in a single-group task; it names 'b'" in verdict.reason
    else:
        assert verdict.score == pytest.approx(0.75)
