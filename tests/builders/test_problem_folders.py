"""The package's own problem folders: every one loads, keeps the rules and belongs where it stands."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from scilaws_builders.release_build.problem_step import Places, build_problem
from scilaws_builders.scilaws.problem import DEMO_PROBLEMS, PROBLEMS_FOLDER, Problem, all_problems
from scilaws_builders.scilaws.rules import Case, context_names_no_law

PROBLEMS = list(all_problems().values())
FOLDERS = sorted(folder for folder in PROBLEMS_FOLDER.glob("*/*") if folder.is_dir() and folder.name != "__pycache__")
each_problem = pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.id)


def test_no_folder_is_passed_over() -> None:
    assert sorted(problem.folder for problem in PROBLEMS) == FOLDERS


def test_step_a_holds_what_it_promises() -> None:
    by_discipline: dict[str, list[str]] = {}
    for problem in PROBLEMS:
        by_discipline.setdefault(problem.spec["discipline"], []).append(problem.id)
    assert len(by_discipline) == 6
    assert all(len(ids) >= 2 for ids in by_discipline.values())
    packaged = [problem for problem in PROBLEMS if problem.spec["source"]["kind"] == "pypi"]
    assert len(packaged) >= 8
    assert sum(problem.structure == "multi" for problem in PROBLEMS) >= 5
    assert sum(bool(problem.spec["reproduction"]) for problem in PROBLEMS) >= 6
    assert sum(bool(problem.spec["reproduction"]) for problem in packaged) >= 4


def test_demo_edition_is_one_packaged_problem_a_discipline() -> None:
    chosen = [all_problems()[name] for name in DEMO_PROBLEMS]
    assert len({problem.spec["discipline"] for problem in chosen}) == len(chosen) == 6
    assert {problem.spec["source"]["kind"] for problem in chosen} == {"pypi"}
    assert {problem.spec["licence"]["redistribution"] for problem in chosen} == {"releasable"}


@each_problem
def test_folder_stands_under_its_discipline(problem: Problem) -> None:
    slug = problem.spec["discipline"].lower().replace(" & ", "_").replace(" ", "_")
    assert problem.folder.parent.name == slug
    names = {file.name for file in problem.folder.iterdir()} - {"__pycache__"}
    select = problem.spec["split"].get("select", {})
    assert names == {"problem.yaml", "records.py", "laws", *select.get("listed", {}).values()}


@each_problem
def test_text_of_every_problem_names_no_law(problem: Problem) -> None:
    nothing: Any = None
    assert context_names_no_law(Case(problem, nothing, nothing, nothing, nothing)) == []


@each_problem
def test_kind_of_constants_is_what_the_module_declares(problem: Problem) -> None:
    for reference in problem.spec["references"]:
        declared = _literals(problem.laws[reference["law"]])
        shared, local = declared["LAW_CONSTANTS"], declared["LOCAL_FITTABLE"]
        assert bool(local) == (problem.structure == "multi" and reference["constants"] != "none"), reference["law"]
        assert set(reference["fitted"]) <= set(shared), reference["law"]
        if reference["constants"] == "local":
            assert not shared or set(shared).isdisjoint(local)
        if reference["constants"] == "none":
            assert not shared
        assert set(declared["USED_INPUTS"]) <= set(problem.inputs)


@each_problem
def test_every_problem_builds_and_keeps_every_rule(
    problem: Problem, places: Places, request: pytest.FixtureRequest
) -> None:
    mirror: Path | None = None
    if problem.spec["source"]["kind"] == "url":
        mirror = request.getfixturevalue("mirror")
    built = build_problem(problem, Places(places.sources, places.store, mirror, None, offline=mirror is not None))
    assert built.reason == ""
    assert built.folder is not None


def _literals(source: str) -> dict[str, Any]:
    """The four declarations of a law module, read without running it."""
    tree = ast.parse(source)
    assert ast.get_docstring(tree), "a law says where it comes from"
    found = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name in ("USED_INPUTS", "LAW_CONSTANTS", "LOCAL_FITTABLE"):
                found[name] = ast.literal_eval(node.value)
    return found
