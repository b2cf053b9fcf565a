"""R data files (.rda, .RData) without R."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import zlib

from scilaws_bench.errors import SourceIntegrityError

# What a parser of a binary format meets in bytes that are not that format; anything else is a defect to be seen.
_UNREADABLE = (
    ArithmeticError, AssertionError, AttributeError, EOFError, LookupError, NotImplementedError, OSError, TypeError,
    ValueError, lzma.LZMAError, struct.error, zlib.error,
)  # fmt: skip

_SAVED = (b"RDX2\n", b"RDX3\n", b"RDA2\n", b"RDA3\n", b"RDB2\n", b"RDB3\n")


def read_rda(data: bytes) -> dict[str, object]:
    """The objects saved in an R data file, by name.

    Args:
        data: the file's bytes, plain or compressed with gzip, bzip2 or xz.

    Returns:
        Name to value: a data frame is a pandas DataFrame (factors are Categoricals), a vector a numpy array,
        a list a Python list or dict.

    Raises:
        SourceIntegrityError: the bytes are not an R data file that can be read. A single object saved with
            `saveRDS` (.rds) is another format.
    """
    import rdata

    try:
        plain = _decompressed(data)
    except _UNREADABLE as error:
        raise _not_rda(data, f"{type(error).__name__}: {error}") from error
    if not plain.startswith(_SAVED):
        # rdata would only warn and take it for what saveRDS() writes.
        raise _not_rda(data, f"bytes starting {plain[:8]!r}")
    try:
        # Told as a file, the bytes are never taken for a path.
        found = rdata.read_rda(io.BytesIO(plain))
    except _UNREADABLE as error:
        raise _not_rda(data, f"{type(error).__name__}: {error}") from error
    return dict(found)


def _decompressed(data: bytes) -> bytes:
    if data.startswith(b"\x1f\x8b"):
        return gzip.decompress(data)
    if data.startswith(b"BZh"):
        return bz2.decompress(data)
    return lzma.decompress(data) if data.startswith(b"\xfd7zXZ\x00") else data


def _not_rda(data: bytes, why: str) -> SourceIntegrityError:
    return SourceIntegrityError(
        thing=f"R data file of {len(data)} bytes",
        expected="named objects saved by R's save(), as in .rda and .RData files",
        found=why,
        remedy="Check which member or file the `source` block names.",
    )
