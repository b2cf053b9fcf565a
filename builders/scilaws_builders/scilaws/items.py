"""Turn a problem and its split into the public task, the training table and the gold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from scilaws_bench import schemas
from scilaws_bench.errors import ProblemError
from scilaws_bench.hashing import json_hash, table_hash
from scilaws_bench.release import records_config
from scilaws_bench.release.sealing import CANARY
from scilaws_builders.scilaws.fits import released_source
from scilaws_builders.scilaws.problem import Problem
from scilaws_builders.scilaws.splits import GROUP_ID, Split

if TYPE_CHECKING:
    import pyarrow as pa

SUITE = "scilaws_real"
FIT_SEED = 20260731
CPU_SECONDS = 10
WALL_SECONDS = 30.0
MEMORY_BYTES = 2 << 30


@dataclass(frozen=True)
class Items:
    """Everything one problem contributes to a release."""

    task: dict[str, Any]
    gold: dict[str, Any]
    train: pa.Table


def make_items(problem: Problem, split: Split, lock: dict[str, Any]) -> Items:
    """The public task, gold and training table of a problem.

    Raises:
        ProblemError: fitted constants that the lock does not hold, or an input without any value.
        SchemaError: a result that breaks its schema (a fault of this program).
    """
    train = _train_table(problem, split)
    task = _task(problem, split, train)
    schemas.require("task", task, where=f"task of {problem.id}")
    gold = _gold(problem, split, task, lock)
    schemas.require("gold", gold, where=f"gold of {problem.id}")
    return Items(task, gold, train)


def _train_table(problem: Problem, split: Split) -> pa.Table:
    import pyarrow as pa

    columns = [GROUP_ID] if problem.spec["group"] else []
    columns += [*problem.inputs, problem.target]
    kinds = {GROUP_ID: pa.int64()}
    arrays = [
        pa.array(split.train[name].to_numpy(), type=kinds.get(name, pa.float64()), from_pandas=True) for name in columns
    ]
    return pa.table(dict(zip(columns, arrays, strict=True)))


def _task(problem: Problem, split: Split, train: pa.Table) -> dict[str, Any]:
    spec = problem.spec
    scored = pd.concat([unit.scored for unit in split.units])
    multi = bool(spec["group"])
    return {
        "schema": "scilaws-bench/task/1",
        "task_id": f"{SUITE}/{problem.id}",
        "suite": SUITE,
        "problem_id": problem.id,
        "title": spec["title"],
        "discipline": spec["discipline"],
        "structure": problem.structure,
        "context": " ".join(spec["context"].split()),
        "value_kind": spec["value_kind"],
        "target": spec["target"],
        "inputs": [
            column
            | {
                "train_range": _range(split.train[column["name"]], problem),
                "scored_range": _range(scored[column["name"]], problem),
            }
            for column in spec["inputs"]
        ],
        "group": spec["group"],
        "metric": spec["metric"],
        "epsilon": spec.get("epsilon"),
        "caps": spec["caps"],
        "priors": spec["priors"],
        "split": {"kind": spec["split"]["kind"], "why": " ".join(spec["split"]["why"].split())},
        "records": {
            "config": records_config(problem.id),
            "rows": len(split.train),
            "groups": len(split.train_labels),
            "content_hash": table_hash(train),
        },
        "scored": {
            "rows": len(scored),
            "groups": len(split.units) if multi else 0,
            "fit_rows": sum(len(unit.fit) for unit in split.units if unit.fit is not None),
        },
        "licence": {key: spec["licence"][key] for key in ("spdx", "holder", "redistribution")},
        "data_citation": spec["data_citation"],
        "canary": CANARY,
    }


def _gold(problem: Problem, split: Split, task: dict[str, Any], lock: dict[str, Any]) -> dict[str, Any]:
    references = [
        {
            "id": entry["law"],
            "source": released_source(problem, entry["law"], lock),
            **{key: entry[key] for key in ("title", "equation", "constants", "fitted", "citation")},
        }
        for entry in problem.spec["references"]
    ]
    return {
        "schema": "scilaws-bench/gold/1",
        "task_id": task["task_id"],
        "suite": SUITE,
        "task_hash": json_hash(task),
        "structure": problem.structure,
        "metric": problem.spec["metric"],
        "epsilon": problem.spec.get("epsilon"),
        "inputs": problem.inputs,
        "train_median": float(np.median(split.train[problem.target])),
        "fit_seed": FIT_SEED,
        "limits": {"cpu_seconds": CPU_SECONDS, "wall_seconds": WALL_SECONDS, "memory_bytes": MEMORY_BYTES},
        "groups": [
            {
                "group": unit.group,
                "label": unit.label,
                "fit": None if unit.fit is None else _window(problem, unit.fit),
                "scored": _window(problem, unit.scored),
            }
            for unit in split.units
        ],
        "references": references,
        "rubric": problem.spec["rubric"],
        "canary": CANARY,
    }


def _window(problem: Problem, frame: pd.DataFrame) -> dict[str, Any]:
    columns = {name: [None if np.isnan(value) else float(value) for value in frame[name]] for name in problem.inputs}
    return {"columns": columns, "target": [float(value) for value in frame[problem.target]]}


def _range(column: pd.Series, problem: Problem) -> list[float]:
    if column.isna().all():
        raise ProblemError(
            f"input {column.name} of {problem.id}", "a value in training and in the scored rows", "none in one of them"
        )
    return [float(column.min()), float(column.max())]
