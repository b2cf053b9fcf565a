"""Published values: each problem that states one gives it on our records (grader pitfalls 40, 41, 42, 69)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from small_problems import SmallProblem

from scilaws_bench.errors import ProblemError
from scilaws_bench.sandbox import InProcess
from scilaws_bench.scoring import NumericGold
from scilaws_builders.release_build.problem_step import Places
from scilaws_builders.scilaws.fits import read_lock
from scilaws_builders.scilaws.items import make_items
from scilaws_builders.scilaws.problem import Problem, all_problems
from scilaws_builders.scilaws.reproduction import reproduce
from scilaws_builders.scilaws.splits import split_records
from scilaws_builders.sources import open_source

PUBLISHED = [problem for problem in all_problems().values() if problem.spec["reproduction"]]


@pytest.mark.parametrize("problem", PUBLISHED, ids=lambda problem: problem.id)
def test_published_value_is_reproduced(problem: Problem, places: Places, request: pytest.FixtureRequest) -> None:
    mirror = request.getfixturevalue("mirror") if problem.spec["source"]["kind"] == "url" else None
    source = open_source(problem.spec["source"], cache=places.sources, mirror=mirror, offline=mirror is not None)
    items = make_items(problem, split_records(problem, problem.records(source)), read_lock())
    stated = problem.spec["reproduction"]
    result = reproduce(stated, NumericGold.from_json(items.gold, items.task), InProcess())
    assert result["measured"] == pytest.approx(stated["published"], abs=stated["tolerance"], rel=0)
    assert result["reproduced"] is True


def test_tolerances_are_tight() -> None:
    """A tolerance that lets another law or split pass proves nothing."""
    for problem in PUBLISHED:
        stated = problem.spec["reproduction"]
        assert stated["tolerance"] <= 5e-3 * abs(stated["published"]), problem.id


def _stated(small: SmallProblem, basis: str, published: float, law: str) -> dict[str, Any]:
    stated = {"law": law, "published": published, "basis": basis, "tolerance": 1e-9, "where": "here"}
    case = small.case(lambda spec: spec.update(reproduction=stated))
    return reproduce(stated, case.gold, case.evaluate)


def test_basis_test_is_the_metric_over_the_test_set(single: SmallProblem) -> None:
    scored = single.frame[single.frame["x"] > 25]
    wanted = float(np.sqrt(np.mean((scored["y"] - 2.0 * scored["x"]) ** 2)))
    result = _stated(single, "test", wanted, "slope_1900")
    assert result["reproduced"] is True
    assert result["id"] == "small-single"
    assert _stated(single, "test", wanted + 1e-8, "slope_1900")["reproduced"] is False


def test_pooled_and_per_group_bases_differ_as_stated(multi: SmallProblem) -> None:
    squares = []
    for site in "bde":
        rows = multi.frame[multi.frame["site"] == site].sort_values("x")
        level = rows["y"].iloc[::2].mean()
        squares.append(((rows["y"].iloc[1::2] - level) ** 2).to_numpy())
    pooled = float(np.sqrt(np.mean(np.concatenate(squares))))
    by_group = float(np.mean([np.sqrt(np.mean(square)) for square in squares]))
    assert abs(pooled - by_group) > 0.1
    assert _stated(multi, "pooled", pooled, "local_offset")["reproduced"] is True
    assert _stated(multi, "per-group-mean", by_group, "local_offset")["reproduced"] is True


def test_law_that_fails_is_an_error_not_a_value(single: SmallProblem) -> None:
    case = single.case()
    stated = {"law": "slope_1900", "published": 1.0, "basis": "test", "tolerance": 1.0, "where": "here"}
    gold = NumericGold.from_json(
        {
            "task_id": case.gold.task_id, "suite": "scilaws_real", "task_hash": "", "structure": "single",
            "metric": "rmse", "epsilon": None, "inputs": ["x"], "train_median": 0.0, "fit_seed": 0,
            "limits": {"cpu_seconds": 5, "wall_seconds": 5.0, "memory_bytes": 1 << 30},
            "groups": [{"group": 0, "fit": None, "scored": {"columns": {"x": [1.0]}, "target": [2.0]}}],
            "references": [{"id": "slope_1900", "source": single.laws["slope_1900"].replace("X[:, 0]", "X")}],
        }
    )  # fmt: skip
    with pytest.raises(ProblemError, match="slope_1900 of scilaws_real/small-single"):
        reproduce(stated, gold, case.evaluate)
