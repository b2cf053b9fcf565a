"""Frames come out of pickles unchanged; pickles that name anything else do nothing at all."""

from __future__ import annotations

import lzma
import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from scilaws_bench.errors import SourceIntegrityError
from scilaws_builders.sources import pickled
from scilaws_builders.sources.pickled import read_pickled_frame


class _Global:
    """Pickles as the global `module.name`, whether or not it can be imported here."""

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name


class _Call:
    """Pickles as `function(*arguments)`, then, if given, as `.__setstate__(state)` on the result."""

    def __init__(self, function: object, *arguments: object, state: object = None) -> None:
        self.function, self.arguments, self.state = function, arguments, state


def _opcodes(value: object) -> bytes:
    """The instructions that push `value`, written by hand so that any global can be named."""
    if isinstance(value, _Global):
        return f"c{value.module}\n{value.name}\n".encode()
    if isinstance(value, _Call):
        made = _opcodes(value.function) + _opcodes(value.arguments) + b"R"
        return made if value.state is None else made + _opcodes(value.state) + b"b"
    if isinstance(value, tuple):
        return b"(" + b"".join(map(_opcodes, value)) + b"t"
    if isinstance(value, list):
        return b"](" + b"".join(map(_opcodes, value)) + b"e"
    if isinstance(value, dict):
        return b"}(" + b"".join(_opcodes(part) for pair in value.items() for part in pair) + b"u"
    return pickle.dumps(value, protocol=3)[2:-1]  # without the version mark and the final stop


FROMBUFFER = _Global("numpy.core.numeric", "_frombuffer")
RECONSTRUCT = _Global("numpy.core.multiarray", "_reconstruct")
NDARRAY = _Global("numpy", "ndarray")


def _dtype(code: str, order: str) -> _Call:
    return _Call(_Global("numpy", "dtype"), code, False, True, state=(3, order, None, None, None, -1, -1, 0))


def _object_array(cells: list[object]) -> _Call:
    return _Call(RECONSTRUCT, NDARRAY, (0,), b"b", state=(1, (len(cells),), _dtype("O8", "|"), False, cells))


def _frame(values: object, names: list[object], rows: int, **more: object) -> bytes:
    """A frame of one block, spelled as pandas 2 under numpy 1 wrote it."""
    new_index = _Global("pandas.core.indexes.base", "_new_Index")
    labelled, ranged = _Global("pandas.core.indexes.base", "Index"), _Global("pandas.core.indexes.range", "RangeIndex")
    columns = _Call(new_index, labelled, {"data": _object_array(names), "name": None})
    index = _Call(new_index, ranged, {"name": None, "start": 0, "stop": rows, "step": 1})
    placement = _Call(_Global("builtins", "slice"), 0, len(names), 1)
    block = _Call(_Global("pandas._libs.internals", "_unpickle_block"), values, placement, 2)
    manager = _Call(_Global("pandas.core.internals.managers", "BlockManager"), (block,), [columns, index])
    frame = _Call(_Global("pandas.core.frame", "DataFrame"), state={"_mgr": manager, "attrs": {}, **more})
    return b"\x80\x03" + _opcodes(frame) + b"."


def _numbers(array: np.ndarray, code: str, order: str, memory: str = "C") -> _Call:
    return _Call(FROMBUFFER, array.tobytes(memory), _dtype(code, order), array.shape, memory)


TABLE = np.array([[1.5, np.nan, -2.0], [0.0, 1e300, 5e-324]])


@pytest.mark.parametrize("pack", [bytes, lzma.compress], ids=["plain", "xz"])
@pytest.mark.parametrize(("order", "memory"), [("<", "C"), ("<", "F"), (">", "C")])
def test_numbers_arrive_bit_for_bit(pack: Callable[[bytes], bytes], order: str, memory: str) -> None:
    stored = _numbers(TABLE.astype(f"{order}f8"), "f8", order, memory)
    frame = read_pickled_frame(pack(_frame(stored, ["height", "width"], rows=3)))
    pd.testing.assert_frame_equal(frame, pd.DataFrame({"height": TABLE[0], "width": TABLE[1]}), check_exact=True)


