"""Load the schemas and check documents against them, finite numbers included."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from scilaws_bench import strict_json
from scilaws_bench.errors import SchemaError

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

Kind = Literal[
    "problem",
    "source",
    "task",
    "law",
    "gold",
    "submission",
    "verdict",
    "scorecard",
    "manifest",
    "mechanism",
    "modelica_instance",
    "catalogue_mechanism",
    "observations",
]
KINDS: tuple[str, ...] = get_args(Kind)

_MAX_FOUND = 120
_MAX_LISTED = 8


@dataclass(frozen=True)
class Issue:
    """One fault of a document: where, what was expected, what was found, how to mend it."""

    path: str
    expected: str
    found: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.path}: expected {self.expected}; found {self.found}. {self.remedy}".rstrip()

    def to_json(self) -> dict[str, str]:
        """Plain dictionary for `--json` output."""
        return {"path": self.path, "expected": self.expected, "found": self.found, "remedy": self.remedy}


@cache
def schema_folder() -> Path:
    """The folder of schema files: inside the wheel, or at the top of a source checkout."""
    packaged = Path(__file__).parent / "json"
    return packaged if packaged.is_dir() else Path(__file__).parents[3] / "schemas"


@cache
def load_schema(kind: str) -> dict[str, Any]:
    """One schema document by kind (or "common"); OSError if there is none of that name."""
    document: dict[str, Any] = strict_json.read(schema_folder() / f"{kind}.schema.json")
    return document


def problems_with(kind: Kind, document: Any, *, path: str = "$") -> list[Issue]:
    """All faults of a document, in document order; an empty list means it is valid.

    jsonschema lets NaN pass under `minimum`, so finite numbers are checked here as well.
    """
    issues = []
    non_finite = strict_json.first_non_finite(document, path)
    if non_finite is not None:
        issues.append(Issue(non_finite, "a finite number", "NaN or infinity", "Give a finite number."))
    errors = sorted(_validator(kind).iter_errors(document), key=lambda error: list(map(str, error.absolute_path)))
    issues.extend(_issue(_most_telling(error), path) for error in errors)
    return list(dict.fromkeys(issues))  # jsonschema reports each missing key by itself, an issue names them all


def require(kind: Kind, document: Any, *, where: str) -> None:
    """Raise SchemaError naming the first fault and the number of faults, if there is any."""
    issues = problems_with(kind, document)
    if issues:
        first = issues[0]
        more = f" ({len(issues) - 1} more)" if len(issues) > 1 else ""
        raise SchemaError(f"{where} at {first.path}{more}", first.expected, first.found, first.remedy)


@cache
def _checker() -> Any:
    """jsonschema with `pattern` read as ECMA reads it: `$` is the very end, Python lets a newline follow."""
    from jsonschema import Draft202012Validator, validators
    from jsonschema.exceptions import ValidationError

    extend: Any = validators.extend

    def pattern(_validator: Any, wanted: str, instance: Any, _schema: Any) -> Iterator[ValidationError]:
        match = re.fullmatch if wanted.endswith("$") else re.search
        if isinstance(instance, str) and not match(wanted, instance):
            yield ValidationError(f"{instance!r} does not match {wanted!r}")

    return extend(Draft202012Validator, {"pattern": pattern})


@cache
def _validator(kind: str) -> Draft202012Validator:
    from referencing import Registry, Resource

    names = [*KINDS, "common"]
    registry: Any = Registry().with_resources(
        [(f"{name}.schema.json", Resource.from_contents(load_schema(name))) for name in names]
    )
    validator: Draft202012Validator = _checker()(load_schema(kind), registry=registry)
    return validator


def _most_telling(error: ValidationError) -> ValidationError:
    """Inside oneOf, the branch that got furthest says most about what went wrong."""
    while error.context:
        by_branch: dict[Any, list[ValidationError]] = {}
        for child in error.context:
            by_branch.setdefault(child.schema_path[0], []).append(child)
        candidates = min(by_branch.values(), key=lambda branch: (any(_is_tag(child) for child in branch), len(branch)))
        error = max(candidates, key=lambda child: len(child.absolute_path))
    return error


def _is_tag(error: ValidationError) -> bool:
    """A mismatch of a constant such as `kind` (or of null) means: this branch was never meant."""
    return error.validator == "const" or (error.validator == "type" and error.validator_value == "null")


def _issue(error: ValidationError, root: str) -> Issue:
    path = root + "".join(map(_step, error.absolute_path))
    value: Any = error.validator_value
    schema: Any = error.schema
    instance: Any = error.instance
    found = _short(instance)
    match error.validator:
        case "additionalProperties":
            allowed = set(schema.get("properties", {}))
            unknown = sorted(set(instance) - allowed) if allowed else []
            return Issue(path, "only " + ", ".join(sorted(allowed)), "unknown " + _listed(unknown), "Remove them.")
        case "required":
            missing = sorted(set(value) - set(instance))
            return Issue(path, "keys " + ", ".join(missing), "none of that name", "Add them.")
        case "const" | "enum":
            options = [value] if error.validator == "const" else value
            return Issue(path, "one of " + ", ".join(map(_short, options)), found, "Use one of these.")
        case "type":
            return Issue(path, f"type {value}", found, "Change the type.")
        case "pattern":
            return Issue(path, f"text matching {value}", found, "Change the text.")
        case _:
            return Issue(path, f"{error.validator} {_short(value)}", found, "Change the value.")


def _step(part: str | int) -> str:
    return f"[{part}]" if isinstance(part, int) else f".{_name(part)}"


def _listed(keys: list[str]) -> str:
    more = f" and {len(keys) - _MAX_LISTED} more" if len(keys) > _MAX_LISTED else ""
    return ", ".join(map(_name, keys[:_MAX_LISTED])) + more


def _name(key: str) -> str:
    """A key as it stands if it is a plain name, else quoted and cut: keys may be anybody's text."""
    return key if re.fullmatch(r"[\w/-]{1,120}", key) else _short(key)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _MAX_FOUND else text[: _MAX_FOUND - 1] + "…"
