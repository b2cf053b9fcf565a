"""`scilaws-bench rescore LOG`: registered by this package, so that the SDK needs no Inspect."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scilaws_bench.cli.common import (
    as_json,
    default_release,
    emit,
    failing,
    isolation_option,
    progress_line,
    release_option,
)

if TYPE_CHECKING:
    from scilaws_bench.sandbox.protocol import LevelChoice


@click.command("rescore")
@click.argument("log", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--output", type=click.Path(path_type=Path), help="Where to write the scorecard.")
@click.option("--epoch", type=click.IntRange(1), default=1, show_default=True, help="Which epoch of the log.")
@release_option
@isolation_option
@as_json
@failing
def rescore(
    log: Path, output: Path | None, epoch: int, release_path: Path | None, isolation: LevelChoice, json_output: bool
) -> None:
    """Score the laws of an Inspect log again and compare with the scores in it."""
    from scilaws_bench import strict_json
    from scilaws_bench.release import open_release
    from scilaws_bench.sandbox import Sandbox
    from scilaws_bench.scoring.records import VERIFIED_WITHIN
    from scilaws_evals.results import logged_scores, open_log, require_release, rescore_log

    opened, release = open_log(log), open_release(release_path or default_release())
    require_release(opened, release)
    with Sandbox(isolation) as sandbox, progress_line("scoring", quiet=json_output) as report:
        scorecard = rescore_log(
            opened,
            release,
            sandbox,
            epoch=epoch,
            progress=lambda verdict, count, total: report(verdict.task_id, count, total),
        )
    if output:
        strict_json.write(output, scorecard)
    rows = _compared(scorecard, logged_scores(opened, epoch), VERIFIED_WITHIN)
    means = scorecard["aggregates"]["scilaws_real"]["numeric_score"]["all"]
    lines = [
        f"{row['task_id']:48} {_shown(row['score'])}  in the log {_shown(row['logged'])}{row['note']}" for row in rows
    ]
    lines.append(f"strict mean {means['strict_mean']:.6f} over {means['tasks']} tasks, {means['scored']} scored")
    emit({"scorecard": scorecard, "compared": rows}, lines, json_output)
    if any(verdict["failure"] == "infrastructure" for verdict in scorecard["verdicts"]):
        raise SystemExit(3)
    if any(row["note"] for row in rows):
        raise SystemExit(1)


def _compared(scorecard: dict[str, Any], logged: dict[str, float | None], within: float) -> list[dict[str, Any]]:
    """One row for every sample of the log; `note` says where the log differs."""
    rows = []
    for verdict in scorecard["verdicts"]:
        task_id, score = verdict["task_id"], verdict["score"]
        if task_id not in logged:
            continue
        stated = logged[task_id]
        same = stated == score if stated is None or score is None else abs(stated - score) <= within
        rows.append({"task_id": task_id, "score": score, "logged": stated, "note": "" if same else "  differs"})
    return rows


def _shown(score: float | None) -> str:
    return "   none  " if score is None else f"{score:.6f}"