def test_text_with_gaps_arrives() -> None:
    cells = _Call(RECONSTRUCT, NDARRAY, (0,), b"b", state=(1, (1, 3), _dtype("O8", "|"), False, ["Näslund", None, 3]))
    frame = read_pickled_frame(_frame(cells, ["who"], rows=3))
    assert frame["who"].tolist() == ["Näslund", None, 3]


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("os", "system"),
        ("builtins", "eval"),
        ("builtins", "getattr"),
        ("pandas", "read_pickle"),
        ("pandas.core.frame", "DataFrame.eval"),
        ("numpy.core.multiarray", "scalar"),
        ("numpy", "load"),
        ("functools", "partial"),
    ],
)
def test_any_other_global_is_refused_by_name(module: str, name: str) -> None:
    attack = b"\x80\x04" + _opcodes(_Call(_Global(module, name), "1")) + b"."
    with pytest.raises(SourceIntegrityError, match=f"{module}.{name}".replace(".", r"\.")):
        read_pickled_frame(attack)


def test_a_command_hidden_in_an_attribute_does_not_run(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    attack = _frame(
        _numbers(TABLE, "f8", "<"), ["a", "b"], rows=3, flags=_Call(_Global("os", "system"), f"touch {mark}")
    )
    with pytest.raises(SourceIntegrityError, match=r"os\.system"):
        read_pickled_frame(attack)
    assert not mark.exists()


@pytest.mark.parametrize(
    "target",
    [
        _Global("pandas.core.frame", "DataFrame"),
        _Global("pandas.core.indexes.base", "_new_Index"),
        _Global("numpy", "dtype"),
        _Global("builtins", "slice"),
    ],
    ids=lambda target: target.name,
)
def test_a_pickle_cannot_alter_the_reader_for_the_next_one(target: _Global) -> None:
    attack = b"\x80\x03" + _opcodes(target) + _opcodes((None, {"build": 1, "__init__": 1})) + b"b."
    with pytest.raises(SourceIntegrityError):
        read_pickled_frame(attack)
    assert read_pickled_frame(_frame(_numbers(TABLE, "f8", "<"), ["a", "b"], rows=3)).shape == (3, 2)


GOOD = _frame(_numbers(TABLE, "f8", "<"), ["a", "b"], rows=3)
REFUSED = {
    "empty": b"",
    "not a pickle": b"a,b\n1,2\n",
    "another object": pickle.dumps([1, 2, 3]),
    "truncated": GOOD[:-40],
    "truncated xz": lzma.compress(GOOD)[:-30],
    "damaged xz": lzma.compress(GOOD)[:60] + b"\x00" * 8 + lzma.compress(GOOD)[68:],
    "too few rows": _frame(_numbers(TABLE, "f8", "<"), ["a", "b"], rows=4),
    "too few columns": _frame(_numbers(TABLE, "f8", "<"), ["a", "b", "c"], rows=3),
    "one name twice": _frame(_numbers(TABLE, "f8", "<"), ["a", "a"], rows=3),
    "a number as a name": _frame(_numbers(TABLE, "f8", "<"), ["a", 1], rows=3),
    "time stamps": _frame(_numbers(TABLE, "M8[ns]", "<"), ["a", "b"], rows=3),
    "raw memory as objects": _frame(_numbers(TABLE, "O8", "|"), ["a", "b"], rows=3),
    "more shape than bytes": _frame(_Call(FROMBUFFER, b"\0" * 8, _dtype("f8", "<"), (2, 3), "C"), ["a", "b"], rows=3),
    "a list in a cell": _frame(
        _Call(RECONSTRUCT, NDARRAY, (0,), b"b", state=(1, (1, 2), _dtype("O8", "|"), False, [[1], 2])), ["a"], rows=2
    ),
}


@pytest.mark.parametrize("data", REFUSED.values(), ids=REFUSED.keys())
def test_malformed_bytes_are_an_integrity_error(data: bytes) -> None:
    with pytest.raises(SourceIntegrityError, match="pickled table"):
        read_pickled_frame(data)


def test_a_decompression_bomb_stops_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pickled, "MAX_BYTES", 10_000)
    with pytest.raises(SourceIntegrityError, match="more than 10000 bytes"):
        read_pickled_frame(lzma.compress(b"\0" * 10_000_000))
    with pytest.raises(SourceIntegrityError, match="20000 bytes, more than 10000"):
        read_pickled_frame(b"\0" * 20_000)
