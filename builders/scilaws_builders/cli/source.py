"""`scilaws-bench source list | fetch | check`."""

from __future__ import annotations

from pathlib import Path

import click

from scilaws_bench.cli.common import as_json, emit, failing


@click.group("source")
def group() -> None:
    """Where the real records come from."""


@group.command("list")
@as_json
@failing
def list_sources(json_output: bool) -> None:
    """List the pinned source and licence of every problem."""
    from scilaws_builders.scilaws.problem import all_problems

    rows = [
        {
            "problem": problem.id,
            "kind": problem.spec["source"]["kind"],
            "licence": problem.spec["licence"]["spdx"],
            "redistribution": problem.spec["licence"]["redistribution"],
            "source": problem.spec["source"],
        }
        for problem in all_problems().values()
    ]
    lines = [f"{row['problem']:32} {row['kind']:9} {row['redistribution']:11} {row['licence']}" for row in rows]
    emit(rows, lines, json_output)


def _fetch(names: tuple[str, ...], mirror: Path | None, offline: bool, json_output: bool) -> None:
    from scilaws_bench.errors import ProblemError, ScilawsError, SourceUnavailableError
    from scilaws_builders.scilaws.problem import all_problems
    from scilaws_builders.sources import default_cache, open_source

    problems = all_problems()
    unknown = sorted(set(names) - set(problems))
    if unknown:
        raise ProblemError(
            f"problem {unknown[0]!r}", "one of the package's problems", "none of that id", "See `source list`."
        )
    rows, unreachable = [], 0
    for name in names or problems:
        try:
            source = open_source(problems[name].spec["source"], cache=default_cache(), mirror=mirror, offline=offline)
            size = sum(len(source.read(member)) for member in source.names())
            rows.append({"problem": name, "ok": True, "bytes": size, "reason": ""})
        except ScilawsError as error:
            rows.append({"problem": name, "ok": False, "bytes": 0, "reason": str(error)})
            unreachable += isinstance(error, SourceUnavailableError)
    lines = [
        f"{row['problem']:32} " + (f"{row['bytes']:>12,} bytes" if row["ok"] else str(row["reason"])) for row in rows
    ]
    emit(rows, lines, json_output)
    failed = sum(not row["ok"] for row in rows)
    if failed:
        raise SystemExit(3 if failed == unreachable else 1)


@group.command("fetch")
@click.argument("problems", nargs=-1)
@click.option("--mirror", type=click.Path(path_type=Path, exists=True, file_okay=False))
@as_json
@failing
def fetch(problems: tuple[str, ...], mirror: Path | None, json_output: bool) -> None:
    """Fetch the pinned files of PROBLEMS (all by default) into the cache."""
    _fetch(problems, mirror, offline=False, json_output=json_output)


@group.command("check")
@click.argument("problems", nargs=-1)
@click.option("--mirror", type=click.Path(path_type=Path, exists=True, file_okay=False))
@as_json
@failing
def check(problems: tuple[str, ...], mirror: Path | None, json_output: bool) -> None:
    """Check the cached files of PROBLEMS (all by default) against their hashes, without network."""
    _fetch(problems, mirror, offline=True, json_output=json_output)
