"""`scilaws-bench task list | show`."""

from __future__ import annotations

from pathlib import Path

import click

from scilaws_bench.cli.common import as_json, default_release, emit, failing, release_option


@click.group("task")
def group() -> None:
    """Look at the tasks of a release."""


@group.command("list")
@release_option
@as_json
@failing
def list_tasks(release_path: Path | None, json_output: bool) -> None:
    """List the tasks of a release."""
    from scilaws_bench.release import open_release

    tasks = open_release(release_path or default_release()).tasks
    lines = [
        f"{task_id:48} {task['structure']:7} {task['metric']:8} {task['discipline']}" for task_id, task in tasks.items()
    ]
    emit(list(tasks.values()), lines, json_output)


@group.command("show")
@click.argument("task_id")
@release_option
@as_json
@failing
def show(task_id: str, release_path: Path | None, json_output: bool) -> None:
    """Show one task as a solver sees it."""
    from scilaws_bench.release import open_release

    task = open_release(release_path or default_release()).task(task_id)
    target = task["target"]
    lines = [
        f"{task_id}: {task['title']} ({task['discipline']}, {task['structure']}-group)",
        "",
        *task["context"].splitlines(),
        "",
        f"target  {target['name']} [{target['unit']}]: {target['meaning']} ({task['value_kind']})",
        *(
            f"input   {column['name']} [{column['unit']}]: {column['meaning']}; training "
            f"{column['train_range'][0]:g} to {column['train_range'][1]:g}, held out "
            f"{column['scored_range'][0]:g} to {column['scored_range'][1]:g}"
            for column in task["inputs"]
        ),
        *([f"group   {task['group']['name']}: {task['group']['meaning']}"] if task["group"] else []),
        *(
            f"prior   {prior['name']} = {prior['value']:g} {prior['unit']}: {prior['meaning']}"
            for prior in task["priors"]
        ),
        f"metric  {task['metric']}; split: {task['split']['kind']}. {task['split']['why']}",
        f"records {task['records']['rows']:,} in configuration {task['records']['config']}, "
        f"{task['scored']['rows']:,} held out and scored",
        f"licence {task['licence']['spdx']} ({task['licence']['holder']})",
    ]
    emit(task, lines, json_output)
