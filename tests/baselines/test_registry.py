"""Every baseline answers every task; symbolic regression's laws go through bundle, score and verify."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from scilaws_bench.baselines import BASELINES, baseline_laws
from scilaws_bench.errors import ReleaseError, SubmissionError
from scilaws_bench.laws import Contract, Rows, Unit, run_law
from scilaws_bench.release import Release
from scilaws_bench.sandbox import Limits, Sandbox
from scilaws_bench.scoring import METRICS, Anchors
from scilaws_bench.submissions import create_submission, load_submission, score_submission, verify_submission
from scilaws_bench.submissions.bundle import claim_scorecard

pytest.importorskip("pyoperon", reason="not run: needs pip install 'scilaws-bench[baselines]'")

SECONDS = 0.6


@pytest.fixture(scope="module")
def laws(demo_release: Release) -> dict[str, str]:
    """Laws of symbolic regression for the demo edition, on a small budget."""
    return baseline_laws("symbolic-regression", demo_release, seconds=SECONDS)


def test_every_demo_task_gets_a_law_that_keeps_the_contract_and_beats_naive(
    demo_release: Release, sandbox: Sandbox, laws: dict[str, str]
) -> None:
    assert set(laws) == set(demo_release.tasks)
    for task_id, source in laws.items():
        task = demo_release.task(task_id)
        frame = demo_release.records(task["problem_id"])
        names = tuple(column["name"] for column in task["inputs"])
        units = []
        for number, part in list(frame.groupby("group_id"))[:6] if task["group"] else [(0, frame)]:
            rows = Rows({name: part[name].to_numpy() for name in names}, part[task["target"]["name"]].to_numpy())
            units.append(Unit(int(number), rows if task["group"] else None, rows))
        contract = Contract(names, task["structure"] == "multi")
        run = run_law(source, tuple(units), contract, sandbox, seed=0, limits=Limits())
        assert run.failure is None, run.reason
        assert run.flags == (), task_id
        metric, median = METRICS[task["metric"]], float(np.median(frame[task["target"]["name"]]))
        for unit, group in zip(units, run.groups, strict=True):
            assert group.predictions is not None, f"{task_id}: {group.reason}"
            truth = unit.scored.target
            naive = metric(truth, np.full(len(truth), median), task["epsilon"])
            assert metric.is_better(metric(truth, group.predictions, task["epsilon"]), naive), task_id


def test_its_laws_are_finite_in_the_corners_of_the_scored_ranges(demo_release: Release, laws: dict[str, str]) -> None:
    for task_id, source in laws.items():
        scope: dict[str, object] = {}
        exec(source, scope)
        limits = {column["name"]: column["scored_range"] for column in demo_release.task(task_id)["inputs"]}
        used = scope["USED_INPUTS"]
        corners = np.stack(np.meshgrid(*(np.linspace(*limits[name], 9) for name in used)), axis=-1)  # type: ignore[attr-defined]
        local = {name: entry["init"] for name, entry in scope["LOCAL_FITTABLE"].items()}  # type: ignore[attr-defined]
        X = corners.reshape(-1, len(used))  # type: ignore[arg-type]
        predicted = scope["predict"](X, **scope["LAW_CONSTANTS"], **local)  # type: ignore[operator, dict-item]
        assert np.isfinite(predicted).all(), task_id


@pytest.mark.slow
def test_bundle_score_and_verify(demo_release: Release, sandbox: Sandbox, laws: dict[str, str], tmp_path: Path) -> None:
    create_submission(
        tmp_path / "bundle", demo_release, laws, name="sr", created="2026-01-01",
        system={"name": "symbolic-regression", "kind": "baseline", "details": ""},
        submitter={"name": "tests", "contact": ""},
    )  # fmt: skip
    anchors: dict[str, Anchors] = {}
    scorecard = score_submission(load_submission(tmp_path / "bundle"), demo_release, sandbox, anchors=anchors)
    assert {verdict["failure"] for verdict in scorecard["verdicts"]} == {None}
    assert scorecard["aggregates"]["scilaws_real"]["numeric_score"]["all"]["strict_mean"] > 0.2
    claim_scorecard(tmp_path / "bundle", scorecard)
    result = verify_submission(load_submission(tmp_path / "bundle"), demo_release, sandbox, anchors=anchors)
    assert result.confirmed, [claim for claim in result.claims if claim.status != "confirmed"]


@pytest.mark.parametrize("name", ["naive", "best-published-law"])
def test_single_tasks_and_progress(name: str, demo_release: Release) -> None:
    seen: list[tuple[str, int, int]] = []
    chosen = ["scilaws_real/optical-dispersion", "scilaws_real/tree-height-diameter"]
    laws = baseline_laws(name, demo_release, tasks=chosen, progress=lambda *report: seen.append(report))
    assert list(laws) == chosen
    assert seen == [(chosen[0], 1, 2), (chosen[1], 2, 2)]


def test_unknown_names_are_refused(demo_release: Release) -> None:
    assert list(BASELINES) == ["naive", "best-published-law", "symbolic-regression"]
    with pytest.raises(SubmissionError, match="one of naive, best-published-law, symbolic-regression"):
        baseline_laws("median", demo_release)
    with pytest.raises(ReleaseError, match="scilaws_real/none"):
        baseline_laws("naive", demo_release, tasks=["scilaws_real/none"])


def test_importing_the_baselines_imports_no_engine() -> None:
    program = "import sys, scilaws_bench.baselines; print(sorted({'pyoperon', 'sklearn', 'scipy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
