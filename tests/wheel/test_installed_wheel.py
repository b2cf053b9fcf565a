"""What only an installed wheel can show: packaged data, entry points, light imports.

Run by `make test-wheel` with the wheel's folder first on the path; in a plain test run the same
tests hold for the checkout.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import scilaws_bench
import scilaws_builders
from scilaws_bench import schemas
from scilaws_builders.scilaws.fits import read_lock
from scilaws_builders.scilaws.problem import DEMO_PROBLEMS, all_problems

pytestmark = pytest.mark.wheel

HEAVY = ("numpy", "pandas", "pyarrow", "scipy", "datasets", "jsonschema", "click", "rich", "cryptography")


def test_packages_come_from_the_wheel_when_one_is_given() -> None:
    site = os.environ.get("PYTHONPATH", "")
    if "wheel-site" not in site:
        pytest.skip("not run against a wheel: use `make test-wheel`")
    for package in (scilaws_bench, scilaws_builders):
        assert Path(package.__file__).is_relative_to(Path(site).resolve())


@pytest.mark.parametrize("kind", [*schemas.KINDS, "common"])
def test_schemas_are_packaged(kind: str) -> None:
    assert schemas.load_schema(kind)["$id"] == f"{kind}.schema.json"


def test_problems_with_their_laws_are_packaged() -> None:
    problems = all_problems()
    assert set(DEMO_PROBLEMS) <= set(problems)
    assert all(problem.laws for problem in problems.values())
    assert read_lock()


def test_release_templates_are_packaged() -> None:
    from scilaws_builders.release_build.card import _template

    assert "$header" in _template("dataset_card.md").template


def test_typing_marker_is_packaged() -> None:
    assert (Path(scilaws_bench.__file__).parent / "py.typed").is_file()


def test_every_noun_loads() -> None:
    commands = entry_points(group="scilaws_bench.commands")
    assert {entry.name.split("-")[0] for entry in commands} >= {
        "release",
        "task",
        "law",
        "source",
        "sandbox",
        "submission",
    }
    for entry in commands:
        entry.load()


def test_importing_the_root_loads_nothing_heavy() -> None:
    code = f"import sys, scilaws_bench; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_console_script_prints_help_without_arguments() -> None:
    done = subprocess.run([sys.executable, "-m", "scilaws_bench"], capture_output=True, text=True)
    assert "release" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
