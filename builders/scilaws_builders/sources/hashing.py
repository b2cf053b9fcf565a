"""Pinned bytes: sha256 of files, and the one check every read goes through."""

from __future__ import annotations

import hashlib
from pathlib import Path

from scilaws_bench.errors import SourceIntegrityError


def sha256_of_file(path: Path) -> str:
    """Lower-case hexadecimal sha256 of a file, streamed; raises OSError like `open`."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def checked(data: bytes, sha256: str, *, thing: str, remedy: str) -> bytes:
    """`data` unchanged when its sha256 is the pinned one, else SourceIntegrityError.

    Args:
        data: the bytes as they were read.
        sha256: 64 lower-case hexadecimal digits.
        thing: what the bytes are, for the message.
        remedy: how to mend it, for the message.
    """
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        raise SourceIntegrityError(
            thing=thing, expected=f"sha256 {sha256}", found=f"{found} ({len(data)} bytes)", remedy=remedy
        )
    return data
