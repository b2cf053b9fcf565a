"""Code and schemas say the same, both ways: what code writes is valid, and what schemas allow, code writes or reads."""

from __future__ import annotations

import ast
import copy
import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import scilaws_bench
import scilaws_builders
from scilaws_bench import schemas
from scilaws_bench.schemas import load_schema, problems_with
from scilaws_bench.scoring import Evidence, GroupEvidence, Verdict

EMBEDDED = ("law", "source")
"""Kinds without a version of their own: they travel inside another document or are never stored."""

OPTIONAL = {
    "law": {"local_fittable.*.init"},
    "manifest": {"suites.scilaws_real"},
    "problem": {"epsilon", "references[].fit_space", "split.select.listed.train"},
}
"""Keys that a document may leave out; everything else is required."""

OPEN_MAPS = {"rubric[].params", "other_constants"}
"""Objects whose keys are not fixed and whose values may be anything: each probe and each law checks its own."""

READ_KINDS = ("problem", "source")
"""Kinds that people write and code reads."""

NOT_EMITTED = {
    "task": {"priors[].name", "priors[].value", "priors[].unit", "priors[].meaning"},
}
"""Keys of lists that happen to be empty in the demo edition; the same objects are read in `problem`."""

NOT_READ = {
    "problem": {
        *("rubric[].params", "rubric[].probe"),  # handed on whole to the gold
        *("inputs[].symbol", "target.symbol"),  # handed on whole to the task
        *("notes", "reproduction.where"),  # for people who review a problem
    },
}
"""Keys that no line of code looks up by name."""


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        file, _, pointer = schema["$ref"].partition("#/$defs/")
        document = load_schema(file.removesuffix(".schema.json"))
        schema = document["$defs"][pointer] if pointer else document
    return schema


def objects(schema: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object schema below a schema, `[]` standing for list items and `*` for free keys."""
    schema = resolved(schema)
    for branch in schema.get("oneOf", []):
        yield from objects(branch, path)
    if isinstance(schema.get("items"), dict):
        yield from objects(schema["items"], f"{path}[]")
    if schema.get("type") == "object":
        yield path, schema
    for key, child in schema.get("properties", {}).items():
        yield from objects(child, f"{path}.{key}".lstrip("."))
    if isinstance(schema.get("additionalProperties"), dict):
        yield from objects(schema["additionalProperties"], f"{path}.*")


def declared_keys(kind: str) -> set[str]:
    return {
        f"{path}.{key}".lstrip(".")
        for path, schema in objects(load_schema(kind))
        for key in schema.get("properties", {})
    }


def nodes(value: Any, schema: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any], bool]]:
    """Every object inside a document with its schema path, and whether its keys are fixed."""
    paths = dict(objects(schema)) if not path else schema
    if isinstance(value, list):
        for item in value:
            yield from nodes(item, paths, f"{path}[]")
    if isinstance(value, dict):
        fixed = "properties" in paths[path]
        yield path, value, fixed
        for key, child in value.items():
            below = f"{path}.{key if fixed else '*'}".lstrip(".")
            if path not in OPEN_MAPS:
                yield from nodes(child, paths, below)


@pytest.mark.parametrize("kind", schemas.KINDS)
class TestSchemas:
    def test_every_object_is_closed_or_a_declared_map(self, kind: str) -> None:
        for path, schema in objects(load_schema(kind)):
            closed = schema.get("additionalProperties") is False and bool(schema["properties"])
            typed_map = isinstance(schema.get("additionalProperties"), dict) and "properties" not in schema
            assert closed or typed_map or path in OPEN_MAPS, path

    def test_every_key_is_required_unless_listed(self, kind: str) -> None:
        optional = {
            f"{path}.{key}".lstrip(".")
            for path, schema in objects(load_schema(kind))
            for key in set(schema.get("properties", {})) - set(schema.get("required", []))
        }
        assert optional == OPTIONAL.get(kind, set())

    def test_required_keys_are_declared(self, kind: str) -> None:
        for path, schema in objects(load_schema(kind)):
            assert set(schema.get("required", [])) <= set(schema.get("properties", {})), path

    def test_the_schema_is_versioned_and_valid_itself(self, kind: str) -> None:
        from jsonschema import Draft202012Validator

        document = load_schema(kind)
        Draft202012Validator.check_schema(document)
        assert document["$id"] == f"{kind}.schema.json"
        version = document.get("properties", {}).get("schema")
        assert version == (None if kind in EMBEDDED else {"const": f"scilaws-bench/{kind}/1"})


@pytest.mark.parametrize("kind", schemas.KINDS)
class TestDocuments:
    def test_every_document_that_code_writes_is_valid(self, kind: Any, emitted: dict[str, Any]) -> None:
        assert emitted[kind]
        assert [issue for document in emitted[kind] for issue in problems_with(kind, document)] == []

    def test_unknown_keys_are_refused_everywhere(self, kind: Any, emitted: dict[str, Any]) -> None:
        document = copy.deepcopy(emitted[kind][-1])
        seen = set()
        for path, node, fixed in nodes(document, load_schema(kind)):
            if fixed and path not in seen:
                seen.add(path)
                node["unknown_key"] = 1
                assert problems_with(kind, document), path
                del node["unknown_key"]
        assert "" in seen
        assert problems_with(kind, document) == []

    def test_every_required_key_is_missed(self, kind: Any, emitted: dict[str, Any]) -> None:
        document = copy.deepcopy(emitted[kind][-1])
        seen: set[str] = set()
        for path, node, fixed in list(nodes(document, load_schema(kind))):
            for key in list(node) if fixed else []:
                name = f"{path}.{key}".lstrip(".")
                if name in seen | OPTIONAL.get(kind, set()):
                    continue
                seen.add(name)
                kept = node.pop(key)
                assert problems_with(kind, document), name
                node[key] = kept
        assert seen


@pytest.mark.parametrize("kind", sorted(set(schemas.KINDS) - set(READ_KINDS)))
def test_every_key_of_a_schema_is_written_by_code(kind: str, emitted: dict[str, Any]) -> None:
    written = {
        f"{path}.{key}".lstrip(".")
        for document in emitted[kind]
        for path, node, fixed in nodes(document, load_schema(kind))
        if fixed
        for key in node
    }
    unwritten = declared_keys(kind) - written
    embedded = {key for key in unwritten if key.startswith(("sources[].source.", "source."))}
    assert unwritten - embedded == NOT_EMITTED.get(kind, set())


@pytest.mark.parametrize("kind", READ_KINDS)
def test_every_key_of_a_schema_is_read_by_code(kind: str) -> None:
    packages = [Path(package.__file__).parent for package in (scilaws_bench, scilaws_builders)]
    literals = {
        node.value
        for package in packages
        for file in package.rglob("*.py")
        if "problems" not in file.parts
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    unread = {key for key in declared_keys(kind) if key.rpartition(".")[2] not in literals}
    assert unread == NOT_READ.get(kind, set())


@pytest.mark.parametrize(
    ("record", "keys"),
    [
        (Verdict, lambda schema: set(schema["properties"]) - {"schema"}),
        (Evidence, lambda schema: set(schema["properties"]["evidence"]["oneOf"][0]["properties"])),
        (
            GroupEvidence,
            lambda schema: set(
                schema["properties"]["evidence"]["oneOf"][0]["properties"]["groups"]["items"]["properties"]
            ),
        ),
    ],
)
def test_records_have_the_fields_of_the_schema(record: type, keys: Any) -> None:
    assert {field.name for field in dataclasses.fields(record)} == keys(load_schema("verdict"))
