"""`scilaws-bench law check | fit | score`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scilaws_bench.cli.common import as_json, default_release, emit, failing, isolation_option, release_option

if TYPE_CHECKING:
    from scilaws_bench.sandbox.protocol import LevelChoice

_file = click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
_task = click.option("--task", "task_id", required=True, help="Task id, as in `task list`.")


@click.group("law")
def group() -> None:
    """Check, fit and score one law module."""


def _train_units(release: Any, task: Any) -> Any:
    """Training groups as units whose fit window and scored rows are the same public rows."""
    import numpy as np

    from scilaws_bench.laws import Rows, Unit

    frame = release.records(task["problem_id"])
    names = [column["name"] for column in task["inputs"]]
    parts = frame.groupby("group_id") if task["group"] else [(0, frame)]
    units = []
    for number, part in parts:
        columns = {name: part[name].to_numpy(dtype=np.float64) for name in names}
        rows = Rows(columns, part[task["target"]["name"]].to_numpy(dtype=np.float64))
        units.append(Unit(int(number), rows if task["group"] else None, rows))
    return tuple(units)


def _run_on_train(file: Path, task_id: str, release_path: Path | None, isolation: LevelChoice) -> Any:
    from scilaws_bench.laws import Contract, read_source, run_law
    from scilaws_bench.release import open_release
    from scilaws_bench.sandbox import Limits, Sandbox

    release = open_release(release_path or default_release())
    task = release.task(task_id)
    caps = task["caps"]
    contract = Contract(
        tuple(column["name"] for column in task["inputs"]),
        task["structure"] == "multi",
        caps["law_constants"],
        caps["local_params"],
        caps["init_size"],
    )
    units = _train_units(release, task)
    with Sandbox(isolation) as sandbox:
        run = run_law(read_source(file), units, contract, sandbox, seed=0, limits=Limits())
    return task, units, run


def _fail_if_broken(run: Any, json_output: bool) -> None:
    if run.failure is not None:
        document = {"ok": False, "faults": [run.reason], "flags": list(run.flags), "groups": 0}
        emit(document, [f"fault: {run.reason}", *_flag_lines(run)], json_output)
        raise SystemExit(3 if run.failure == "infrastructure" else 1)


def _flag_lines(run: Any) -> list[str]:
    return [f"flag: {flag} (a reviewer will look at it; the score stays)" for flag in run.flags]


def _where(task: Any, group: int) -> str:
    return f"group {group}" if task["group"] else "all records"


def _exit_for_groups(run: Any) -> None:
    failures = {group.failure for group in run.groups} - {None}
    if failures:
        raise SystemExit(3 if "infrastructure" in failures else 1)


@group.command("check")
@_file
@_task
@release_option
@isolation_option
@as_json
@failing
def check(file: Path, task_id: str, release_path: Path | None, isolation: LevelChoice, json_output: bool) -> None:
    """Check a law against the contract and run it on the public training records. Needs no gold."""
    task, units, run = _run_on_train(file, task_id, release_path, isolation)
    _fail_if_broken(run, json_output)
    faults = [f"{_where(task, group.group)}: {group.reason}" for group in run.groups if group.failure]
    rows = sum(len(unit.scored.target) for unit in units)
    on = f"{rows:,} training records" + (f" in {len(units)} groups" if task["group"] else "")
    kept = [] if faults else [f"the law keeps the contract on {on}"]
    emit(
        {"ok": not faults, "faults": faults, "flags": list(run.flags), "groups": len(units)},
        [*(f"fault: {fault}" for fault in faults), *_flag_lines(run), *kept],
        json_output,
    )
    _exit_for_groups(run)


@group.command("fit")
@_file
@_task
@release_option
@isolation_option
@as_json
@failing
def fit(file: Path, task_id: str, release_path: Path | None, isolation: LevelChoice, json_output: bool) -> None:
    """Fit a law's local parameters on each public training group and report the fit there. Needs no gold."""
    from scilaws_bench.scoring import METRICS

    task, units, run = _run_on_train(file, task_id, release_path, isolation)
    _fail_if_broken(run, json_output)
    metric = METRICS[task["metric"]]
    rows = []
    for unit, group in zip(units, run.groups, strict=True):
        value = None if group.predictions is None else metric(unit.scored.target, group.predictions, task["epsilon"])
        rows.append(
            {"group": unit.group, task["metric"]: value, "parameters": group.parameters, "reason": group.reason}
        )
    lines = [
        f"{_where(task, row['group'])}: "
        + (
            f"fault: {row['reason']}"
            if row["reason"]
            else ", ".join(
                [
                    f"{task['metric']} {row[task['metric']]:.6g}",
                    *(f"{k} = {v:.6g}" for k, v in row["parameters"].items()),
                ]
            )
        )
        for row in rows
    ]
    emit({"task_id": task_id, "groups": rows}, lines, json_output)
    _exit_for_groups(run)


@group.command("score")
@_file
@_task
@release_option
@isolation_option
@as_json
@failing
def score(file: Path, task_id: str, release_path: Path | None, isolation: LevelChoice, json_output: bool) -> None:
    """Score a law on the held-out records of a task (grader side: opens gold)."""
    from scilaws_bench.laws import read_source
    from scilaws_bench.release import open_release
    from scilaws_bench.release.gold import open_gold
    from scilaws_bench.sandbox import Sandbox
    from scilaws_bench.scoring import NumericGold, score_numeric

    release = open_release(release_path or default_release())
    gold = NumericGold.from_json(open_gold(release, task_id), release.task(task_id))
    source = read_source(file)
    with Sandbox(isolation) as sandbox:
        verdict = score_numeric(source, gold, sandbox)
    lines = [f"{task_id}: " + (f"score {verdict.score:.6f}" if verdict.score is not None else "no score")]
    if verdict.evidence and verdict.evidence.metric_value is not None:
        lines.append(
            f"{verdict.evidence.metric} {verdict.evidence.metric_value:.6g}; "
            f"best published law {verdict.evidence.reference_value:.6g}"
        )
    lines += [f"{verdict.failure or 'note'}: {verdict.reason}"] if verdict.reason else []
    lines += [f"flag: {flag}" for flag in verdict.flags]
    emit(verdict.to_json(), lines, json_output)
    if verdict.failure is not None:
        raise SystemExit(3 if verdict.failure == "infrastructure" else 1)
