"""Check one problem folder while writing it: `python -m scilaws_builders.scilaws.check FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from scilaws_bench.errors import ScilawsError
from scilaws_bench.sandbox import InProcess
from scilaws_bench.scoring import NumericGold, anchors_of
from scilaws_builders.scilaws.fits import fit_all, read_lock
from scilaws_builders.scilaws.items import make_items
from scilaws_builders.scilaws.problem import load_problem
from scilaws_builders.scilaws.reproduction import reproduce
from scilaws_builders.scilaws.rules import Case, broken_rules
from scilaws_builders.scilaws.splits import split_records
from scilaws_builders.sources import default_cache, open_source


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--mirror", type=click.Path(path_type=Path, exists=True, file_okay=False), help="Folder of pinned files.")
def main(folder: Path, mirror: Path | None) -> None:
    """Build the records of FOLDER, run every law, print metrics and broken rules."""
    try:
        problem = load_problem(folder)
        source = open_source(problem.spec["source"], cache=default_cache(), mirror=mirror)
        split = split_records(problem, problem.records(source))
        fits = fit_all(problem, split.train)
        items = make_items(problem, split, read_lock() | {problem.id: fits})
        gold = NumericGold.from_json(items.gold, items.task)
        evaluate = InProcess()
        anchors = anchors_of(gold, evaluate)
    except ScilawsError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(1)
    task = items.task
    train, scored = task["records"], task["scored"]
    click.echo(f"{task['task_id']}: {task['structure']}, {train['rows']} training rows in {train['groups']} groups")
    click.echo(f"  {scored['rows']} scored and {scored['fit_rows']} fit rows in {scored['groups']} held-out groups")
    for name, values in fits.items():
        click.echo(f"  fitted {name}: {values}")
    for name, value in anchors.by_reference.items():
        click.echo(f"  {task['metric']} of {name}: {value:.10g}{'  <- best' if name == anchors.best else ''}")
    click.echo(f"  naive, mean over groups: {sum(anchors.naive) / len(anchors.naive):.10g}")
    click.echo(f"  effectively perfect groups: {sum(anchors.excluded)} of {len(anchors.excluded)}")
    if problem.spec["reproduction"]:
        click.echo(f"  reproduction: {reproduce(problem.spec['reproduction'], gold, evaluate)}")
    faults = broken_rules(Case(problem, split, gold, anchors, evaluate))
    for fault in faults:
        click.echo(f"  broken: {fault}")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
