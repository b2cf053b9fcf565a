"""Read one pandas data frame out of a pickle without running anything the pickle names.

Some archives ship their tables only as pickles. `pickle.load` calls whatever the file asks for,
and pandas' own reader ties the result to the pandas version that wrote it. Here each global that a
plain numeric-or-text frame needs is answered by a small stand-in from this file, which only keeps
what it is given; any other global is refused by name. Real arrays and a real `pandas.DataFrame` are
built afterwards, from checked parts, so numpy's and pandas' own unpickling code never runs.
"""

from __future__ import annotations

import io
import lzma
import pickle
import re
from typing import Any

import numpy as np
import pandas as pd

from scilaws_bench.errors import SourceIntegrityError

MAX_BYTES = 256 * 1024 * 1024
"""Largest accepted size of the decompressed pickle, in bytes."""

_XZ_MAGIC = b"\xfd7zXZ\x00"
_XZ_DECODER_BYTES = 256 * 1024 * 1024
_NUMBER_CODE = re.compile(r"b1|[iu][1248]|f[48]")
_OBJECT_CODE = re.compile(r"O[48]?")
_CELL_TYPES = (str, int, float, type(None))  # bool is an int


def read_pickled_frame(data: bytes) -> pd.DataFrame:
    """Return the data frame stored in `data`, a pickle that may be xz-compressed.

    Columns keep their stored names and order; rows are numbered 0, 1, 2, ... whatever their stored
    labels. Columns hold booleans, integers, floats, or objects that are None, booleans, numbers or text.

    Raises SourceIntegrityError for bytes that are not such a pickle, that name any global outside
    `_ALLOWED`, or that decompress to more than MAX_BYTES.
    """
    try:
        return _assemble(_FrameUnpickler(io.BytesIO(_decompress(data))).load())
    except SourceIntegrityError:
        raise
    # What the decoder, numpy or a stand-in may raise when the bytes are damaged or malicious.
    except (
        pickle.UnpicklingError,
        lzma.LZMAError,
        EOFError,
        MemoryError,
        RecursionError,
        ArithmeticError,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
    ) as fault:
        raise _refusal(f"{type(fault).__name__}: {fault}") from fault


def _refusal(found: str) -> SourceIntegrityError:
    return SourceIntegrityError(
        thing="pickled table",
        expected="one pandas data frame of numbers and text, plain or xz-compressed",
        found=found,
        remedy="Check the member's pinned hash; a table of another kind needs a reader of its own.",
    )


def _decompress(data: bytes) -> bytes:
    if not data.startswith(_XZ_MAGIC):
        if len(data) > MAX_BYTES:
            raise _refusal(f"{len(data)} bytes, more than {MAX_BYTES}")
        return data
    decoder = lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=_XZ_DECODER_BYTES)
    plain = decoder.decompress(data, max_length=MAX_BYTES + 1)
    if len(plain) > MAX_BYTES:
        raise _refusal(f"more than {MAX_BYTES} bytes after decompression")
    if not decoder.eof:
        raise _refusal("a truncated xz stream")
    return plain


class _Sealed(type):
    """A pickle's BUILD instruction may set attributes on classes it was given; not on these."""

    def __setattr__(cls, name: str, value: object) -> None:
        raise pickle.UnpicklingError(f"an attempt to change {cls.__name__}")


class _Name(metaclass=_Sealed):
    """Stands for a class the pickle only passes on as an argument."""


class _Dtype(metaclass=_Sealed):
    """numpy.dtype(code, align, copy), then its state, of which only the byte order is used."""

    def __init__(self, code: str, *_flags: object) -> None:
        self._code = code
        self._order = "="

    def __setstate__(self, state: tuple[object, ...]) -> None:
        self._order = str(state[1])

    def build(self) -> np.dtype[Any]:
        if _OBJECT_CODE.fullmatch(self._code):
            return np.dtype(object)
        if not _NUMBER_CODE.fullmatch(self._code) or self._order not in ("<", ">", "=", "|"):
            raise _refusal(f"numpy type {self._code!r} with byte order {self._order!r}")
        return np.dtype(self._order + self._code)


class _Buffer(metaclass=_Sealed):
    """numpy's _frombuffer(buffer, dtype, shape, order)."""

    def __init__(self, buffer: bytes | bytearray, dtype: _Dtype, shape: tuple[int, ...], order: str) -> None:
        self._parts = (buffer, dtype, shape, order)

    def build(self) -> np.ndarray[Any, Any]:
        buffer, dtype, shape, order = self._parts
        flat = np.frombuffer(buffer, dtype=dtype.build())
        return flat.reshape(shape, order="F" if order == "F" else "C")


