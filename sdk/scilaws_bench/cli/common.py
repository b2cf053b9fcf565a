"""What every command shares: output, error handling, defaults."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from scilaws_bench import strict_json
from scilaws_bench.errors import ReleaseError, ScilawsError
from scilaws_bench.plain_text import printable

_Command = TypeVar("_Command", bound=Callable[..., Any])
_INFRASTRUCTURE = (OSError, ImportError)
"""Errors of this package that are also one of these say that this machine lacks something: exit code 3."""

as_json = click.option("--json", "json_output", is_flag=True, help="Print one JSON document, errors included.")
release_option = click.option(
    "--release",
    "release_path",
    type=click.Path(path_type=Path),
    help="Release folder; $SCILAWS_RELEASE or build/release/public or build/release/demo by default.",
)
isolation_option = click.option(
    "--isolation",
    type=click.Choice(["auto", "full", "kernel", "none"]),
    default="auto",
    show_default=True,
    help="Isolation level; `none` runs laws unprotected and its scores can't be verified.",
)
workers_option = click.option(
    "--workers", type=click.IntRange(1, 256), default=2, show_default=True, help="Sandboxes used at once."
)


def failing(command: _Command) -> _Command:
    """Turn the package's errors, and files that can't be used, into one message and the documented exit code."""

    @functools.wraps(command)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        json_output = bool(kwargs.get("json_output"))
        try:
            return command(*args, **kwargs)
        except BrokenPipeError:
            raise
        except ScilawsError as error:
            report_error(error.thing, error.expected, error.found, error.remedy, json_output=json_output)
            sys.exit(3 if isinstance(error, _INFRASTRUCTURE) else 1)
        except OSError as error:
            found = error.strerror or str(error)
            path = str(error.filename or "a file")
            report_error(path, "a path that can be used here", found, "Check the path.", json_output=json_output)
            sys.exit(3)

    return wrapped  # type: ignore[return-value]


def report_error(path: str, expected: str, found: str, remedy: str, *, json_output: bool) -> None:
    """Say what went wrong: {"errors": [{path, expected, found, remedy}]} on stdout, or one line on stderr."""
    path, expected, found, remedy = (printable(text, 1000) for text in (path, expected, found, remedy))
    if json_output:
        error = {"path": path, "expected": expected, "found": found, "remedy": remedy}
        click.echo(strict_json.dumps({"errors": [error]}, indent=2))
    else:
        click.echo(f"error: {ScilawsError(path, expected, found, remedy)}", err=True)


def emit(document: Any, lines: Sequence[str], json_output: bool) -> None:
    """Print the JSON document or the lines, whatever they hold."""
    if json_output:
        click.echo(strict_json.dumps(document, indent=2))
    else:
        for line in lines:
            click.echo(printable(line))


@contextmanager
def progress_line(title: str, *, quiet: bool = False) -> Iterator[Callable[[str, int, int], None]]:
    """A progress bar on a terminal, plain lines on stderr otherwise; call it as (what, done, total)."""
    if quiet:
        yield lambda what, done, total: None
    elif sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import Progress

        with Progress(console=Console(stderr=True)) as bar:
            task = bar.add_task(title, total=None)
            yield lambda what, done, total: bar.update(
                task, completed=done, total=total, description=f"{title}: {what}"
            )
    else:
        yield lambda what, done, total: click.echo(f"{title}: {done}/{total} {what}", err=True)


def release_folder(edition: str) -> Path:
    """Where `release build` puts an edition unless told otherwise."""
    return Path("build") / "release" / edition


def default_release() -> Path:
    """The release a command works on when none is named (ReleaseError if there is none)."""
    if os.environ.get("SCILAWS_RELEASE"):
        return Path(os.environ["SCILAWS_RELEASE"])
    for edition in ("public", "demo"):
        if (release_folder(edition) / "manifest.json").is_file():
            return release_folder(edition)
    raise ReleaseError(
        "release", "a built or downloaded release", "none under build/release",
        "Run `scilaws-bench release build` (or `scilaws-bench demo`), or name one with --release or $SCILAWS_RELEASE.",
    )  # fmt: skip
