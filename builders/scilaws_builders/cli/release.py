"""`scilaws-bench release build | check | fit`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from scilaws_bench.cli.common import as_json, default_release, emit, failing, progress_line, release_folder


@click.group("release")
def group() -> None:
    """Build, check and describe releases."""


def _place_options(function: Any) -> Any:
    for option in (
        click.option(
            "--mirror",
            envvar="SCILAWS_MIRROR",
            type=click.Path(path_type=Path, exists=True, file_okay=False),
            help="Folder with the pinned files under any name.",
        ),
        click.option(
            "--upstream",
            type=click.Path(path_type=Path, exists=True, file_okay=False),
            help="A downloaded copy of the published dataset.",
        ),
        click.option("--offline", is_flag=True, help="Use only cached and mirrored files."),
    ):
        function = option(function)
    return function


@group.command("build")
@click.option("--edition", type=click.Choice(["public", "demo"]), default="public", show_default=True)
@click.option("--output", type=click.Path(path_type=Path), help="Release folder; build/release/<edition> by default.")
@click.option("--workers", type=click.IntRange(1, 256), default=2, show_default=True, help="Problems built at once.")
@click.option("--publishable", is_flag=True, help="Leave out tables whose licence is unverified.")
@_place_options
@as_json
@failing
def build(
    edition: str,
    output: Path | None,
    workers: int,
    publishable: bool,
    mirror: Path | None,
    upstream: Path | None,
    offline: bool,
    json_output: bool,
) -> None:
    """Build a release from pinned sources; unchanged parts come from the cache."""
    from scilaws_builders.release_build import BuildOptions, build_release
    from scilaws_builders.release_build.problem_step import Built

    folder = output or release_folder(edition)
    options = BuildOptions(edition, folder, _places(mirror, upstream, offline), publishable, workers)
    details: dict[str, str] = {}
    with progress_line("building problems", quiet=json_output) as report:

        def progress(built: Built, count: int, total: int) -> None:
            details[built.problem_id] = built.detail
            report(built.problem_id, count, total)

        manifest = build_release(options, progress=progress)
    facts = manifest["suites"]["scilaws_real"]
    lines = [
        f"release {manifest['name']} {manifest['version']} ({edition}) in {folder}",
        f"{facts['tasks']} tasks ({facts['single']} single-group, {facts['multi']} multi-group), "
        f"{facts['reference_laws']} reference laws, {facts['rows']:,} rows",
        *(f"not built: {entry['id']}: {details.get(entry['id']) or entry['reason']}" for entry in facts["not_built"]),
        f"manifest hash {manifest['manifest_hash']}",
    ]
    emit({"path": str(folder), **manifest}, lines, json_output)


@group.command("check")
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--refit", is_flag=True, help="Also fit every fitted constant again and compare with fits.lock.")
@_place_options
@as_json
@failing
def check(
    path: Path | None, refit: bool, mirror: Path | None, upstream: Path | None, offline: bool, json_output: bool
) -> None:
    """Check a release folder for altered, missing, foreign or leaking content."""
    from scilaws_bench.release import open_release
    from scilaws_builders.release_build import check_release
    from scilaws_builders.release_build.check import check_refit

    folder = path or default_release()
    issues = check_release(folder)
    if refit and not issues:
        problems = {task["problem_id"] for task in open_release(folder).tasks.values()}
        issues = check_refit(_places(mirror, upstream, offline), problems)
    lines = [f"fault: {issue}" for issue in issues] or [f"{folder}: no fault found"]
    emit({"path": str(folder), "issues": [issue.to_json() for issue in issues]}, lines, json_output)
    if issues:
        raise SystemExit(1)


@group.command("fit")
@_place_options
@as_json
@failing
def fit(mirror: Path | None, upstream: Path | None, offline: bool, json_output: bool) -> None:
    """Fit the reference constants that are declared as fitted and write fits.lock (for maintainers)."""
    from scilaws_bench.errors import SourceUnavailableError
    from scilaws_builders.scilaws.fits import FITS_LOCK, fit_all, read_lock, write_lock
    from scilaws_builders.scilaws.problem import all_problems
    from scilaws_builders.scilaws.splits import split_records
    from scilaws_builders.sources import open_source

    places = _places(mirror, upstream, offline)
    problems = all_problems()
    fits = {name: laws for name, laws in read_lock().items() if name in problems}
    lines = []
    for problem in problems.values():
        try:
            source = open_source(
                problem.spec["source"], cache=places.sources, mirror=mirror, upstream=upstream, offline=offline
            )
        except SourceUnavailableError as error:
            lines.append(f"kept {problem.id}: {error}")
            continue
        fits[problem.id] = fit_all(problem, split_records(problem, problem.records(source)).train)
        lines.append(f"{problem.id}: {sum(len(values) for values in fits[problem.id].values())} constants")
    write_lock(fits)
    emit({"path": str(FITS_LOCK), "fits": read_lock()}, [*lines, f"wrote {FITS_LOCK}"], json_output)


def _places(mirror: Path | None, upstream: Path | None, offline: bool) -> Any:
    from scilaws_builders.release_build.problem_step import Places
    from scilaws_builders.sources import default_cache

    cache = default_cache()
    return Places(cache, cache.parent / "build", mirror, upstream, offline)


@group.command("push")
@click.argument("repo")
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--tag", help="Tag of the pushed commit; v<version> by default.")
@click.option("--private", is_flag=True, help="Create a private dataset; refuse a public one.")
@click.option("--allow-demo", is_flag=True, help="Publish even the demo edition.")
@click.option("--dry-run", is_flag=True, help="List what would be uploaded and do nothing.")
@as_json
@failing
def push(
    repo: str, path: Path | None, tag: str | None, private: bool, allow_demo: bool, dry_run: bool, json_output: bool
) -> None:
    """Publish a release as dataset REPO (organisation/name) on the hub huggingface_hub is set up for."""
    from scilaws_bench.release.hub import is_hub_name
    from scilaws_builders.release_build.push import push_release

    if not is_hub_name(repo):
        raise click.BadParameter("expected organisation/name", param_hint="REPO")
    folder = path or default_release()
    done = push_release(repo, folder, tag=tag, private=private, allow_demo=allow_demo, dry_run=dry_run)
    state = {
        "dry run": f"nothing sent; would push {folder} to {repo} and tag it {done.tag}",
        "pushed": f"pushed {folder} to {repo}, tag {done.tag} on commit {done.commit}",
        "unchanged": f"nothing to do: {repo} has this release as {done.tag} on commit {done.commit}",
    }
    lines = [
        *(f"{file.size:>12,}  {file.content_hash}  {file.path}" for file in done.files if dry_run),
        f"{len(done.files)} files, {sum(file.size for file in done.files):,} bytes",
        f"manifest hash {done.manifest_hash}",
        state[done.status],
    ]
    emit({"path": str(folder), **done.to_json()}, lines, json_output)