class _Array(metaclass=_Sealed):
    """numpy's _reconstruct(ndarray, (0,), b"b"), filled by (version, shape, dtype, is_fortran, data)."""

    def __init__(self, *_shell: object) -> None:
        self._state: tuple[Any, ...] | None = None

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._state = state

    def build(self) -> np.ndarray[Any, Any]:
        if self._state is None:
            raise _refusal("an array without content")
        _version, shape, dtype, is_fortran, data = self._state
        if isinstance(data, list):
            flat = np.empty(len(data), dtype=object)
            flat[:] = data
        else:
            flat = np.frombuffer(data, dtype=dtype.build())
        return flat.reshape(shape, order="F" if is_fortran else "C")


class _Index(metaclass=_Sealed):
    """pandas' _new_Index(class, state): labels in state["data"], or a range."""

    def __init__(self, _cls: object, state: dict[str, Any]) -> None:
        self._state = state

    def labels(self) -> list[Any]:
        return list(self._state["data"].build().tolist())

    def __len__(self) -> int:
        if "data" in self._state:
            return len(self.labels())
        return len(range(self._state["start"], self._state["stop"], self._state["step"]))


class _Block(metaclass=_Sealed):
    """pandas' _unpickle_block(values, placement, ndim): k columns and where they stand."""

    def __init__(self, values: _Buffer | _Array, placement: slice | _Buffer | _Array, ndim: int) -> None:
        self._parts = (values, placement, ndim)

    def columns(self, n_columns: int, n_rows: int) -> list[tuple[int, np.ndarray[Any, Any]]]:
        """(position, values of that column) of each column in the block."""
        stored, placement, ndim = self._parts
        values = stored.build()
        chosen = np.arange(n_columns)[placement if isinstance(placement, slice) else placement.build()]
        if ndim != 2 or values.shape != (chosen.size, n_rows):
            raise _refusal(f"a block of shape {values.shape} for {chosen.size} columns of {n_rows} rows")
        return [(int(position), row) for position, row in zip(chosen, values, strict=True)]


class _Manager(metaclass=_Sealed):
    """pandas' BlockManager(blocks, [columns, rows])."""

    def __init__(self, blocks: tuple[_Block, ...], axes: list[_Index]) -> None:
        self.blocks = blocks
        self.axes = axes


class _Frame(metaclass=_Sealed):
    """Receives the frame's attributes; only the block manager among them is looked at."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.manager = state["_mgr"]


# What pandas 1 and 2 write for a frame of plain columns; numpy 2 renamed numpy.core to numpy._core.
_ALLOWED: dict[tuple[str, str], type] = {
    ("pandas.core.frame", "DataFrame"): _Frame,
    ("pandas.core.internals.managers", "BlockManager"): _Manager,
    ("pandas._libs.internals", "_unpickle_block"): _Block,
    ("pandas.core.indexes.base", "_new_Index"): _Index,
    ("pandas.core.indexes.base", "Index"): _Name,
    ("pandas.core.indexes.range", "RangeIndex"): _Name,
    ("numpy", "dtype"): _Dtype,
    ("numpy", "ndarray"): _Name,
    ("numpy.core.numeric", "_frombuffer"): _Buffer,
    ("numpy._core.numeric", "_frombuffer"): _Buffer,
    ("numpy.core.multiarray", "_reconstruct"): _Array,
    ("numpy._core.multiarray", "_reconstruct"): _Array,
    ("builtins", "slice"): slice,
}


class _FrameUnpickler(pickle.Unpickler):
    """Resolves the globals in `_ALLOWED` and refuses every other before anything is called."""

    def find_class(self, module_name: str, global_name: str, /) -> type:
        try:
            return _ALLOWED[module_name, global_name]
        except KeyError:
            raise _refusal(f"a reference to {module_name}.{global_name}") from None


def _assemble(stored: object) -> pd.DataFrame:
    manager = getattr(stored, "manager", None)
    if not isinstance(stored, _Frame) or not isinstance(manager, _Manager):
        raise _refusal("a pickle of something that is not a data frame")
    names, n_rows = manager.axes[0].labels(), len(manager.axes[1])
    if not all(isinstance(name, str) for name in names) or len(set(names)) != len(names):
        raise _refusal("column names that are not distinct text")
    columns: dict[str, np.ndarray[Any, Any]] = {}
    for block in manager.blocks:
        for position, values in block.columns(len(names), n_rows):
            columns[names[position]] = _plain(names[position], values)
    if len(columns) != len(names):
        raise _refusal(f"values for {len(columns)} of {len(names)} columns")
    return pd.DataFrame({name: columns[name] for name in names})


def _plain(name: str, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """One column as a native-order copy; object columns only with cells of harmless types."""
    if values.dtype.kind != "O":
        return values.astype(values.dtype.newbyteorder("="))
    odd = {type(cell).__name__ for cell in values.tolist() if not isinstance(cell, _CELL_TYPES)}
    if odd:
        raise _refusal(f"column {name!r} holding cells of type {', '.join(sorted(odd))}")
    return values.copy()
