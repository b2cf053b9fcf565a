"""Documents of every kind as the code really writes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from made_mechanisms import braked_mass
from scilaws_bench import strict_json
from scilaws_bench.hashing import json_hash
from scilaws_bench.qualitative import document_of_mechanism, mechanism_from_document
from scilaws_bench.release import Release
from scilaws_bench.release.gold import open_gold
from scilaws_bench.sandbox import InProcess
from scilaws_bench.scoring import NumericGold, score_numeric
from scilaws_bench.submissions import create_submission, load_submission, score_submission
from scilaws_bench.submissions.bundle import claim_scorecard
from scilaws_builders.mechreasoner.catalogue import frozen_folder
from scilaws_builders.mechreasoner.consistency import frozen
from scilaws_builders.mechreasoner.modelica import convert_file
from scilaws_builders.release_build import BuildOptions, build_release
from scilaws_builders.release_build.problem_step import Places
from scilaws_builders.scilaws.problem import all_problems
from scoring_harness import BrokenMachine

MODELICA = Path(__file__).parents[1] / "fixtures" / "modelica"
SMALL_TASKS = ("scilaws_real/bulk-modulus-atomic-volume", "scilaws_real/optical-dispersion")


@pytest.fixture(scope="session")
def emitted(
    demo_release: Release, places: Places, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[dict[str, Any]]]:
    """Documents by schema kind. Reference laws are our own, so they may run in this process."""
    golds = [open_gold(demo_release, task_id) for task_id in demo_release.tasks]
    folder = tmp_path_factory.mktemp("emitted")
    partial = replace(places, mirror=None, offline=True)  # holds the demo problems; others may be out of reach
    manifest = build_release(BuildOptions("public", folder / "release", partial, publishable=True))
    submission, scorecard = _submission(demo_release, folder / "submission")
    return {
        "problem": [problem.spec for problem in all_problems().values()],
        "source": [problem.spec["source"] for problem in all_problems().values()],
        "task": list(demo_release.tasks.values()),
        "gold": golds,
        "law": [dict(InProcess().describe(law["source"]).values or {}) for gold in golds for law in gold["references"]],
        "submission": [submission],
        "verdict": [*scorecard["verdicts"], *_verdicts(golds)],
        "scorecard": [scorecard],
        "manifest": [demo_release.manifest, manifest],
        "mechanism": [document_of_mechanism(mechanism_from_document(braked_mass()))],
        "modelica_instance": [convert_file(MODELICA / "thermal_two_masses.mo").to_document()],
        "observations": [item.document for item in frozen()],
        "catalogue_mechanism": [strict_json.read(path) for path in sorted(frozen_folder().glob("*.json"))],
    }


def _submission(release: Release, folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    laws = {task_id: open_gold(release, task_id)["references"][0]["source"] for task_id in SMALL_TASKS}
    manifest = create_submission(
        folder, release, laws, name="n", created="2026-01-01", records={"log.txt": (b"log", "how it came about")},
        system={"name": "n", "kind": "baseline", "details": ""}, submitter={"name": "n", "contact": ""},
    )  # fmt: skip
    scorecard = score_submission(load_submission(folder), release, InProcess())
    claim_scorecard(folder, scorecard)
    return strict_json.read(manifest), scorecard


def _verdicts(golds: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Of a law that can't be read, of one without predictions, and of a machine that fails."""
    gold = next(gold for gold in golds if gold["task_id"] == SMALL_TASKS[1])
    numeric = NumericGold.from_json(gold)
    assert numeric.gold_hash == json_hash(gold)
    source = gold["references"][0]["source"]
    nan = source.replace("def predict(", "def predict(X, **_):\n    return X[:, 0] * np.nan\ndef other(")
    for law, broken in (("def", ""), (nan, ""), (source, "fit"), (source, "describe")):
        machine = BrokenMachine(InProcess(), lambda method, _, __, broken=broken: method == broken)
        yield score_numeric(law, numeric, machine).to_json()
