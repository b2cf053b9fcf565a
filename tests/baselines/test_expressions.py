"""Expressions: the normal form changes no value, source text says the same, intervals prove what they say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scilaws_bench.baselines._engine import agree, engine_values
from scilaws_bench.baselines._expressions import (
    OPERATIONS,
    Call,
    Combination,
    Constant,
    Expression,
    Input,
    UnusableExpressionError,
    constants_of,
    evaluate,
    normal_form,
    source_of,
    with_constants,
)
from scilaws_bench.baselines._intervals import is_finite_on

pytest.importorskip("pyoperon", reason="not run: needs pip install 'scilaws-bench[baselines]'")

X = np.random.default_rng(1).uniform(0.3, 0.95, (40, 2))
TWO_ARGUMENTS = frozenset({"add", "sub", "mul", "div", "pow", "powabs", "aq", "fmin", "fmax"})
SMOOTH = sorted(set(OPERATIONS) - {"ceil", "floor"})


def _call(name: str, *arguments: Expression) -> Call:
    return Call(name, arguments[: 2 if name in TWO_ARGUMENTS else 1])


def _expressions() -> st.SearchStrategy[Expression]:
    numbers = st.floats(-3, 3).filter(lambda value: abs(value) > 0.05)
    leaves = st.one_of(numbers.map(Constant), st.sampled_from([Input(0), Input(1)]))
    return st.recursive(leaves, lambda inner: st.builds(_call, st.sampled_from(SMOOTH), inner, inner), max_leaves=8)


@given(_expressions())
@settings(max_examples=300, deadline=None)
def test_normal_form_changes_no_value(expression: Expression) -> None:
    values = evaluate(expression, X)
    if not np.isfinite(values).all() or np.abs(values).max() > 1e6:
        return
    try:
        rewritten = normal_form(expression).expression()
    except UnusableExpressionError:
        return  # a part was infinite though the whole was not: 1 / (1 / 0)
    # well-conditioned expressions only: a rounding error of an input must not be amplified either
    nudged = evaluate(expression, X * (1 + 1e-13))
    if agree(nudged, values, 1e-10):
        assert agree(evaluate(rewritten, X), values, 1e-8)


@given(_expressions())
@settings(max_examples=100, deadline=None)
def test_source_text_says_what_is_evaluated(expression: Expression) -> None:
    constants = constants_of(expression)
    names = [f"k{number}" for number in range(len(constants))]
    text = source_of(expression, {0: "a", 1: "b"}, names)  # names that templates use as well
    scope: dict[str, Any] = {"np": np, "a": X[:, 0], "b": X[:, 1]} | {
        name: np.float64(value) for name, value in zip(names, constants, strict=True)
    }
    with np.errstate(all="ignore"):
        exec(f"again = {text}", scope)
    np.testing.assert_allclose(
        np.broadcast_to(scope["again"], len(X)), evaluate(expression, X), rtol=1e-12, equal_nan=True
    )


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_every_operation_is_the_engines(name: str) -> None:
    expression = Call("add", (_call(name, Input(0), Input(1)), Constant(0.25)))
    single = X.astype(np.float32).astype(np.float64)
    assert agree(evaluate(expression, single), engine_values(expression, X), 1e-6)


@pytest.mark.parametrize(
    ("text", "expression", "constants"),
    [
        ("3 (2 x)", Call("mul", (Constant(3.0), Call("mul", (Constant(2.0), Input(0))))), [6.0]),
        ("2 x + 3 x", Call("add", (_call("mul", Constant(2.0), Input(0)), _call("mul", Constant(3.0), Input(0)))), [5]),
        ("(2 x)²", Call("square", (Call("mul", (Constant(2.0), Input(0))),)), [4.0]),
        ("exp(2 log x)", Call("exp", (Call("mul", (Constant(2.5), Call("log", (Input(0),)))),)), [2.5]),
        ("x / x", Call("div", (Input(0), Input(0))), [1.0]),
        ("1 / (1 / x)", Call("inverse", (Call("inverse", (Input(0),)),)), []),
    ],
)
def test_normal_form_spends_few_constants(text: str, expression: Expression, constants: list[float]) -> None:
    assert constants_of(normal_form(expression).expression()) == constants, text


def test_constants_are_replaced_in_reading_order() -> None:
    expression = Combination(((2.0, Input(0)), (3.0, Input(1))), 4.0).expression()
    assert constants_of(expression) == [2.0, 3.0, 4.0]
    assert constants_of(with_constants(expression, [7.0, 8.0, 9.0])) == [7.0, 8.0, 9.0]


@pytest.mark.parametrize(
    ("expression", "low", "high", "finite"),
    [
        (Call("inverse", (Call("add", (Input(0), Constant(-0.37123))),)), 0.0, 1.0, False),  # sampling misses this pole
        (Call("inverse", (Call("add", (Input(0), Constant(-0.37123))),)), 0.4, 1.0, True),
        (Call("log", (Input(0),)), 0.0, 1.0, False),
        (Call("log", (Input(0),)), 0.1, 1.0, True),
        (Call("sqrt", (Call("sub", (Call("square", (Input(0),)), Input(0))),)), 1.5, 3.0, True),  # needs bisection
        (Call("sqrt", (Call("sub", (Call("square", (Input(0),)), Input(0))),)), 0.5, 3.0, False),
        (Call("exp", (Call("exp", (Input(0),)),)), 0.0, 9.0, False),
        (Call("pow", (Input(0), Constant(0.7))), 0.0, 1.0, True),
        (Call("pow", (Input(0), Constant(-0.7))), 0.0, 1.0, False),
        (Call("pow", (Input(0), Constant(0.7))), -0.1, 1.0, False),
        (Call("inverse", (Call("exp", (Call("mul", (Constant(-1e3), Input(0))),)),)), 0.0, 1.0, False),  # 1 / 0
        (Call("tan", (Input(0),)), 0.0, 1.0, False),  # no rule: not proved
    ],
)
def test_finite_is_proved_not_sampled(expression: Expression, low: float, high: float, finite: bool) -> None:
    assert is_finite_on(expression, np.array([low]), np.array([high])) is finite


@given(_expressions())
@settings(max_examples=150, deadline=None)
def test_what_is_proved_finite_is_finite(expression: Expression) -> None:
    low, high = np.full(2, -1.5), np.full(2, 2.0)
    if is_finite_on(expression, low, high):
        points = np.random.default_rng(2).uniform(low, high, (500, 2))
        corners = np.array([[a, b] for a in (-1.5, 0.0, 2.0) for b in (-1.5, 0.0, 2.0)])
        assert np.isfinite(evaluate(expression, np.concatenate([points, corners]))).all()
