"""Find the nouns and run one.

Nouns come from the entry-point group `scilaws_bench.commands`. A noun is a group of verbs, to which
several entry points may contribute (the builders add `release build` to the SDK's `release info`),
or a single command such as `demo`. Only the entry points of the noun asked for are loaded, so that
`scilaws-bench task list` does not import the builders.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import click

import scilaws_bench
from scilaws_bench.cli.common import report_error

_GROUP = "scilaws_bench.commands"
_INSTALL = "Install what it needs: pip install 'scilaws-bench[all]'."


class _Nouns(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({_noun(entry) for entry in entry_points(group=_GROUP)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        merged: click.Group | None = None
        for entry in sorted(entry_points(group=_GROUP), key=lambda entry: entry.name):
            if _noun(entry) != cmd_name:
                continue
            try:
                loaded: click.Command = entry.load()
            except ImportError as error:
                return _unavailable(cmd_name, entry, error)
            if not isinstance(loaded, click.Group):
                return loaded
            if merged is None:
                merged = click.Group(cmd_name, help=loaded.help, no_args_is_help=True)
            for name, command in loaded.commands.items():
                merged.add_command(command, name)
        return merged

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> Any:
        """As click's; with --json, a mistake on the command line is reported as JSON too."""
        given = list(sys.argv[1:] if args is None else args)
        if "--json" not in given or not extra.get("standalone_mode", True):
            return super().main(given, *rest, **extra)
        try:
            code = super().main(given, *rest, **{**extra, "standalone_mode": False})
        except click.ClickException as error:
            context = getattr(error, "ctx", None)
            command = context.command_path if context is not None else "scilaws-bench"
            report_error(
                command, "a valid command line", error.format_message(), f"See `{command} --help`.", json_output=True
            )
            code = error.exit_code
        except click.Abort:
            report_error("scilaws-bench", "to run to the end", "an interruption", "Run it again.", json_output=True)
            code = 1
        sys.exit(code if isinstance(code, int) else 0)


@click.group(cls=_Nouns, no_args_is_help=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(scilaws_bench.__version__, prog_name="scilaws-bench")
def main() -> None:
    """SciLaws-Bench: build releases, score answers, verify scores.

    Start with `scilaws-bench demo`.

    Exit codes: 0 ok, 1 invalid submission or failed check, 2 usage, 3 infrastructure.
    """


def _noun(entry: EntryPoint) -> str:
    """`release` for the entry points `release` and `release-build`."""
    return entry.name.split("-")[0]


def _unavailable(noun: str, entry: EntryPoint, error: ImportError) -> click.Command:
    """Stands in for a noun that can't be imported, so that the other nouns and the help still work."""

    def refuse() -> None:
        report_error(
            entry.value, f"a module that can be imported for `{noun}`", str(error), _INSTALL, json_output=False
        )
        sys.exit(3)

    return click.Command(
        noun,
        callback=refuse,
        short_help=f"Not available here: {error}",
        add_help_option=False,
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    )
