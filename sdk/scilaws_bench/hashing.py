"""Hashes of logical content, and index draws that replay forever.

Content hashes cover values and types, never the bytes of a written file: parquet bytes move with
every pyarrow release. Draws come from SHAKE-256 and not from a numpy generator, whose streams may
change between versions.
"""

from __future__ import annotations

import hashlib
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scilaws_bench import strict_json

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa


def bytes_hash(content: bytes) -> str:
    """SHA-256 of a byte string as 64 hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def json_hash(value: Any) -> str:
    """SHA-256 of the canonical JSON of a value (SchemaError if it has none)."""
    return bytes_hash(strict_json.canonical_bytes(value))


def file_hash(path: Path) -> str:
    """SHA-256 of a file's bytes, read in blocks."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def column_types(table: pa.Table) -> list[dict[str, str]]:
    """Name and logical type of every column: float, int, text, or list of one of these.

    Widths and `large_` variants, which readers choose differently, are folded together.
    """
    return [{"name": field.name, "type": _logical_type(field.type)} for field in table.schema]


def table_hash(table: pa.Table) -> str:
    """SHA-256 of a table's column names, logical types, row order, values and nulls.

    Chunking, file metadata and the pyarrow version do not enter. Negative zero is hashed as zero
    and every NaN alike, inside lists too.

    Raises:
        TypeError: a column of another kind than `column_types` knows.
    """
    digest = hashlib.sha256()
    for described, column in zip(column_types(table), table.columns, strict=True):
        digest.update(strict_json.canonical_bytes([described["name"], described["type"], len(column)]))
        digest.update(_column_bytes(column))
    return digest.hexdigest()


def counter_draws(key: str, count: int) -> npt.NDArray[np.uint64]:
    """`count` uniform 64-bit integers that depend on the text `key` alone."""
    import numpy as np

    stream = hashlib.shake_256(key.encode("utf-8")).digest(8 * count)
    return np.frombuffer(stream, dtype="<u8").astype(np.uint64)


def counter_permutation(key: str, count: int) -> npt.NDArray[np.int64]:
    """A permutation of range(count) that depends on the text `key` alone."""
    import numpy as np

    return np.argsort(counter_draws(key, count), kind="stable").astype(np.int64)


def _logical_type(kind: pa.DataType) -> str:
    import pyarrow as pa

    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return f"list<{_logical_type(kind.value_type)}>"
    if pa.types.is_floating(kind):
        return "float"
    if pa.types.is_integer(kind):
        return "int"
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return "text"
    raise TypeError(f"tables of a release hold float, int, text and lists of them, not {kind}")


def _column_bytes(column: pa.ChunkedArray) -> bytes:
    import numpy as np
    import pyarrow as pa

    kind = column.type
    if pa.types.is_floating(kind):
        nulls = column.is_null().to_numpy()
        values = column.to_numpy(zero_copy_only=False).astype("<f8") + 0.0
        values = np.where(np.isnan(values), np.nan, values)
        return np.packbits(nulls).tobytes() + values.astype("<f8").tobytes()
    return strict_json.canonical_bytes([_plain(value) for value in column.to_pylist()])


def _plain(value: Any) -> Any:
    """Floats inside lists in the one form that JSON can hold."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value + 0.0 if math.isfinite(value) else str(value)
    return value
