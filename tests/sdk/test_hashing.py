"""Hashes of logical content: values and types count, how a file was written does not (grader_pitfalls 66)."""

from __future__ import annotations

import hashlib
import io
import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from scilaws_bench import hashing
from scilaws_bench.errors import SchemaError

NAN = math.nan
BASE = {"x": [1.0, 2.5, None], "n": [1, 2, 3], "t": ["a", None, "µ"], "l": [["a"], [], None], "f": [[1.0], [], None]}


def table(**changes: Any) -> pa.Table:
    return pa.table(BASE | changes)


def pinned(kind: Any, values: list[Any]) -> str:
    return hashing.table_hash(pa.table({"c": pa.array(values, type=kind)}))


def test_hashes_of_bytes_files_and_json(tmp_path: Path) -> None:
    content = b"\x00abc" * 100_000
    (tmp_path / "f").write_bytes(content)
    assert hashing.bytes_hash(content) == hashing.file_hash(tmp_path / "f") == hashlib.sha256(content).hexdigest()
    assert hashing.json_hash({"b": 1, "a": "µ"}) == hashlib.sha256('{"a":"µ","b":1}'.encode()).hexdigest()
    with pytest.raises(SchemaError):
        hashing.json_hash([NAN])


@pytest.mark.parametrize(
    "same",
    [
        lambda t: pa.concat_tables([t.slice(0, 1), t.slice(1)]),
        lambda t: t.replace_schema_metadata({"written by": "another version"}),
        lambda t: t.set_column(2, "t", t["t"].cast(pa.large_string())),
        lambda t: t.set_column(1, "n", t["n"].cast(pa.int8())),
        lambda t: t.set_column(0, "x", t["x"].cast(pa.float32())),
        lambda t: t.set_column(3, "l", t["l"].cast(pa.large_list(pa.string()))),
        lambda t: through_parquet(t, compression="gzip", row_group_size=1),
        lambda t: through_parquet(t, version="1.0", use_dictionary=False),
    ],
)
def test_layout_does_not_enter(same: Any) -> None:
    assert hashing.table_hash(same(table())) == hashing.table_hash(table())


def through_parquet(original: pa.Table, **options: Any) -> pa.Table:
    stream = io.BytesIO()
    pq.write_table(original, stream, **options)
    return pq.read_table(stream)


@pytest.mark.parametrize(
    "other",
    [
        table(x=[1.0, 2.5, 0.0]),
        table(x=[1.0, 2.5, NAN]),
        table(x=[1.0, np.nextafter(2.5, 3.0), None]),
        table(x=[2.5, 1.0, None]),
        table(n=[1, 2, None]),
        table(n=[1.0, 2.0, 3.0]),
        table(t=["a", "", "µ"]),
        table(t=["a", None, "μ"]),  # MICRO SIGN and GREEK MU differ
        table(l=[["a"], None, []]),
        table(f=[[1.0], [], []]),
        table().rename_columns(["x", "n", "t", "l", "g"]),
        table().select(["n", "x", "t", "l", "f"]),
        table().slice(0, 2),
        table().append_column("new", pa.array([1, 2, 3])),
    ],
)
def test_content_enters(other: pa.Table) -> None:
    assert hashing.table_hash(other) != hashing.table_hash(table())


@pytest.mark.parametrize("kind", [pa.float64(), pa.list_(pa.float64())])
def test_one_zero_and_one_nan(kind: pa.DataType) -> None:
    quiet = np.array([0x7FF8000000000001], dtype=np.uint64).view(np.float64)[0]
    wrap = (lambda value: [value]) if pa.types.is_list(kind) else (lambda value: value)
    assert pinned(kind, [wrap(-0.0)]) == pinned(kind, [wrap(0.0)])
    assert pinned(kind, [wrap(NAN)]) == pinned(kind, [wrap(quiet)])
    assert len({pinned(kind, [wrap(value)]) for value in (NAN, math.inf, -math.inf, None, 0.0)}) == 5


def test_values_can_not_move_between_columns() -> None:
    first = pa.table({"a": ["x", "y"], "b": ["", ""]})
    second = pa.table({"a": ["", ""], "b": ["x", "y"]})
    assert hashing.table_hash(first) != hashing.table_hash(second)


def test_a_hash_stays_what_it_was() -> None:
    assert hashing.table_hash(table()) == "9b9ca437b1413b290cd2e64ec0bb601877fe112af54e1224ab9d0e8e3d7a22ce"


@pytest.mark.parametrize("column", [[True, False], [b"x", b"y"], [None, None]])
def test_other_column_types_are_refused(column: list[Any]) -> None:
    with pytest.raises(TypeError, match="tables of a release hold"):
        hashing.table_hash(pa.table({"c": column}))


def test_column_types_fold_widths() -> None:
    kinds = [pa.float32(), pa.uint8(), pa.large_string(), pa.list_(pa.int16())]
    described = hashing.column_types(pa.schema([(f"c{i}", kind) for i, kind in enumerate(kinds)]).empty_table())
    assert described == [
        {"name": f"c{i}", "type": name} for i, name in enumerate(["float", "int", "text", "list<int>"])
    ]


class TestDraws:
    def test_draws_replay_forever(self) -> None:
        assert hashing.counter_draws("key", 2).tolist() == [3944568738151004695, 11111139742353862687]
        assert hashing.counter_permutation("key", 8).tolist() == [6, 5, 2, 0, 1, 3, 7, 4]

    def test_draws_depend_on_the_key_alone_and_extend(self) -> None:
        assert hashing.counter_draws("a", 4).tolist() == hashing.counter_draws("a", 9)[:4].tolist()
        assert hashing.counter_draws("a", 4).tolist() != hashing.counter_draws("b", 4).tolist()

    @pytest.mark.parametrize("count", [0, 1, 2, 1000])
    def test_a_permutation_holds_every_index_once(self, count: int) -> None:
        assert sorted(hashing.counter_permutation("key", count).tolist()) == list(range(count))
