"""The shape of the command line: nouns, verbs, help, usage mistakes, and the console script."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import click
import pytest
from cli_harness import run

import scilaws_bench
from scilaws_bench import strict_json
from scilaws_bench.cli import main
from scilaws_bench.cli import main as main_command

VERBS = {
    "release": {"build", "check", "diff", "fit", "info"},
    "task": {"list", "show"},
    "law": {"check", "fit", "score"},
    "sandbox": {"check"},
    "submission": {"new", "score", "validate", "verify"},
    "source": {"check", "fetch", "list"},
}
SCRIPT = Path(sys.executable).with_name("scilaws-bench")


def _commands() -> dict[str, click.Command]:
    context = click.Context(main)
    found: dict[str, click.Command] = {}
    for noun in main.list_commands(context):
        command = main.get_command(context, noun)
        assert command is not None
        found[noun] = command
        if isinstance(command, click.Group):
            found.update({f"{noun} {verb}": below for verb, below in command.commands.items()})
    return found


def test_every_noun_has_its_verbs_and_demo_is_a_command_of_its_own() -> None:
    commands = _commands()
    for noun, verbs in VERBS.items():
        group = commands[noun]
        assert isinstance(group, click.Group)
        assert verbs <= set(group.commands)
    assert not isinstance(commands["demo"], click.Group)


@pytest.mark.parametrize("flag", ["-h", "--help"])
@pytest.mark.parametrize("name", sorted(_commands()))
def test_every_command_has_help_that_says_what_it_does(name: str, flag: str) -> None:
    done = run(*name.split(), flag)
    assert done.code == 0
    assert done.out.startswith("Usage: ")
    command = _commands()[name]
    assert command.help
    assert command.help.split("\n")[0].split()[0] in done.out
    for parameter in command.params:
        if isinstance(parameter, click.Option) and not parameter.hidden:
            assert parameter.opts[-1] in done.out


def test_every_verb_can_answer_in_json() -> None:
    lacking = [
        name
        for name, command in _commands().items()
        if not isinstance(command, click.Group) and "json_output" not in {part.name for part in command.params}
    ]
    assert lacking == []


@pytest.mark.parametrize("noun", ["", *VERBS])
def test_without_a_verb_help_is_printed(noun: str) -> None:
    done = run(*noun.split())
    assert done.code == 2
    assert done.out + done.err == run(*noun.split(), "--help").out


@pytest.mark.parametrize(
    "mistake",
    ["nonsense", "task nonsense", "task show", "task list --nonsense", "law check /nowhere.py --task x", "demo now"],
)
def test_usage_mistakes_exit_with_2_and_json_when_asked(mistake: str) -> None:
    plain = run(*mistake.split())
    assert plain.code == 2
    assert plain.out == ""
    assert "Error: " in plain.err
    asked = run(*mistake.split(), "--json")
    assert asked.code == 2
    (error,) = asked.document["errors"]
    assert "--help" in error["remedy"]
    assert error["found"]


def test_version_is_that_of_the_package() -> None:
    assert run("--version").out == f"scilaws-bench, version {scilaws_bench.__version__}\n"


def test_a_noun_that_cannot_be_imported_spoils_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """One broken plug-in must not take the command line with it."""
    from importlib import import_module

    module = import_module("scilaws_bench.cli.main")
    broken = EntryPoint("broken", "scilaws_no_such_package.cli:group", "scilaws_bench.commands")
    real = module.entry_points
    monkeypatch.setattr(module, "entry_points", lambda group: [*real(group=group), broken])
    listed = run("--help")
    assert listed.code == 0
    assert "Not available here" in listed.out
    assert "task" in listed.out
    done = run("broken", "verb", "--option")
    assert done.code == 3
    assert "scilaws_no_such_package" in done.err
    assert "pip install" in done.err


def test_the_console_script_is_the_same_command_line(demo_folder: Path, tmp_path: Path) -> None:
    environment = os.environ | {"SCILAWS_RELEASE": str(demo_folder)}
    done = subprocess.run([SCRIPT, "task", "list", "--json"], capture_output=True, env=environment, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert strict_json.loads(done.stdout) == run("task", "list", "--release", demo_folder, "--json").document


def test_a_reader_that_goes_away_is_no_traceback(demo_folder: Path) -> None:
    command = f"'{SCRIPT}' task show scilaws_real/optical-dispersion --json --release '{demo_folder}' | true"
    done = subprocess.run([shutil.which("sh") or "sh", "-c", command], capture_output=True, text=True)
    assert done.stderr == ""


def test_looking_at_tasks_imports_no_builder_and_no_sandbox(demo_folder: Path) -> None:
    code = (
        "import sys\nfrom scilaws_bench.cli import main\n"
        f"main(['task', 'list', '--release', {str(demo_folder)!r}], standalone_mode=False)\n"
        "print([name for name in sys.modules if name.startswith(('scilaws_builders', 'scilaws_bench.sandbox'))])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_module_is_the_command_line() -> None:
    assert main_command is main
    done = subprocess.run([sys.executable, "-m", "scilaws_bench", "--version"], capture_output=True, text=True)
    assert done.stdout == run("--version").out
