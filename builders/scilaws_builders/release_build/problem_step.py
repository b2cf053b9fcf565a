"""The build step of one SciLaws-Real problem: pinned bytes in, task, gold and training table out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scilaws_bench import strict_json
from scilaws_bench.errors import ProblemError, SourceUnavailableError
from scilaws_bench.sandbox import InProcess
from scilaws_bench.scoring import NumericGold, anchors_of
from scilaws_builders.pipeline.steps import folder_key, stored
from scilaws_builders.scilaws.fits import read_lock
from scilaws_builders.scilaws.items import make_items
from scilaws_builders.scilaws.problem import Problem
from scilaws_builders.scilaws.reproduction import reproduce
from scilaws_builders.scilaws.rules import Case, broken_rules
from scilaws_builders.scilaws.splits import split_records
from scilaws_builders.sources import open_source

TASK, GOLD, TRAIN, CHECKS = "task.json", "gold.json", "train.parquet", "checks.json"


@dataclass(frozen=True)
class Places:
    """Where a build reads and keeps things."""

    sources: Path
    store: Path
    mirror: Path | None
    upstream: Path | None
    offline: bool


@dataclass(frozen=True)
class Built:
    """Outcome for one problem: the folder of its files, or why it was not built.

    `reason` stands in the manifest and so is the same on every machine; `detail` says more to the
    person who builds.
    """

    problem_id: str
    folder: Path | None
    reason: str
    detail: str = ""


def build_problem(problem: Problem, places: Places) -> Built:
    """Build one problem, or say why its source can't be reached.

    Raises:
        ProblemError: a problem that breaks a rule; unlike an unreachable source that is a fault of
            the package and stops the build.
        SourceIntegrityError: bytes that are not the pinned ones.
    """
    inputs: dict[str, Any] = {"problem": folder_key(problem.folder), "fits": read_lock().get(problem.id, {})}
    pinned = problem.spec["source"]["kind"] != "upstream"
    if not pinned and places.upstream is not None:
        inputs["upstream"] = folder_key(places.upstream / problem.spec["source"]["problem"])
    try:
        folder = stored(places.store, problem.id, inputs, lambda work: _produce(problem, places, work))
    except SourceUnavailableError as error:
        return Built(problem.id, None, f"source not reachable: {_source_name(problem.spec['source'])}", str(error))
    return Built(problem.id, folder, "")


def _produce(problem: Problem, places: Places, work: Path) -> None:
    import pyarrow.parquet as pq

    source = open_source(
        problem.spec["source"],
        cache=places.sources,
        mirror=places.mirror,
        upstream=places.upstream,
        offline=places.offline,
    )
    split = split_records(problem, problem.records(source))
    items = make_items(problem, split, read_lock())
    gold = NumericGold.from_json(items.gold, items.task)
    evaluate = InProcess()  # our own reference laws, reviewed like the rest of the package
    anchors = anchors_of(gold, evaluate)
    faults = broken_rules(Case(problem, split, gold, anchors, evaluate))
    if faults:
        raise ProblemError(f"problem {problem.id}", "every rule of a release kept", "; ".join(faults))
    expected = problem.spec["reproduction"]
    checks = {"reproduction": reproduce(expected, gold, evaluate) if expected else None}
    pq.write_table(items.train, work / TRAIN)
    strict_json.write(work / GOLD, items.gold)
    strict_json.write(work / CHECKS, checks)
    strict_json.write(work / TASK, items.task)


def _source_name(source: dict[str, Any]) -> str:
    if source["kind"] == "pypi":
        return f"package {source['distribution']} {source['version']}"
    if source["kind"] == "url":
        return ", ".join(file["url"] for file in source["files"])
    return f"problem {source['problem']} of the published dataset"


def read_json(folder: Path, name: str) -> dict[str, Any]:
    """One JSON file of a built problem."""
    value: dict[str, Any] = strict_json.read(folder / name)
    return value
