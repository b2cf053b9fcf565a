"""The README's commands, run as written, in order, in one folder."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from scilaws_bench.cli import main

REPOSITORY = Path(__file__).parents[2]
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


def _calls() -> list[list[str]]:
    """The words of every `scilaws-bench` call of the README, comments and shell substitutions left out."""
    lines = "\n".join(_blocks("bash")).replace("\\\n", " ").splitlines()
    return [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("scilaws-bench ")]


@pytest.mark.parametrize("words", _calls(), ids=" ".join)
def test_every_call_of_the_readme_parses(words: list[str]) -> None:
    """Noun, verb, arguments and options are there; `make test-slow` runs the calls as well."""
    command, parent = main, click.Context(main, info_name="scilaws-bench")
    noun, verb, *arguments = words
    for name in (noun, verb) if isinstance(main.get_command(parent, noun), click.Group) else (noun,):
        found = command.get_command(parent, name)
        assert found is not None, name
        command, parent = found, click.Context(found, info_name=name, parent=parent)
    if command.name == noun:
        arguments = [verb, *arguments]
    missing_files = [text for text in arguments if "/" in text or text.endswith(".py")]
    with contextlib.suppress(click.BadParameter) if missing_files else contextlib.nullcontext():
        command.make_context(noun, list(arguments), parent=parent)


@pytest.mark.slow
def test_the_commands_of_the_readme_run_as_written(tmp_path: Path, demo_folder: Path) -> None:
    for name in ("eval_tasks", "builders"):
        shutil.copytree(REPOSITORY / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / ".venv").symlink_to(Path(sys.executable).parents[1])
    (law,) = [block for block in _blocks("python") if "USED_INPUTS" in block]
    (tmp_path / "my_law.py").write_text(law, encoding="utf-8")
    script = "set -euo pipefail\n" + "\n".join(_blocks("bash"))
    environment = os.environ | {"INSPECT_DISPLAY": "none"}
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    for text in ("the law keeps the contract", "0 differing", "strict mean", "optical-dispersion"):
        assert text in done.stdout


def test_the_python_of_the_readme_runs_as_written(tmp_path: Path, demo_folder: Path) -> None:
    (tmp_path / "build" / "release").mkdir(parents=True)
    (tmp_path / "build" / "release" / "demo").symlink_to(demo_folder)
    (code,) = [block for block in _blocks("python") if "load_dataset" in block]
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "hf")}
    command = [sys.executable, "-c", code + "\nassert len(tasks) == 6 and len(records) > 0"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
