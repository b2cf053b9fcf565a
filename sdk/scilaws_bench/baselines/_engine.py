"""The classical engine: genetic programming with pyoperon (Burlacu et al., Operon C++, GECCO 2020).

pyoperon's wheels compute in single precision, so its values agree with ours to about 1e-6, never to
1e-9; constants are fitted again in double precision afterwards (`_fitting`).
"""

from __future__ import annotations

import importlib
from functools import cache, reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from scilaws_bench.baselines._expressions import (
    OPERATIONS,
    Call,
    Constant,
    Expression,
    Floats,
    Input,
    UnusableExpressionError,
    evaluate,
)
from scilaws_bench.errors import MissingLibraryError

SYMBOLS = "add,sub,mul,div,exp,log,sqrt,square,tanh,constant,variable"
"""Growth, decay, saturation, powers and rationals; nothing periodic."""

POWERS = "add,sub,mul,div,pow,exp,log,constant,variable"
"""The other vocabulary, for laws with free exponents. Trees with a variable exponent are left out."""

DEFAULT_SECONDS = 30.0
MAX_LENGTH = 25
MAX_DEPTH = 8
POPULATION = 500
OPTIMIZER_ITERATIONS = 5

ENGINE_TOLERANCE = 1e-4
"""How far single and double precision may differ, relative to the larger of value and typical value."""

COMPARED_ROWS = 200
KEPT_INDIVIDUALS = 200

_NAMES = {"+": "add", "-": "sub", "*": "mul", "/": "div"}
_REDUCED = frozenset({"add", "sub", "mul", "div"})


def require_engine() -> None:
    """Import pyoperon (MissingLibraryError without it)."""
    _module("pyoperon")
    _module("pyoperon.sklearn")


def find_expressions(X: Floats, y: Floats, *, symbols: str, evaluations: int, seed: int) -> list[Expression]:
    """Pareto front of length against error, and part of the final population, for y (n,) over X (n, d).

    Values of both should be of magnitude about 1.

    The same arguments give the same list: one thread, a budget counted in evaluations and never in
    seconds. Trees whose values in single and double precision differ visibly are left out.
    """
    regressor = _module("pyoperon.sklearn").SymbolicRegressor(
        allowed_symbols=symbols,
        objectives=["rmse", "length"],
        optimizer_iterations=OPTIMIZER_ITERATIONS,
        max_length=MAX_LENGTH,
        max_depth=MAX_DEPTH,
        population_size=POPULATION,
        generations=evaluations,
        max_evaluations=evaluations,
        tournament_size=3,
        epsilon=0.0,
        n_threads=1,
        random_state=seed,
    )
    single = np.asfortranarray(X.astype(np.float32))
    regressor.fit(single, y.astype(np.float32))
    columns = {key: int(name[1:]) - 1 for key, name in regressor.variables_.items()}
    trees = [entry["tree"] for entry in regressor.pareto_front_]
    trees += [individual.Genotype for individual in regressor.individuals_[:KEPT_INDIVIDUALS]]
    compared = single[:COMPARED_ROWS].astype(np.float64)
    found: dict[Expression, None] = {}
    for tree in trees:
        try:
            expression = expression_of(tree, columns)
        except UnusableExpressionError:
            continue
        if expression in found:
            continue
        engine = _evaluated(tree, compared)
        if agree(evaluate(expression, compared), engine, ENGINE_TOLERANCE):
            found[expression] = None
    return list(found)


def expression_of(tree: Any, columns: dict[int, int]) -> Expression:
    """An engine tree as an expression; `columns` gives the column number of a variable's hash.

    Nodes stand in postfix order and the operand pushed last is the first one. Every node carries a
    weight, functions too. Node *names* are read and not their types: pyoperon 0.6.2 has the types
    Fmin and Fmax interchanged.
    """
    stack: list[Expression] = []
    for node in tree.Nodes:
        part: Expression
        if node.IsConstant:
            part = Constant(float(node.Value))
        elif node.IsVariable:
            part = _weighted(float(node.Value), Input(columns[node.HashValue]))
        else:
            operands = tuple(stack.pop() for _ in range(node.Arity))
            part = _weighted(float(node.Value), _applied(_NAMES.get(node.Name, node.Name), operands))
        stack.append(part)
    (root,) = stack
    return root


