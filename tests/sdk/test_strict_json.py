"""Strict JSON both ways: what the standard library lets pass is refused, whoever reads or writes."""

from __future__ import annotations

import json
import math
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scilaws_bench import strict_json
from scilaws_bench.errors import SchemaError

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**38), 10**38)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(max_size=5), children, max_size=4),
    max_leaves=12,
)


def nested(levels: int, innermost: str) -> str:
    return "[" * levels + innermost + "]" * levels


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": NaN}', "NaN"),  # grader_pitfalls 1 AS, 27: bare NaN in JSON
        ("[Infinity]", "Infinity"),
        ("[-Infinity]", "-Infinity"),
        ("[1e999]", "1e999"),
        ("[-1e999]", "-1e999"),
        ('{"a": 1, "a": 1}', "key 'a' twice"),  # grader_pitfalls 1 AS: duplicate keys, last wins
        ('{"a": {"b": 1, "c": 2, "b": 3}}', "key 'b' twice"),
        (r'["\ud800"]', "a lone surrogate"),
        (r'{"\udfff": 1}', "a lone surrogate"),
        ('["\ud800"]', "a lone surrogate"),
        ("[" + "9" * 41 + "]", "41 digits"),
        ("{'a': 1}", "line 1 column 2"),
        ('{"a": 1,}', "line 1"),
        ("", "line 1 column 1"),
        ('{"a": 1} {"b": 2}', "Extra data"),
        ("\ufeff{}", "BOM"),
        (b'{"a": "\xff"}', "byte 7 is not UTF-8"),
        (b"\xff\xfe[\x00]\x00", "byte 0 is not UTF-8"),
        (nested(65, ""), "deeper nesting"),
        (nested(65, "1"), "deeper nesting"),
        ('{"a":' * 65 + "{}" + "}" * 65, "deeper nesting"),
        ("[" * 100_000, "deeper nesting"),
    ],
)
def test_loose_json_is_refused_with_what_was_found(text: str | bytes, found: str) -> None:
    with pytest.raises(SchemaError) as caught:
        strict_json.loads(text, where="the file")
    assert caught.value.thing == "the file"
    assert found in caught.value.found


@pytest.mark.parametrize("innermost", ["", "1", '"a"'])
def test_64_levels_are_allowed_whatever_is_innermost(innermost: str) -> None:
    assert strict_json.loads(nested(64, innermost)) == json.loads(nested(64, innermost))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("9" * 40, 10**40 - 1),
        ("1e308", 1e308),
        ("-0.0", 0.0),
        ("1e-999", 0.0),
        (r'"\ud83d\ude00"', "\N{GRINNING FACE}"),
        (b'"\xc2\xb5"', "\N{MICRO SIGN}"),
        (b" null\n", None),
        ('{"a": 1, "b": {"a": 1}}', {"a": 1, "b": {"a": 1}}),
    ],
)
def test_strict_json_is_read(text: str | bytes, value: Any) -> None:
    assert strict_json.loads(text) == value


@pytest.mark.parametrize(
    "value",
    [math.nan, [math.inf], {"a": {"b": -math.inf}}, {"a": {1, 2}}, b"bytes", {"a": 1, 2: 3}, "\ud800", {"\udc00": 1}],
)
def test_values_without_a_strict_form_are_not_written(value: Any) -> None:
    with pytest.raises(SchemaError, match="to be written as JSON"):
        strict_json.canonical_bytes(value)


def _nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("value", [10**40 - 1, 1 - 10**39, _nested(64)])
def test_the_largest_that_is_written_is_read_back(value: Any) -> None:
    assert strict_json.loads(strict_json.dumps({"a": (value,)} if isinstance(value, int) else value)) is not None


@pytest.mark.parametrize("value", [10**40, -(10**39), {"a": [(10**40,)]}, _nested(65)])
def test_what_could_not_be_read_back_is_not_written(value: Any) -> None:
    with pytest.raises(SchemaError, match="to be written as JSON"):
        strict_json.dumps(value)


def test_a_circular_value_is_named_as_such() -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(SchemaError, match="Circular"):
        strict_json.dumps(value)


@settings(deadline=None, derandomize=True, database=None, max_examples=200)
@given(value=PLAIN)
def test_what_is_written_is_read_back(value: Any) -> None:
    assert strict_json.loads(strict_json.canonical_bytes(value)) == value
    assert strict_json.loads(strict_json.dumps(value, indent=2)) == value


def test_canonical_bytes_do_not_depend_on_key_order_or_layout() -> None:
    first, second = {"b": [1.5, None], "a": "µ"}, {"a": "µ", "b": [1.5, None]}
    assert (
        strict_json.canonical_bytes(first) == strict_json.canonical_bytes(second) == b'{"a":"\xc2\xb5","b":[1.5,null]}'
    )


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (math.nan, "$"),
        ({"a": [0.0, {"b": math.inf}]}, "$.a[1].b"),
        ([1, (2.0, -math.inf)], "$[1][1]"),
        ({"a": [1.0, "nan", None, True]}, None),
    ],
)
def test_the_first_non_finite_number_is_located(value: Any, path: str | None) -> None:
    assert strict_json.first_non_finite(value) == path


class TestFiles:
    def test_a_written_file_reads_back_and_is_public(self, tmp_path: Path) -> None:
        file = tmp_path / "new" / "folder" / "a.json"
        strict_json.write(file, {"b": 1, "a": [None]})
        assert file.read_text() == '{\n  "a": [\n    null\n  ],\n  "b": 1\n}\n'
        assert strict_json.read(file) == {"a": [None], "b": 1}
        assert stat.S_IMODE(file.stat().st_mode) == 0o644

    def test_a_refused_value_leaves_the_old_file(self, tmp_path: Path) -> None:
        file = tmp_path / "a.json"
        strict_json.write(file, 1)
        with pytest.raises(SchemaError):
            strict_json.write(file, math.nan)
        assert strict_json.read(file) == 1

    def test_a_failed_replacement_leaves_no_temporary_file(self, tmp_path: Path) -> None:
        (tmp_path / "a.json").mkdir()
        with pytest.raises(OSError, match="directory"):
            strict_json.write(tmp_path / "a.json", 1)
        assert [path.name for path in tmp_path.iterdir()] == ["a.json"]

    def test_a_faulty_file_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "a.json").write_bytes(b'{"a": 1, "a": 2}')
        with pytest.raises(SchemaError, match=r"a\.json"):
            strict_json.read(tmp_path / "a.json")
