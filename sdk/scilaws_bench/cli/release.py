"""`scilaws-bench release info | diff`."""

from __future__ import annotations

from pathlib import Path

import click

from scilaws_bench.cli.common import as_json, default_release, emit, failing


@click.group("release")
def group() -> None:
    """Build, check and describe releases."""


@group.command("info")
@click.argument("path", required=False, type=click.Path(path_type=Path))
@as_json
@failing
def info(path: Path | None, json_output: bool) -> None:
    """Say what a release holds: suites, counts, what was not built and why."""
    from scilaws_bench.release import open_release

    release = open_release(path or default_release())
    manifest = release.manifest
    lines = [
        f"{manifest['name']} {manifest['version']}, {manifest['edition']} edition, in {release.path}",
        f"manifest hash {manifest['manifest_hash']}",
        "publishable" if manifest["publishable"] else "local: holds tables whose licence is unverified",
    ]
    for suite, facts in manifest["suites"].items():
        lines += [
            f"{suite}: {facts['tasks']} tasks ({facts['single']} single-group, {facts['multi']} multi-group), "
            f"{facts['reference_laws']} reference laws, {facts['rows']:,} rows",
            "  disciplines: " + ", ".join(f"{name} {count}" for name, count in facts["disciplines"].items()),
            "  splits: " + ", ".join(f"{name} {count}" for name, count in facts["splits"].items()),
            f"  published values: {facts['reproductions']['run']} recomputed, "
            f"{facts['reproductions']['not_run']} not run",
            *(
                f"    {item['id']}: published {item['published']:.7g}, here {item['measured']:.7g}, "
                + ("reproduced" if item["reproduced"] else "NOT reproduced")
                for item in facts["reproduction_results"]
            ),
            *(f"  not built: {entry['id']}: {entry['reason']}" for entry in facts["not_built"]),
            *(f"  build-only: {name}" for name in facts["build_only"]),
        ]
    keys = ("name", "version", "edition", "publishable", "code_version", "manifest_hash", "suites")
    emit({"path": str(release.path), **{key: manifest[key] for key in keys}}, lines, json_output)


@group.command("diff")
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@as_json
@failing
def diff(old: Path, new: Path, json_output: bool) -> None:
    """Compare two releases by the content of their parts."""
    from scilaws_bench.release import diff_manifests, open_release

    changes = diff_manifests(open_release(old).manifest, open_release(new).manifest)
    if changes["identical"]:
        lines = ["identical"]
    else:
        marks = {"added": "+", "removed": "-", "changed": "~"}
        lines = [
            f"{marks[how]} {path}" for part in ("tables", "sealed") for how in marks for path in changes[part][how]
        ]
        lines = lines or ["same tables and gold; other facts of the manifest differ"]
    emit(changes, lines, json_output)
