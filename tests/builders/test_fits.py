"""Fitted constants: found again from the rows, kept in a lock whose edits are noticed (pitfalls 80 to 84)."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from small_problems import CURVE, SLOPE, SmallProblem

from scilaws_bench import strict_json
from scilaws_bench.errors import ProblemError
from scilaws_bench.hashing import json_hash
from scilaws_builders.release_build import check as check_module
from scilaws_builders.release_build.check import check_refit
from scilaws_builders.release_build.problem_step import Places
from scilaws_builders.scilaws.fits import (
    FITS_LOCK,
    fit_all,
    fit_constants,
    read_lock,
    released_source,
    with_constants,
    write_lock,
)
from scilaws_builders.scilaws.problem import Problem, all_problems
from scilaws_builders.scilaws.splits import split_records


def _fitted(single: SmallProblem, names: list[str], **more: Any) -> Problem:
    def change(spec: dict[str, Any]) -> None:
        spec["references"][1].update(constants="fitted", fitted=names, **more)

    return single.load(change)


def _train(single: SmallProblem, problem: Problem) -> pd.DataFrame:
    return split_records(problem, single.records(problem)).train


def _exact(single: SmallProblem) -> None:
    single.frame["y"] = 3.25 * single.frame["x"] ** 0.75


def test_constants_that_made_the_rows_are_found(single: SmallProblem) -> None:
    _exact(single)
    problem = _fitted(single, ["scale", "exponent"])
    found = fit_constants(problem, "curve_1900", _train(single, problem))
    assert found == pytest.approx({"scale": 3.25, "exponent": 0.75}, rel=1e-9)


def test_constants_not_named_stay_published(single: SmallProblem) -> None:
    single.frame["y"] = 3.25 * single.frame["x"] ** 1.2
    problem = _fitted(single, ["scale"])
    assert fit_constants(problem, "curve_1900", _train(single, problem)) == pytest.approx({"scale": 3.25}, rel=1e-9)


def test_fit_sees_training_rows_only(single: SmallProblem) -> None:
    """Held-out rows follow another law here; a fit that saw them would move."""
    _exact(single)
    single.frame.loc[single.frame["x"] > 25, "y"] = 1e6
    problem = _fitted(single, ["scale", "exponent"])
    assert fit_all(problem, _train(single, problem))["curve_1900"]["exponent"] == pytest.approx(0.75, rel=1e-9)


def test_residual_space_is_the_declared_one(single: SmallProblem) -> None:
    """Of y = 1 and y = 100 a constant is the mean linearly, the geometric mean in logarithms."""
    x = np.arange(1.0, 41.0)
    single.frame = pd.DataFrame({"x": x, "y": np.where(x % 2 == 1, 1.0, 100.0)})
    single.laws["curve_1900"] = CURVE.replace('"exponent": 1.2', '"exponent": 0.0')
    linear = _fitted(single, ["scale"])
    rows = _train(single, linear)
    assert fit_constants(linear, "curve_1900", rows)["scale"] == pytest.approx(rows["y"].mean())
    logs = _fitted(single, ["scale"], fit_space="log10")
    wanted = 10 ** np.log10(rows["y"]).mean()
    assert fit_constants(logs, "curve_1900", rows)["scale"] == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize(
    ("source", "names", "words"),
    [
        (CURVE, ["gain"], "no gain"),
        ("raise OSError('x')\n" + CURVE, ["scale"], "can be imported"),
        (CURVE.replace("scale * X", "1 / (scale - scale) * X"), ["scale"], "predictions on the training rows"),
    ],
)
def test_fit_that_can_not_be_done_says_why(single: SmallProblem, source: str, names: list[str], words: str) -> None:
    single.laws["curve_1900"] = source
    problem = _fitted(single, names)
    with pytest.raises(ProblemError, match=words):
        fit_constants(problem, "curve_1900", _train(single, problem))


def test_fitted_constants_of_a_grouped_problem_are_refused(multi: SmallProblem) -> None:
    def change(spec: dict[str, Any]) -> None:
        spec["references"][1].update(constants="fitted", fitted=["level"])

    problem = multi.load(change)
    with pytest.raises(ProblemError, match="single-group problems only"):
        fit_constants(problem, "local_offset", _train(multi, problem))


def test_with_constants_replaces_the_named_entries_alone() -> None:
    source = CURVE.replace('{"scale": 1.1, "exponent": 1.2}', '{\n    "scale": 1.1,  # why\n    "exponent": 1.2,\n}')
    changed = with_constants(source, {"scale": 0.1 + 0.2})
    spaces: list[dict[str, Any]] = [{}, {}]
    exec(source, spaces[0])
    exec(changed, spaces[1])
    assert spaces[1]["LAW_CONSTANTS"] == {"scale": 0.1 + 0.2, "exponent": 1.2}
    assert changed.startswith(source[: source.index("LAW_CONSTANTS")])
    assert changed.endswith(source[source.index("OTHER_CONSTANTS") :])


@pytest.mark.parametrize(
    "source",
    ["x = 1\n", SLOPE.replace('{"slope": 2.0}', "dict(scale=2.0)"), SLOPE, SLOPE.replace('{"slope": 2.0}', "[1]")],
)
def test_with_constants_refuses_a_module_without_the_entry(source: str) -> None:
    with pytest.raises(ProblemError, match="LAW_CONSTANTS"):
        with_constants(source, {"scale": 1.0})


def test_released_source_holds_the_locked_constants(single: SmallProblem) -> None:
    problem = _fitted(single, ["scale"])
    lock = {problem.id: {"curve_1900": {"scale": 7.5, "exponent": 99.0}}}
    released = released_source(problem, "curve_1900", lock)
    assert "{'scale': 7.5, 'exponent': 1.2}" in released, "only constants declared as fitted are filled in"
    assert released_source(problem, "slope_1900", lock) == SLOPE
    with pytest.raises(ProblemError, match=r"constants scale; found none\. Run .*release fit"):
        released_source(problem, "curve_1900", {})


def test_lock_is_read_as_written(tmp_path: Path) -> None:
    file = tmp_path / "fits.lock"
    assert read_lock(file) == {}
    read_lock.cache_clear()
    write_lock({"b": {"law": {"k": 0.1}}, "a": {}}, file)
    assert read_lock(file) == {"b": {"law": {"k": 0.1}}}
    write_lock({"b": {"law": {"k": 0.2}}}, file)
    assert read_lock(file) == {"b": {"law": {"k": 0.2}}}, "a lock just written is not remembered as it was"


def test_hand_edit_of_the_lock_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "fits.lock"
    write_lock({"b": {"law": {"k": 0.125}}}, file)
    file.write_text(file.read_text().replace("0.125", "0.126"))
    with pytest.raises(ProblemError, match="hand edit"):
        read_lock(file)


def test_committed_lock_holds_exactly_the_fitted_constants() -> None:
    wanted = {
        problem.id: {entry["law"]: set(entry["fitted"]) for entry in problem.spec["references"] if entry["fitted"]}
        for problem in all_problems().values()
    }
    locked = {name: {law: set(values) for law, values in laws.items()} for name, laws in read_lock().items()}
    assert locked == {name: laws for name, laws in wanted.items() if laws}
    document = strict_json.read(FITS_LOCK)
    assert document["hash"] == json_hash(document["fits"])


TREES = "tree-height-diameter"


@pytest.mark.parametrize(("factor", "caught"), [(1.0, False), (1 + 1e-8, False), (1 + 1e-5, True), (-1.0, True)])
def test_refit_catches_a_changed_lock(
    places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, factor: float, caught: bool
) -> None:
    fits = {name: {law: dict(values) for law, values in laws.items()} for name, laws in read_lock().items()}
    fits[TREES]["curtis_1967"]["a"] *= factor
    write_lock(fits, tmp_path / "fits.lock")
    monkeypatch.setattr(check_module, "read_lock", functools.partial(read_lock, tmp_path / "fits.lock"))
    found = [issue.path for issue in check_refit(places, {TREES})]
    assert found == ([f"fits.lock {TREES} curtis_1967 a"] if caught else [])


def test_refit_catches_a_constant_missing_from_the_lock(
    places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_lock({}, tmp_path / "fits.lock")
    monkeypatch.setattr(check_module, "read_lock", functools.partial(read_lock, tmp_path / "fits.lock"))
    issues = check_refit(places, {TREES})
    assert len(issues) == 8
    assert {issue.found for issue in issues} == {"None"}
