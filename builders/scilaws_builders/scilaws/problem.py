"""Read a problem folder: `problem.yaml`, `records.py` and `laws/`."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scilaws_bench import schemas
from scilaws_bench.errors import ProblemError, SchemaError, ScilawsError, SubmissionError
from scilaws_bench.laws.gate import read_source, syntax_fault

if TYPE_CHECKING:
    import pandas as pd

    from scilaws_builders.sources import SourceFiles

PROBLEMS_FOLDER = Path(__file__).parent / "problems"

DEMO_PROBLEMS = (
    "adult-mortality",
    "bacterial-growth-curve",
    "bulk-modulus-atomic-volume",
    "optical-dispersion",
    "red-giant-large-separation",
    "tree-height-diameter",
)
"""The six problems of the demo edition, one a discipline, all from package archives."""


@dataclass(frozen=True)
class Problem:
    """A problem folder as data. `spec` follows the schema `problem`; `laws` maps id to source text."""

    folder: Path
    spec: dict[str, Any]
    laws: dict[str, str]

    @property
    def id(self) -> str:
        """Short id in kebab case, unique among all problems."""
        identifier: str = self.spec["id"]
        return identifier

    @property
    def structure(self) -> str:
        """`multi` where parameters vary by group, otherwise `single`."""
        return "multi" if self.spec["group"] else "single"

    @property
    def inputs(self) -> list[str]:
        """Names of the input columns, in order."""
        return [column["name"] for column in self.spec["inputs"]]

    @property
    def target(self) -> str:
        """Name of the target column."""
        name: str = self.spec["target"]["name"]
        return name

    def records(self, source: SourceFiles) -> pd.DataFrame:
        """The tidy records in the declared columns, with the NaN policy of each input applied.

        Raises:
            ProblemError: columns that differ from the declared ones, text where numbers belong,
                NaN or infinity where the policy refuses it, or a fault of records.py itself.
            ScilawsError: what the source raises.
        """
        file = self.folder / "records.py"
        function = _records_function(file)
        try:
            frame = function(source)
        except ScilawsError:
            raise
        except Exception as error:
            fault = f"{type(error).__name__}: {error}"
            raise ProblemError(f"records(source) in {file}", "a table of records", fault, "Mend records.py.") from error
        return _checked_records(self, frame)


def load_problem(folder: Path) -> Problem:
    """Read and check one problem folder.

    Raises:
        ProblemError: a missing file, YAML that does not follow the schema, a law named that has no
            module, or a module that is no Python.
    """
    import yaml

    file = folder / "problem.yaml"
    try:
        spec = yaml.load(file.read_text(encoding="utf-8"), Loader=_strict_yaml_loader())
        schemas.require("problem", spec, where=str(file))
        laws = {path.stem: read_source(path) for path in sorted((folder / "laws").glob("*.py"))}
    except (OSError, UnicodeDecodeError, yaml.YAMLError, SchemaError, SubmissionError) as error:
        raise ProblemError(str(file), "a problem that follows schemas/problem.schema.json", str(error)) from None
    problem = Problem(folder, spec, laws)
    _check_consistency(problem)
    return problem


@cache
def all_problems() -> dict[str, Problem]:
    """Every problem of the package by id, in order of id (ProblemError if two share an id)."""
    found: dict[str, Problem] = {}
    for file in sorted(PROBLEMS_FOLDER.glob("*/*/problem.yaml")):
        problem = load_problem(file.parent)
        if problem.id in found:
            raise ProblemError(f"problem id {problem.id}", "unique ids", f"{found[problem.id].folder}, {file.parent}")
        found[problem.id] = problem
    return dict(sorted(found.items()))


def _check_consistency(problem: Problem) -> None:
    spec = problem.spec
    named = [reference["law"] for reference in spec["references"]]
    satisfied = {item["satisfied_by"] for item in spec["rubric"]}
    reproduced = {spec["reproduction"]["law"]} if spec["reproduction"] else set()
    group = [spec["group"]["name"]] if spec["group"] else []
    columns = [*group, *spec["auxiliary"], *problem.inputs, problem.target]
    faults = {
        "references without a module in laws/": sorted(set(named) - set(problem.laws)),
        "modules in laws/ that no reference names": sorted(set(problem.laws) - set(named)),
        "modules in laws/ that are not Python": [name for name, source in problem.laws.items() if syntax_fault(source)],
        "rubric or reproduction naming no reference": sorted((satisfied | reproduced) - set(named)),
        "references named twice": sorted({name for name in named if named.count(name) > 1}),
        "rubric ids used twice": sorted(_repeated([item["id"] for item in spec["rubric"]])),
        "columns named twice": sorted(_repeated(columns)),
        "split by a column that the records do not have": sorted(_split_columns(spec["split"]) - set(columns)),
        "fitted constants without `constants: fitted`, or the reverse": [
            reference["law"]
            for reference in spec["references"]
            if bool(reference["fitted"]) != (reference["constants"] == "fitted")
        ],
    }
    for fault, names in faults.items():
        if names:
            raise ProblemError(str(problem.folder), f"no {fault}", ", ".join(names), "Mend problem.yaml or laws/.")
    if bool(spec["group"]) != (spec["split"].get("test_groups") is not None):
        found = "a group and no test_groups" if spec["group"] else "test_groups and no group"
        raise ProblemError(str(problem.folder), "test_groups if and only if the problem has a group", found)


def _split_columns(split: dict[str, Any]) -> set[str]:
    """Columns that a split selects or orders by."""
    if "within" in split:
        return set(split["within"]["order_by"])
    return {split["select"]["column"]} if "column" in split["select"] else set()


def _repeated(names: list[str]) -> set[str]:
    return {name for name in names if names.count(name) > 1}


def _checked_records(problem: Problem, frame: pd.DataFrame) -> pd.DataFrame:
    import numpy as np
    import pandas as pd

    where = f"records of {problem.id}"
    if not isinstance(frame, pd.DataFrame):
        raise ProblemError(where, "a pandas DataFrame", type(frame).__name__, "Mend records.py.")
    group = [problem.spec["group"]["name"]] if problem.spec["group"] else []
    expected = [*group, *problem.spec["auxiliary"], *problem.inputs, problem.target]
    if sorted(frame.columns) != sorted(expected):
        raise ProblemError(where, f"columns {sorted(expected)}", str(sorted(frame.columns)), "Mend records.py.")
    frame = frame[expected].reset_index(drop=True)
    for name in [*problem.spec["auxiliary"], *problem.inputs, problem.target]:
        kind = frame[name].dtype
        if not pd.api.types.is_any_real_numeric_dtype(kind):  # text such as "1.5" would be converted in silence
            raise ProblemError(where, f"numbers in column {name}", f"dtype {kind}", "Mend records.py.")
        frame[name] = frame[name].astype("float64")
        if np.isinf(frame[name]).any():
            raise ProblemError(where, f"finite numbers in column {name}", "infinity", "Mend records.py.")
    policy = {column["name"]: column["missing"] for column in problem.spec["inputs"]}
    dropped = [name for name, missing in policy.items() if missing == "drop"]
    frame = frame.dropna(subset=dropped).reset_index(drop=True) if dropped else frame
    for name in expected:
        if policy.get(name) != "pass" and frame[name].isna().any():
            raise ProblemError(
                where, f"no missing value in column {name}", f"{int(frame[name].isna().sum())} of {len(frame)}",
                "Drop the rows in records.py or declare `missing: drop` or `missing: pass` for the input.",
            )  # fmt: skip
    if group:
        frame[group[0]] = frame[group[0]].astype(str)
    return frame


def _records_function(file: Path) -> Callable[[SourceFiles], pd.DataFrame]:
    spec = importlib.util.spec_from_file_location(f"scilaws_problem_{file.parent.name}", file)
    if spec is None or spec.loader is None or not file.is_file():
        raise ProblemError(str(file), "a module with records(source)", "no such file")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        function: Callable[[SourceFiles], pd.DataFrame] = module.records
    except Exception as error:
        fault = f"{type(error).__name__}: {error}"
        raise ProblemError(str(file), "a module with records(source)", fault, "Mend records.py.") from error
    return function


@cache
def _strict_yaml_loader() -> type:
    """A safe loader for YAML 1.2 scalars (`on` is text, 1e-6 a number) that refuses doubled and non-text keys."""
    import yaml

    class Loader(yaml.SafeLoader):
        pass

    def mapping(loader: Loader, node: yaml.MappingNode) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = loader.construct_object(key_node)
            if not isinstance(key, str) or key in result:
                fault = f"key {key!r} twice" if key in result else f"key {key!r} is no text; quote it"
                raise yaml.constructor.ConstructorError(None, None, fault, key_node.start_mark)
            result[key] = loader.construct_object(value_node, deep=True)
        return result

    Loader.yaml_implicit_resolvers = {}
    Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, mapping)
    for tag, pattern, first in (
        ("null", r"~|null|", ["~", "n", ""]),
        ("bool", r"true|false", list("tf")),
        ("int", r"[-+]?(0|[1-9][0-9]*)", list("-+0123456789")),
        ("float", r"[-+]?(\.[0-9]+|(0|[1-9][0-9]*)(\.[0-9]*)?)([eE][-+]?[0-9]+)?", list("-+0123456789.")),
    ):
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(rf"^(?:{pattern})$"), first)
    return Loader
