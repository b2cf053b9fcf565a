"""Issues of documents: complete, in order, located, and harmless to print whatever the document holds."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from scilaws_bench import schemas
from scilaws_bench.errors import SchemaError
from scilaws_bench.schemas import Issue, problems_with, require
from scoring_harness import HASH, gold_document

LAW = {
    "used_inputs": ["x"],
    "law_constants": {"k": 2.0},
    "other_constants": {},
    "local_fittable": {"b": {"init": None}, "c": {"init": [1, 2.5]}, "d": {}},
    "has_predict": True,
    "has_fit": True,
    "predict_parameters": ["X", "k", "b"],
}
SOURCE = {"kind": "upstream", "problem": "p"}


def verdict(**changes: Any) -> dict[str, Any]:
    group = {"group": 0, "score": 0.5, "metric_value": 1.0, "reference_value": 1.0, "excluded": False}
    evidence = {"metric": "rmse", "metric_value": 1.0, "reference": "good", "reference_value": 1.0}
    return {
        "schema": "scilaws-bench/verdict/1", "task_id": "scilaws_real/t", "suite": "scilaws_real", "scorer": "s",
        "scorer_version": 1, "score": 0.5, "failure": None, "reason": "", "flags": [],
        "evidence": evidence | {"groups": [group | {"failure": None, "reason": ""}]},
        "answer_hash": HASH, "task_hash": HASH, "gold_hash": HASH, "isolation": "full",
    } | changes  # fmt: skip


DOCUMENTS: dict[str, dict[str, Any]] = {"law": LAW, "source": SOURCE, "verdict": verdict(), "gold": gold_document()}


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_a_good_document_has_no_issue(kind: Any) -> None:
    assert problems_with(kind, DOCUMENTS[kind]) == []
    require(kind, DOCUMENTS[kind], where="here")


@pytest.mark.parametrize("kind", schemas.KINDS)
@pytest.mark.parametrize("document", [None, [], "text", 1.0, {}])
def test_no_document_of_another_shape_is_valid(kind: Any, document: Any) -> None:
    assert problems_with(kind, document)


@pytest.mark.parametrize(
    ("change", "path", "expected", "found"),
    [
        ({"score": math.nan}, "$.score", "finite number", "NaN"),  # jsonschema lets NaN pass under minimum
        ({"score": math.inf}, "$.score", "finite number", "infinity"),
        ({"score": 1.0000001}, "$.score", "maximum 1", "1.0000001"),
        ({"score": -0.1}, "$.score", "minimum 0", "-0.1"),
        ({"score": True}, "$.score", "type number", "True"),
        ({"score": "0.5"}, "$.score", "type number", "'0.5'"),
        ({"flags": ["a", "a"]}, "$.flags", "uniqueItems", "['a', 'a']"),
        ({"failure": "unlucky"}, "$.failure", "'protocol', 'wrong', 'infrastructure'", "'unlucky'"),
        ({"schema": "scilaws-bench/verdict/2"}, "$.schema", "'scilaws-bench/verdict/1'", "verdict/2"),
        ({"task_hash": "0" * 63}, "$.task_hash", "text matching", "'000"),
        ({"more": 1}, "$", "only answer_hash", "unknown more"),
        ({"evidence": {"metric": "rmse"}}, "$.evidence", "keys groups", "none of that name"),
    ],
)
def test_an_issue_says_where_what_was_expected_and_found(
    change: dict[str, Any], path: str, expected: str, found: str
) -> None:
    issues = problems_with("verdict", verdict(**change))
    matching = [issue for issue in issues if issue.path == path and expected in issue.expected]
    assert len(matching) == 1, issues
    assert found in matching[0].found
    assert matching[0].remedy


@pytest.mark.parametrize("field", ["score", "metric_value", "reference_value"])
def test_a_score_inside_evidence_is_finite_and_in_range(field: str) -> None:
    document = verdict()
    document["evidence"]["groups"][0][field] = math.nan
    assert [issue.path for issue in problems_with("verdict", document)] == [f"$.evidence.groups[0].{field}"]
    document["evidence"]["groups"][0][field] = 3.0  # grader_pitfalls 1 DB: F1 of 3.0
    assert bool(problems_with("verdict", document)) == (field == "score")


@pytest.mark.parametrize("text", ["scilaws_real/t\n", "scilaws_real/t\n\n", "scilaws_real/", "scilaws_real/../t", ""])
def test_a_pattern_holds_to_the_very_end(text: str) -> None:
    """Python's `$` also matches before a final newline; a task id with one would be another file name."""
    assert [issue.path for issue in problems_with("verdict", verdict(task_id=text))] == ["$.task_id"]


