"""`law check`, `law fit`, `law score`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from cli_harness import Done, run

from bundle_kit import GOOD, OTHER
from scilaws_bench.baselines import baseline_laws
from scilaws_bench.release import Release

RESONANCE = """
import numpy as np
from scipy.optimize import least_squares
USED_INPUTS = ["wavelength_um"]
LAW_CONSTANTS = {}
OTHER_CONSTANTS = {}
LOCAL_FITTABLE = {"A": {"init": 1.0}, "B": {"init": 1.0}, "C": {"init": 0.02}}
def predict(X, A, B, C):
    square = X[:, 0] ** 2
    return np.sqrt(np.maximum(A + B * square / (square - C), 0.01))
def fit(X, y):
    start, bounds = [1.0, 1.0, 0.02], ([0.0, 0.0, 0.0], [20.0, 20.0, 0.1])
    best = least_squares(lambda p: predict(X, *p) - y, start, bounds=bounds)
    return dict(zip("ABC", best.x))
"""
HALF_BROKEN = RESONANCE.replace('return dict(zip("ABC", best.x))', 'return {"A": 1.0, "B": float("nan"), "C": 0.0}')


@pytest.fixture
def law(tmp_path: Path, small_release: Release) -> Callable[..., Done]:
    """Run a verb of `law` on a source text."""

    def on(verb: str, source: str | bytes, task: str, *options: object) -> Done:
        file = tmp_path / "law.py"
        file.write_bytes(source if isinstance(source, bytes) else source.encode())
        return run("law", verb, file, "--task", task, "--release", small_release.path, *options)

    return on


def test_a_good_law_is_checked_fitted_and_scored(law: Callable[..., Done]) -> None:
    checked = law("check", RESONANCE, OTHER)
    assert checked.code == 0
    assert checked.out.startswith("the law keeps the contract on 201 training records in ")
    fitted = law("fit", RESONANCE, OTHER)
    assert fitted.code == 0
    assert all("rmse " in line and " A = " in line for line in fitted.out.splitlines())
    verdict = law("score", RESONANCE, OTHER, "--json")
    assert verdict.code == 0
    assert 0 < verdict.document["score"] < 1


def test_fit_reports_every_training_group_in_json(law: Callable[..., Done], small_release: Release) -> None:
    groups = law("fit", RESONANCE, OTHER, "--json").document["groups"]
    numbers = set(small_release.records("optical-dispersion")["group_id"])
    assert {group["group"] for group in groups} == numbers
    assert all(set(group["parameters"]) == {"A", "B", "C"} for group in groups)


def test_a_single_group_law_speaks_of_records_not_groups(law: Callable[..., Done], small_release: Release) -> None:
    naive = baseline_laws("naive", small_release)[GOOD]
    assert law("fit", naive, GOOD).out.startswith("all records: rmse ")
    scored = law("score", naive, GOOD).out
    assert scored.startswith(f"{GOOD}: score 0.348933\nrmse ")
    assert "best published law" in scored


@pytest.mark.parametrize("verb", ["check", "fit", "score"])
@pytest.mark.parametrize(
    ("source", "text"),
    [("F = m a", "not a Python module"), ("x = 1", "predict"), (b"\xff", "UTF-8")],
    ids=["prose", "no predict", "not UTF-8"],
)
def test_a_broken_law_exits_with_1_and_a_reason(verb: str, source: str, text: str, law: Callable[..., Done]) -> None:
    done = law(verb, source, GOOD, "--json")
    assert done.code == 1
    assert text in str(done.document)


@pytest.mark.parametrize("verb", ["check", "fit"])
def test_groups_that_fail_are_named(verb: str, law: Callable[..., Done]) -> None:
    done = law(verb, HALF_BROKEN, OTHER)
    assert done.code == 1
    assert "fault" in done.out
    assert "'B'" in done.out


def test_flags_are_shown_beside_the_result(law: Callable[..., Done]) -> None:
    done = law("check", "import os\n" + RESONANCE, OTHER)
    assert done.code == 0
    assert "flag: import:os" in done.out
    assert "the law keeps the contract" in done.out


def test_an_unknown_task_is_an_error(law: Callable[..., Done]) -> None:
    for verb in ("check", "fit", "score"):
        assert law(verb, RESONANCE, "scilaws_real/unheard-of").code == 1
