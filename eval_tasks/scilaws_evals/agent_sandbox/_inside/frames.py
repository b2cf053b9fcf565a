"""Messages on a pipe: `<u8 length of the rest> <u4 length of the header> header JSON, body bytes`."""

from __future__ import annotations

import json
import struct
from typing import Any, BinaryIO

_CHUNK = 1 << 20
_LENGTHS = struct.Struct("<QI")


def encode(header: dict[str, Any], body: bytes = b"") -> bytes:
    """A message as bytes."""
    text = json.dumps(header).encode()
    return _LENGTHS.pack(4 + len(text) + len(body), len(text)) + text + body


def announced(data: bytes) -> int:
    """Length of the rest of a message from its first 8 bytes."""
    (length,) = struct.unpack("<Q", data)
    return int(length)


def decode(rest: bytes) -> tuple[dict[str, Any], bytes]:
    """Header and body from the rest of a message. Raises ValueError for anything that is none."""
    if len(rest) < 4:
        raise ValueError("a message without a header")
    (length,) = struct.unpack_from("<I", rest)
    header = json.loads(rest[4 : 4 + length])
    if not isinstance(header, dict):
        raise ValueError("a header that is no JSON object")
    return header, rest[4 + length :]


def receive(stream: BinaryIO) -> tuple[dict[str, Any], bytes] | None:
    """The next message, None at the end of the stream."""
    first = _exactly(stream, 8)
    return decode(_exactly(stream, announced(first))) if first else None


def _exactly(stream: BinaryIO, count: int) -> bytes:
    """`count` bytes of an unbuffered stream, nothing if it ends before."""
    chunks = []
    while count and (chunk := stream.read(min(count, _CHUNK))):
        chunks.append(chunk)
        count -= len(chunk)
    return b"" if count else b"".join(chunks)
