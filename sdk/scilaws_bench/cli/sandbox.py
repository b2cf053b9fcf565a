"""`scilaws-bench sandbox check`."""

from __future__ import annotations

import click

from scilaws_bench.cli.common import as_json, emit, failing


@click.group("sandbox")
def group() -> None:
    """How untrusted laws are isolated on this machine."""


@group.command("check")
@as_json
@failing
def check(json_output: bool) -> None:
    """Say which isolation levels this machine can enforce, and what would bring the missing ones."""
    from scilaws_bench.sandbox import detect

    report = detect()
    lines = [
        f"{row.mechanism:12} {'yes' if row.available else 'no ':4} {row.detail}"
        + (f" -> {row.remedy}" if row.remedy and not row.available else "")
        for row in report.rows
    ]
    best = next(iter(report.levels), "none: laws are refused unless `--isolation none` is typed")
    warnings = [f"warning      {warning}" for warning in report.warnings]
    emit(report.to_json(), [*lines, f"best level   {best}", *warnings], json_output)
    if not report.levels:
        raise SystemExit(3)
