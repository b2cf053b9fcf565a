"""Bytes that travel: requests to a law's process, results from it, and the control messages of a zygote.

A request is ``<u8 header length> header JSON, source, arrays`` in one sealed memory file. A result is one tag byte and
a body: raw little-endian float64 for predict, JSON for describe and fit, ``{"kind", "message"}`` JSON for errors.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IndexArray = npt.NDArray[np.int64]

TAG_NUMBERS, TAG_JSON, TAG_ERROR = b"N", b"J", b"E"
MAX_ERROR_BYTES = 4096
MAX_MESSAGE_CHARACTERS = 300
MAX_FIT_BYTES = 64 << 10
MAX_DESCRIBE_BYTES = 256 << 10
MAX_OUTPUT_CHARACTERS = 16_000
MAX_PYTHON_BYTES = 256 << 10  # a character of the output takes at most 12 bytes of JSON
MAX_CONTROL_BYTES = 4096


def _no_table() -> FloatArray:
    return np.empty((0, 0))


def _no_column() -> FloatArray:
    return np.empty(0)


def _no_groups() -> IndexArray:
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Request:
    """One call of a law. X: (n, d); y: (n,) for fit; thetas: (k, p) with p = len(names); selections: row numbers.

    Or, for python, a script: `names` are then those of X's columns and of y, `groups` (n,) or empty.
    """

    call: Literal["describe", "fit", "predict", "python"]
    source: str
    X: FloatArray = field(default_factory=_no_table)
    y: FloatArray = field(default_factory=_no_column)
    names: Sequence[str] = ()
    thetas: FloatArray = field(default_factory=_no_table)
    selections: Sequence[IndexArray] = ()
    constants: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0
    groups: IndexArray = field(default_factory=_no_groups)

    @property
    def result_count(self) -> int:
        """How many float64 values a predict call returns: k·n and one for every selected row."""
        return len(self.thetas) * len(self.X) + sum(len(selection) for selection in self.selections)

    @property
    def result_limit(self) -> int:
        """Most bytes a correct result may have, its tag included; errors always fit."""
        body = {
            "describe": MAX_DESCRIBE_BYTES,
            "fit": MAX_FIT_BYTES,
            "predict": 8 * self.result_count,
            "python": MAX_PYTHON_BYTES,
        }
        return 1 + max(body[self.call], MAX_ERROR_BYTES)

    def encode(self) -> bytes:
        """The request as bytes; text that is not valid Unicode survives, for the law's own compile step to refuse."""
        source = self.source.encode("utf-8", "surrogatepass")
        header = json.dumps(
            {
                "call": self.call,
                "source_bytes": len(source),
                "shapes": [self.X.shape, self.y.shape, self.thetas.shape],
                "selections": [len(selection) for selection in self.selections],
                "groups": len(self.groups),
                "names": list(self.names),
                "constants": dict(self.constants),
                "seed": self.seed,
            }
        ).encode()
        arrays = [_little(array, "<f8") for array in (self.X, self.y, self.thetas)]
        arrays += [_little(selection, "<i8") for selection in (*self.selections, self.groups)]
        return b"".join([struct.pack("<Q", len(header)), header, source, *arrays])

    @classmethod
    def decode(cls, data: bytes) -> Request:
        """Inverse of :meth:`encode`. The arrays are writable copies; the input is trusted, it comes from the host."""
        (length,) = struct.unpack_from("<Q", data)
        header: dict[str, Any] = json.loads(data[8 : 8 + length])
        reader = _Reader(data, 8 + length)
        source = reader.take(header["source_bytes"]).decode("utf-8", "surrogatepass")
        X, y, thetas = (reader.floats(tuple(shape)) for shape in header["shapes"])
        selections = [reader.indices(count) for count in header["selections"]]
        groups = reader.indices(header["groups"])
        fields = {name: header[name] for name in ("call", "names", "constants", "seed")}
        return cls(source=source, X=X, y=y, thetas=thetas, selections=selections, groups=groups, **fields)


class _Reader:
    def __init__(self, data: bytes, offset: int) -> None:
        self._data, self._offset = data, offset

    def take(self, count: int) -> bytes:
        self._offset += count
        return self._data[self._offset - count : self._offset]

    def floats(self, shape: tuple[int, ...]) -> FloatArray:
        flat = np.frombuffer(self.take(8 * int(np.prod(shape))), "<f8")
        return flat.astype(np.float64).reshape(shape)  # astype copies: the law gets memory it may write to

    def indices(self, count: int) -> IndexArray:
        return np.frombuffer(self.take(8 * count), "<i8").astype(np.int64)


def _little(array: npt.NDArray[Any], dtype: str) -> bytes:
    return np.ascontiguousarray(array, dtype=dtype).tobytes()
