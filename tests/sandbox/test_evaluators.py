"""What every evaluator does with a law, isolated or not: InProcess is the oracle, the sandbox must agree."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest

from scilaws_bench.sandbox import Evaluator, Limits

X = np.arange(10.0).reshape(5, 2)
THETAS = np.array([[2.0, 1.0], [0.5, -1.0], [np.pi, 1e-300]])
LIMITS = Limits(wall_seconds=20.0)

LINEAR = """
import numpy as np
USED_INPUTS = ["length  (m)", "Δt"]
LAW_CONSTANTS = {"slope": 2.0}
OTHER_CONSTANTS = {"g": 9.81}
LOCAL_FITTABLE = {"offset": {"init": None}, "scale": {"init": [1, 2.5]}}
def predict(X, slope, offset=0.0, *rest, **others):
    return slope * X[:, 0] + offset * X[:, 1]
def fit(X, y, slope):
    return {"offset": np.float32(0.5), "scale": len(y)}
"""


def law(body: str) -> str:
    return f"import numpy as np\ndef predict(X):\n{textwrap.indent(body, '    ')}\n"


class TestPredict:
    def test_a_block_of_constants_is_the_stack_of_single_calls(self, evaluator: Evaluator) -> None:
        result = evaluator.predict(LINEAR, X, ["slope", "offset"], THETAS, limits=LIMITS)
        assert result.status == "ok", result.error
        assert result.values is not None
        expected = np.stack([slope * X[:, 0] + offset * X[:, 1] for slope, offset in THETAS])
        np.testing.assert_array_equal(result.values["values"], expected)
        assert result.values["values"].dtype == np.float64
        assert result.values["selected"] == []
        assert result.error == ""
        assert result.level == evaluator.level

    def test_selections_use_the_first_constants(self, evaluator: Evaluator) -> None:
        selections = [np.array([4, 0]), np.array([], dtype=int), np.array([1, 1, 1])]
        result = evaluator.predict(LINEAR, X, ["slope", "offset"], THETAS, selections, LIMITS)
        assert result.ok, result.error
        assert result.values is not None
        whole = result.values["values"][0]
        for rows, found in zip(selections, result.values["selected"], strict=True):
            np.testing.assert_array_equal(found, whole[rows])

    @pytest.mark.parametrize(
        ("body", "expected"),
        [
            ("return [1.5] * len(X)", [1.5] * 5),
            ("return tuple(range(5))", range(5)),
            ("return np.arange(5, dtype=np.int8)", range(5)),
            ("return np.ones(5, dtype=bool)", [1] * 5),
            ("return np.float32(0.1) * np.ones(5, np.float32)", [float(np.float32(0.1))] * 5),
            ("import pandas as pd\nreturn pd.Series(X[:, 0])", X[:, 0]),
            ("return np.array([np.nan, np.inf, -np.inf, 0.0, -0.0])", [np.nan, np.inf, -np.inf, 0.0, -0.0]),
            ("return X[::-1, 1]", X[::-1, 1]),
        ],
    )
    def test_what_counts_as_an_array(self, evaluator: Evaluator, body: str, expected: list[float]) -> None:
        result = evaluator.predict(law(body), X, [], np.empty((1, 0)), limits=LIMITS)
        assert result.ok, result.error
        assert result.values is not None
        np.testing.assert_array_equal(result.values["values"], [list(expected)])

    @pytest.mark.parametrize(
        ("body", "message"),
        [
            ("return 1.0", "predict returned shape (), expected (5,)"),
            ("return X[:, :1]", "predict returned shape (5, 1), expected (5,)"),
            ("return X[:, 0][None]", "predict returned shape (1, 5), expected (5,)"),
            ("return X[1:, 0]", "predict returned shape (4,), expected (5,)"),
            ("return np.zeros(6)", "predict returned shape (6,), expected (5,)"),
            ("return X[:, 0] + 0j", "predict returned dtype complex128, expected real numbers"),
            ("return X[:, 0].astype(object)", "predict returned dtype object, expected real numbers"),
            ("return np.array(['1'] * 5)", "predict returned dtype <U1, expected real numbers"),
            ("return None", "predict returned <NoneType>, expected (5,) real numbers"),
            ("return {'y': X}", "predict returned <dict>, expected (5,) real numbers"),
            ("X[0, 0] += 1\nreturn X[:, 0]", "predict changed its input X"),
            ("X.shape = (2, 5)\nreturn np.zeros(5)", "predict changed its input X"),
        ],
    )
    def test_a_breach_of_the_contract_is_named(self, evaluator: Evaluator, body: str, message: str) -> None:
        source = law(body).replace(
            "import numpy as np", "import numpy as np, warnings; warnings.simplefilter('ignore')"
        )
        result = evaluator.predict(source, X, [], np.empty((1, 0)), limits=LIMITS)
        assert (result.status, result.error) == ("protocol", message)
        assert result.values is None

    def test_a_ragged_list_is_a_breach(self, evaluator: Evaluator) -> None:
        result = evaluator.predict(law("return [[1], [1, 2]]"), X, [], np.empty((1, 0)), limits=LIMITS)
        assert result.status == "protocol"
        assert result.error.startswith("predict returned <list>, expected (5,)")

    def test_a_selection_that_is_changed_is_a_breach(self, evaluator: Evaluator) -> None:
        source = law("if len(X) == 2:\n    X[:] = 0\nreturn X[:, 0]")
        result = evaluator.predict(source, X, [], np.empty((1, 0)), [np.array([1, 2])], LIMITS)
        assert (result.status, result.error) == ("protocol", "predict changed its input X")

    def test_no_rows_and_no_constants(self, evaluator: Evaluator) -> None:
        result = evaluator.predict(LINEAR, X[:0], ["slope"], np.empty((0, 1)), limits=LIMITS)
        assert result.ok, result.error
        assert result.values is not None
        assert result.values["values"].shape == (0, 0)

    @pytest.mark.parametrize(
        ("source", "message"),
        [
            ("def predict(X):\n    return 1 / 0", "predict, line 2: ZeroDivisionError: division by zero"),
            ("x = 1\nx.y", "import, line 2: AttributeError: 'int' object has no attribute 'y'"),
            (
                "import nothing_of_the_kind",
                "import, line 1: ModuleNotFoundError: No module named 'nothing_of_the_kind'",
            ),
            ("raise SystemExit(0)", "import, line 1: SystemExit: 0"),
            ("def predict(X):\n    raise ValueError('a\\n\\x1b[31mb' + 'c' * 400)", None),
        ],
    )
    def test_what_a_law_raises_is_told_on_one_line(
        self, evaluator: Evaluator, source: str, message: str | None
    ) -> None:
        result = evaluator.predict(source, X, [], np.empty((1, 0)), limits=LIMITS)
        assert result.status == "error"
        assert result.error == message or message is None
        assert result.error.isprintable()
        assert len(result.error) <= 300

    @pytest.mark.parametrize("source", ["def predict(X:\n", "\x00", "\ud800", "nonsense here"])
    def test_text_that_is_no_python(self, evaluator: Evaluator, source: str) -> None:
        result = evaluator.predict(source, X, [], np.empty((1, 0)), limits=LIMITS)
        assert result.status == "error"
        assert result.error.startswith("import")

    def test_no_predict(self, evaluator: Evaluator) -> None:
        result = evaluator.predict("", X, [], np.empty((1, 0)), limits=LIMITS)
        assert (result.status, result.error) == ("protocol", "the law defines no function predict")

    @pytest.mark.parametrize(
        "modules",
        [
            "statistics, fractions, decimal, csv, html.parser, email.mime.text, xml.etree.ElementTree, json, hashlib",
            "scipy.stats, scipy.signal, scipy.interpolate, scipy.ndimage, scipy.spatial, scipy.sparse.linalg",
            "pandas",
            "sklearn.linear_model, sklearn.ensemble, sklearn.gaussian_process",
        ],
    )
    def test_modules_imported_on_demand(self, evaluator: Evaluator, modules: str) -> None:
        for module in modules.split(", "):
            pytest.importorskip(module)
        result = evaluator.predict(f"import {modules}\n{law('return X[:, 0]')}", X, [], np.empty((1, 0)), limits=LIMITS)
        assert result.ok, result.error

    def test_threads_work(self, evaluator: Evaluator) -> None:
        source = law(
            "from concurrent.futures import ThreadPoolExecutor\n"
            "with ThreadPoolExecutor(3) as pool:\n    return list(pool.map(lambda row: row.sum(), X))"
        )
        result = evaluator.predict(source, X, [], np.empty((1, 0)), limits=LIMITS)
        assert result.values is not None, result.error
        np.testing.assert_array_equal(result.values["values"], [X.sum(axis=1)])

    def test_a_dataclass_in_a_law(self, evaluator: Evaluator) -> None:
        source = (
            "from __future__ import annotations\nfrom dataclasses import dataclass\n"
            "@dataclass\nclass P:\n    a: float\ndef predict(X):\n    return P(3.0).a * X[:, 0]\n"
        )
        result = evaluator.predict(source, X, [], np.empty((1, 0)), limits=LIMITS)
        assert result.ok, result.error

    def test_calls_share_no_state(self, evaluator: Evaluator) -> None:
        source = "calls = []\ndef predict(X):\n    calls.append(1)\n    return len(calls) + 0 * X[:, 0]\n"
        for _ in range(2):
            result = evaluator.predict(source, X, [], np.empty((1, 0)), limits=LIMITS)
            assert result.values is not None
            np.testing.assert_array_equal(result.values["values"], np.ones((1, 5)))


class TestArguments:
    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"X": np.zeros(3)}, "X must have 2 dimensions"),
            ({"thetas": np.zeros((1, 3))}, "one column per name"),
            ({"names": ["a", "a"]}, "names must differ"),
            ({"selections": [np.array([5])]}, "row numbers from 0 to 4"),
            ({"selections": [np.array([-1])]}, "row numbers from 0 to 4"),
            ({"selections": [np.array([0])], "thetas": np.zeros((0, 2))}, "thetas is empty"),
        ],
    )
    def test_a_wrong_argument_of_the_host_raises(
        self, evaluator: Evaluator, changes: dict[str, object], message: str
    ) -> None:
        arguments = {"X": X, "names": ["slope", "offset"], "thetas": THETAS} | changes
        with pytest.raises(ValueError, match=message):
            evaluator.predict(LINEAR, **arguments)  # type: ignore[arg-type]

    def test_fit_checks_lengths_and_seed(self, evaluator: Evaluator) -> None:
        with pytest.raises(ValueError, match="same length"):
            evaluator.fit(LINEAR, X, np.zeros(4), {}, 0)
        with pytest.raises(ValueError, match="seed"):
            evaluator.fit(LINEAR, X, np.zeros(5), {}, -1)


class TestFit:
    def test_numpy_scalars_and_integers_become_floats(self, evaluator: Evaluator) -> None:
        result = evaluator.fit(LINEAR, X, X[:, 0], {"slope": 1.0}, 0, LIMITS)
        assert result.values == {"offset": 0.5, "scale": 5.0}
        assert all(type(value) is float for value in result.values.values())

    def test_what_is_no_number_is_named(self, evaluator: Evaluator) -> None:
        source = (
            "import numpy as np\ndef fit(X, y):\n    return {'a': np.nan, 'b': float('-inf'), 'c': np.zeros(1), "
            "'d': '1', 'e': True, 'f': None, 'g': 10 ** 400, 'h': 1j, 3: 1.0, 'i': np.float64(0.1)}\n"
        )
        result = evaluator.fit(source, X, X[:, 0], {}, 0, LIMITS)
        assert result.values == {
            **{"a": "<nan>", "b": "<-inf>", "c": "<ndarray>", "d": "<str>", "e": "<bool>", "f": "<NoneType>"},
            **{"g": "<int>", "h": "<complex>", "<int>": 1.0, "i": 0.1},
        }

    def test_a_fit_that_returns_no_dict(self, evaluator: Evaluator) -> None:
        result = evaluator.fit("def fit(X, y):\n    return [1.0]", X, X[:, 0], {}, 0, LIMITS)
        assert result.status == "protocol"
        assert result.error == "fit returned <list>, expected a dict of constant name to number"

    def test_too_many_constants(self, evaluator: Evaluator) -> None:
        source = "def fit(X, y):\n    return {str(i): 0.1 for i in range(10 ** 5)}"
        result = evaluator.fit(source, X, X[:, 0], {}, 0, LIMITS)
        assert result.status == "protocol"
        assert "bytes of JSON, allowed 65536" in result.error

    def test_the_seed_decides_the_draws(self, evaluator: Evaluator) -> None:
        source = (
            "import random, numpy as np\ndef fit(X, y):\n    return {'a': random.random(), 'b': np.random.normal()}\n"
        )
        first, again, other = (evaluator.fit(source, X, X[:, 0], {}, seed, LIMITS).values for seed in (1, 1, 2))
        assert first == again
        assert first != other

    def test_the_callers_arrays_stay(self, evaluator: Evaluator) -> None:
        mine, target = X.copy(), X[:, 0].copy()
        result = evaluator.fit(
            "def fit(X, y):\n    X[:] = 0; y[:] = 0\n    return {'a': X.sum()}", mine, target, {}, 0, LIMITS
        )
        assert result.values == {"a": 0.0}
        np.testing.assert_array_equal(mine, X)
        np.testing.assert_array_equal(target, X[:, 0])

    def test_scipy_fits_under_the_lock_down(self, evaluator: Evaluator) -> None:
        source = (
            "from scipy.optimize import curve_fit\ndef fit(X, y):\n"
            "    (a, b), _ = curve_fit(lambda x, a, b: a * x + b, X[:, 0], y)\n    return {'a': a, 'b': b}\n"
        )
        result = evaluator.fit(source, X, 3 * X[:, 0] - 1, {}, 0, LIMITS)
        assert result.values is not None, result.error
        assert result.values == pytest.approx({"a": 3.0, "b": -1.0})


class TestDescribe:
    def test_declarations(self, evaluator: Evaluator) -> None:
        assert evaluator.describe(LINEAR, LIMITS).values == {
            "used_inputs": ["length  (m)", "Δt"],
            "law_constants": {"slope": 2.0},
            "other_constants": {"g": 9.81},
            "local_fittable": {"offset": {"init": None}, "scale": {"init": [1, 2.5]}},
            "has_predict": True,
            "has_fit": True,
            "predict_parameters": ["X", "slope", "offset", "*rest", "**others"],
        }

    def test_what_is_missing_or_odd_is_shown(self, evaluator: Evaluator) -> None:
        source = (
            "import numpy as np\nUSED_INPUTS = ('a', np.int64(3), object())\n"
            "LAW_CONSTANTS = {'a': np.float64(2), 'b': np.nan, 'c': np.zeros(2), 1: {'x': {1}}, 'd': 10 ** 5000}\n"
        )
        assert evaluator.describe(source, LIMITS).values == {
            "used_inputs": ["a", 3, "<object>"],
            "law_constants": {"a": 2.0, "b": "<nan>", "c": "<ndarray>", "<int>": {"x": "<set>"}, "d": "<int>"},
            "other_constants": None,
            "local_fittable": None,
            "has_predict": False,
            "has_fit": False,
            "predict_parameters": [],
        }

    def test_a_cycle_ends(self, evaluator: Evaluator) -> None:
        result = evaluator.describe("LAW_CONSTANTS = {}\nLAW_CONSTANTS['self'] = LAW_CONSTANTS", LIMITS)
        assert result.ok, result.error

    def test_declarations_have_a_size(self, evaluator: Evaluator) -> None:
        result = evaluator.describe("USED_INPUTS = ['x' * 1000] * 1000", LIMITS)
        assert result.status == "protocol"
        assert "allowed 262144" in result.error

    def test_control_characters_do_not_come_through(self, evaluator: Evaluator) -> None:
        result = evaluator.describe("USED_INPUTS = ['a\\x1b[2J\\ud800']", LIMITS)
        assert result.values is not None
        assert result.values["used_inputs"] == ["a\ufffd[2J\ufffd"]