def engine_values(expression: Expression, X: Floats) -> Floats:
    """Values of an expression computed by the engine itself, in single precision."""
    return _evaluated(expression, X)


def agree(first: Floats, second: Floats, tolerance: float) -> bool:
    """Whether two finite arrays differ by at most `tolerance` of the larger of value and typical value (RMS)."""
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        return False
    with np.errstate(over="ignore"):
        size = np.maximum(np.abs(second), np.sqrt(np.mean(np.square(second))))
    return bool((np.abs(first - second) <= tolerance * size).all())


def unit_scales(X: Floats) -> npt.NDArray[np.float64]:
    """Powers of two of about the typical size of each column, shape (d,): dividing by them is exact."""
    typical = np.median(np.abs(X), axis=0)
    largest = np.max(np.abs(X), axis=0)
    size = np.where(typical > 0, typical, np.where(largest > 0, largest, 1.0))
    scales: npt.NDArray[np.float64] = np.exp2(np.round(np.log2(size)))
    return scales


def _applied(name: str, operands: tuple[Expression, ...]) -> Expression:
    if name not in OPERATIONS:
        raise UnusableExpressionError(f"the engine's function {name!r} is not known here")
    if name in _REDUCED and len(operands) == 1:  # a lone operand: -x, 1/x, and x itself
        lone = {"sub": "neg", "div": "inverse"}.get(name)
        return Call(lone, operands) if lone else operands[0]
    if name in _REDUCED:
        return reduce(lambda first, second: Call(name, (first, second)), operands)
    return Call(name, operands)


def _weighted(weight: float, part: Expression) -> Expression:
    return part if weight == 1 else Call("mul", (Constant(weight), part))


def _evaluated(tree: Any, X: Floats) -> Floats:
    """Values of an engine tree or an expression."""
    op = _module("pyoperon")
    held = np.asfortranarray(X.astype(np.float32))  # a Dataset is a view: its array must outlive the evaluation
    dataset = op.Dataset(held)
    if isinstance(tree, Constant | Input | Call):
        hashes = {variable.Index: variable.Hash for variable in dataset.Variables}
        tree = op.Tree(_nodes(op, tree, hashes)).UpdateNodes()
    values = op.Evaluate(op.DispatchTable(), tree, dataset, op.Range(0, dataset.Rows))
    return np.array(values, dtype=np.float64).reshape(-1)


def _nodes(op: Any, expression: Expression, hashes: dict[int, int]) -> list[Any]:
    match expression:
        case Constant(value):
            return [op.Node.Constant(value)]
        case Input(index):
            variable = op.Node(op.NodeType.Variable)
            variable.HashValue = hashes[index]
            variable.Value = 1.0
            return [variable]
        case Call(name, arguments):
            lone = {"neg": "sub", "inverse": "div"}.get(name)
            node = op.Node(_types()[lone or name])
            node.Arity = len(arguments)
            return [*(part for argument in reversed(arguments) for part in _nodes(op, argument, hashes)), node]


@cache
def _types() -> dict[str, Any]:
    """Node type of every function by the name its nodes report."""
    op = _module("pyoperon")
    plain = [getattr(op.NodeType, name) for name in dir(op.NodeType) if name[0].isupper()]
    named = {op.Node(kind).Name: kind for kind in plain if kind not in (op.NodeType.Constant, op.NodeType.Variable)}
    return {_NAMES.get(name, name): kind for name, kind in named.items()}


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingLibraryError(
            "baseline 'symbolic-regression'", "the library pyoperon", str(error),
            "Install it with: pip install 'scilaws-bench[baselines]'",
        ) from None  # fmt: skip