def test_a_pattern_without_end_is_a_prefix() -> None:
    file = {"name": "n", "url": "https://example.org/file", "sha256": HASH, "bytes": 1}
    assert problems_with("source", {"kind": "url", "files": [file]}) == []
    assert problems_with("source", {"kind": "url", "files": [file | {"url": "ftp://https://example.org"}]})


def test_missing_keys_are_one_issue() -> None:
    issues = problems_with("verdict", {})
    assert len(issues) == 1
    assert issues[0].expected == "keys " + ", ".join(sorted(verdict()))


def test_all_faults_are_listed_and_the_first_is_raised_with_their_number() -> None:
    document = verdict(score=2, reason=None, flags="none")
    assert [issue.path for issue in problems_with("verdict", document)] == ["$.flags", "$.reason", "$.score"]
    with pytest.raises(SchemaError, match=r"here at \$\.flags \(2 more\); expected type array; found 'none'"):
        require("verdict", document, where="here")


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({"kind": "url", "files": []}, "minItems 1"),
        ({"kind": "pypi"}, "keys archive, distribution, members, version"),
        ({"kind": "upstream", "problem": ""}, "minLength 1"),
    ],
)
def test_of_several_forms_the_one_meant_is_explained(document: dict[str, Any], expected: str) -> None:
    assert [issue.expected for issue in problems_with("source", document)] == [expected]


def _long(key: str) -> dict[str, Any]:
    return verdict() | {f"{key}{number}": number for number in range(1000)}


@pytest.mark.parametrize(
    ("make", "kept"),
    [
        (lambda: verdict(**{"\x1b[31mred\n": 1}), r"'\x1b[31mred\n'"),
        (lambda: verdict(**{"k" * 10_000: 1}), "…"),
        (lambda: _long("key"), "and 992 more"),
        (lambda: verdict(reason=["\x1b[31m" * 1000]), r"\x1b[31m"),
    ],
)
def test_text_of_a_document_is_quoted_and_cut(make: Callable[[], dict[str, Any]], kept: str) -> None:
    text = str(problems_with("verdict", make())[0])
    assert kept in text
    assert text.isprintable()
    assert len(text) < 1000


def test_a_hostile_key_in_a_path_is_quoted() -> None:
    issues = problems_with("law", LAW | {"law_constants": {"\x1b[2J\n" + "k" * 40: "2"}})
    assert issues[0].path == "$.law_constants." + repr("\x1b[2J\n" + "k" * 40)


def test_an_issue_is_printable_and_json() -> None:
    issue = Issue("$.a", "1", "2", "Mend it.")
    assert str(issue) == "$.a: expected 1; found 2. Mend it."
    assert issue.to_json() == {"path": "$.a", "expected": "1", "found": "2", "remedy": "Mend it."}


class TestLawDeclarations:
    @pytest.mark.parametrize(
        "change",
        [
            {"used_inputs": []},
            {"used_inputs": ["x", "x"]},
            {"used_inputs": "x"},
            {"used_inputs": None},
            {"law_constants": {"k": "<nan>"}},
            {"law_constants": {"k": [1.0]}},
            {"law_constants": {"k": True}},
            {"law_constants": {"": 1.0}},
            {"law_constants": {"k" * 81: 1.0}},
            {"law_constants": None},
            {"other_constants": None},
            {"local_fittable": {"b": 1.0}},
            {"local_fittable": {"b": {"init": "1"}}},
            {"local_fittable": {"b": {"initial": 1}}},
            {"has_predict": False},
        ],
    )
    def test_faulty_declarations(self, change: dict[str, Any]) -> None:
        assert problems_with("law", LAW | change)

    @pytest.mark.parametrize("name", ["α", "µ0", "_k", "K9", "λ_eff"])
    def test_any_python_name_is_a_constant(self, name: str) -> None:
        """Public submissions run unchanged; Python takes Greek letters as names."""
        assert problems_with("law", LAW | {"law_constants": {name: 1}, "local_fittable": {name: {"init": 1}}}) == []
