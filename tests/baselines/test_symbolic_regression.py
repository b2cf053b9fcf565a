"""Symbolic regression on made-up records: recovery, determinism, groups, missing values, the contract."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from made_records import made_inputs, made_task

from scilaws_bench.baselines import _engine
from scilaws_bench.baselines._expressions import evaluate
from scilaws_bench.baselines.symbolic_regression import evaluations_in, find_law
from scilaws_bench.errors import MissingLibraryError, ReleaseError, ScilawsError
from scilaws_bench.laws import Contract, LawRun, Rows, Unit, run_law
from scilaws_bench.sandbox import InProcess, Limits

pytest.importorskip("pyoperon", reason="not run: needs pip install 'scilaws-bench[baselines]'")

EVALUATIONS = 40_000


def _run(source: str, task: dict[str, Any], frame: pd.DataFrame, fit_share: float = 1.0) -> LawRun:
    """The law on a table; of each group the first share of the rows is the fit window, all are scored."""
    names = tuple(column["name"] for column in task["inputs"])
    multi = task["structure"] == "multi"
    units = []
    for number, part in frame.groupby("group_id") if multi else [(0, frame)]:
        known = part.iloc[: round(fit_share * len(part))]
        windows = [
            Rows({name: rows[name].to_numpy() for name in names}, rows["target"].to_numpy()) for rows in (known, part)
        ]
        units.append(Unit(int(number), windows[0] if multi else None, windows[1]))
    caps = task["caps"]
    contract = Contract(names, multi, caps["law_constants"], caps["local_params"], caps["init_size"])
    return run_law(source, tuple(units), contract, InProcess(), seed=0, limits=Limits())


def _predictions(source: str, task: dict[str, Any], frame: pd.DataFrame, fit_share: float = 1.0) -> np.ndarray:  # type: ignore[type-arg]
    run = _run(source, task, frame, fit_share)
    assert run.failure is None, run.reason
    assert [group.reason for group in run.groups] == [""] * len(run.groups)
    return np.concatenate([group.predictions for group in run.groups if group.predictions is not None])


def _declared(source: str) -> dict[str, Any]:
    scope: dict[str, Any] = {}
    exec(source, scope)
    return scope


RANGES = {"x": (0.5, 3.0), "z": (1.0, 4.0)}
LAWS = {
    "growth with an offset": lambda x, z: 3.0 * np.exp(-0.7 * x) + 1.5,
    "power law": lambda x, z: 2.5 * x**1.3,
    "quotient": lambda x, z: 4.0 * x / (z + 0.8),
}


@pytest.mark.parametrize("law", LAWS)
def test_a_law_without_noise_is_recovered(law: str) -> None:
    task = made_task(RANGES)
    frame = made_inputs(RANGES, 150)
    frame["target"] = LAWS[law](frame["x"], frame["z"])
    source = find_law(frame, task, evaluations=4 * EVALUATIONS)
    wider = made_inputs({name: (low / 2, high * 2) for name, (low, high) in RANGES.items()}, 200)
    wider["target"] = LAWS[law](wider["x"], wider["z"])
    np.testing.assert_allclose(_predictions(source, task, wider), wider["target"], rtol=1e-7)
    assert len(_declared(source)["LAW_CONSTANTS"]) <= 3
    assert _run(source, task, frame).flags == ()


def test_the_same_arguments_give_the_same_law_and_the_seed_matters() -> None:
    task = made_task(RANGES)
    frame = made_inputs(RANGES, 80)
    noise = np.random.default_rng(3).normal(0, 0.3, 80)
    frame["target"] = np.tanh(frame["x"]) * np.sqrt(frame["z"]) + noise
    laws = [find_law(frame, task, seed=seed, evaluations=6000) for seed in (0, 0, 1, 2)]
    assert laws[0] == laws[1]
    assert len(set(laws)) > 1


def test_the_budget_is_counted_in_evaluations_not_on_a_clock() -> None:
    assert evaluations_in(30, 500) > 10 * evaluations_in(2, 500)
    assert evaluations_in(30, 2000) < evaluations_in(30, 100)
    assert evaluations_in(30, 2000) == evaluations_in(30, 10**6)


def test_engine_trees_are_read_as_the_engine_evaluates_them() -> None:
    X = np.random.default_rng(5).uniform(0.5, 2.0, (200, 2))
    y = X[:, 0] / (1 + X[:, 1]) - np.log(X[:, 1])
    found = _engine.find_expressions(X, y, symbols=_engine.SYMBOLS, evaluations=5000, seed=1)
    assert len(found) > 20
    single = X.astype(np.float32).astype(np.float64)
    for expression in found:
        assert _engine.agree(evaluate(expression, single), _engine.engine_values(expression, X), 1e-4)
    assert found == _engine.find_expressions(X, y, symbols=_engine.SYMBOLS, evaluations=5000, seed=1)


def _grouped(groups: int, offset: float, scale: float) -> pd.DataFrame:
    """exp(-0.8 t) with an offset and a scale that spread over groups by the given amounts."""
    time = np.linspace(0.0, 4.0, 20)
    parts = [
        pd.DataFrame(
            {
                "group_id": group,
                "t": time,
                "target": 1 + offset * np.sin(group) + (2 + scale * np.cos(group)) * np.exp(-0.8 * time),
            }
        )
        for group in range(groups)
    ]
    return pd.concat(parts, ignore_index=True)


@pytest.mark.parametrize(("allowed", "expected"), [(4, {"offset", "scale"}), (2, {"offset", "scale"}), (1, {"offset"})])
def test_groups_share_the_form_and_keep_offset_and_scale(allowed: int, expected: set[str]) -> None:
    frame = _grouped(10, offset=1.0, scale=1.0 if allowed > 1 else 0.0)
    task = made_task({"t": (0.0, 4.0)}, local_params=allowed, law_constants=1, scored={"t": (2.0, 4.0)})
    source = find_law(frame, task, evaluations=EVALUATIONS)
    assert set(_declared(source)["LOCAL_FITTABLE"]) == expected
    np.testing.assert_allclose(_predictions(source, task, frame, fit_share=0.5), frame["target"], rtol=1e-6)
    run = _run(source, task, frame)
    assert not [flag for flag in run.flags if flag.startswith(("cap:local", "cap:init", "seed", "unused"))]


def test_no_local_parameters_where_none_are_allowed() -> None:
    frame = _grouped(6, offset=0.1, scale=0.0)
    task = made_task({"t": (0.0, 4.0)}, local_params=0, law_constants=3)
    source = find_law(frame, task, evaluations=EVALUATIONS)
    assert _declared(source)["LOCAL_FITTABLE"] == {}
    error = np.sqrt(np.mean((_predictions(source, task, frame) - frame["target"]) ** 2))
    assert error < 0.12 < 0.3 * frame["target"].std()


@pytest.mark.parametrize("allowed", [1, 2])
def test_fit_stays_finite_on_windows_that_tell_nothing(allowed: int) -> None:
    frame = _grouped(8, offset=1.0, scale=1.0)
    task = made_task({"t": (0.0, 4.0)}, local_params=allowed, law_constants=1)
    source = find_law(frame, task, evaluations=6000)
    law = _declared(source)
    known = law["LAW_CONSTANTS"]
    for rows in (0, 1, 5):
        fitted = law["fit"](np.full((rows, 1), 2.0), np.full(rows, 3.0), **known)
        assert set(fitted) == set(law["LOCAL_FITTABLE"])
        assert all(isinstance(value, float) and np.isfinite(value) for value in fitted.values())
        if rows:
            np.testing.assert_allclose(law["predict"](np.full((3, 1), 2.0), **known, **fitted), 3.0)


def test_columns_that_may_be_missing_are_left_alone() -> None:
    task = made_task(RANGES, missing={"z": "pass"})
    frame = made_inputs(RANGES, 60)
    frame["target"] = 2.0 * frame["x"] + frame["z"]
    frame.loc[::2, "z"] = np.nan
    source = find_law(frame, task, evaluations=4000)
    assert _declared(source)["USED_INPUTS"] == ["x"]
    only_missing = made_task({"z": (1.0, 4.0)}, missing={"z": "pass"})
    constant = find_law(frame, only_missing, evaluations=4000)
    np.testing.assert_allclose(_predictions(constant, only_missing, frame), frame["target"].mean())


@pytest.mark.parametrize("multi", [False, True])
def test_log_mae_is_fitted_in_the_logarithm(multi: bool) -> None:
    ranges = {"x": (1.0, 9.0)}
    task = made_task(ranges, metric="log_mae", local_params=2 if multi else None)
    frame = pd.DataFrame({"x": np.tile(np.linspace(1.0, 9.0, 20), 8), "group_id": np.repeat(np.arange(8), 20)})
    frame["target"] = 10.0 ** (np.sqrt(frame["x"]) * 3 - 4 + (frame["group_id"] if multi else 0))
    source = find_law(frame, task, evaluations=EVALUATIONS // 2)
    assert "10.0 **" in source
    np.testing.assert_allclose(_predictions(source, task, frame), frame["target"], rtol=1e-6)


@pytest.mark.parametrize("name", ["k1", "np", "X", "offset", "lambda"])
def test_input_names_do_not_collide_with_the_laws_own(name: str) -> None:
    task = made_task({name: (1.0, 2.0)})
    frame = made_inputs({name: (1.0, 2.0)}, 50)
    frame["target"] = 3.0 * frame[name] ** 2 + 1
    source = find_law(frame, task, evaluations=3000)
    np.testing.assert_allclose(_predictions(source, task, frame), frame["target"], rtol=0.05)


@pytest.mark.parametrize("rows", [1, 2, 5])
def test_few_rows_and_constant_targets_give_a_law(rows: int) -> None:
    task = made_task(RANGES)
    frame = made_inputs(RANGES, rows)
    for target in (frame["x"], np.full(rows, 4.0)):
        frame["target"] = target
        assert np.isfinite(_predictions(find_law(frame, task, evaluations=2000), task, frame)).all()


def test_records_without_a_finite_row_are_refused() -> None:
    frame = made_inputs(RANGES, 3).assign(target=np.nan)
    with pytest.raises(ReleaseError, match="a row with finite inputs and target"):
        find_law(frame, made_task(RANGES), evaluations=1000)


def test_without_pyoperon_the_remedy_is_named() -> None:
    program = (
        "import sys\n"
        "sys.modules['pyoperon'] = None\n"
        "from scilaws_bench.baselines.symbolic_regression import find_law\n"
        "from scilaws_bench.errors import ScilawsError\n"
        "try:\n    find_law(None, {})\n"
        "except ScilawsError as error:\n    print(isinstance(error, ImportError), error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("True baseline 'symbolic-regression'")
    assert "pip install 'scilaws-bench[baselines]'" in done.stdout
    assert issubclass(MissingLibraryError, ScilawsError)
