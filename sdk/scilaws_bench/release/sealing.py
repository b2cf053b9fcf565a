"""Seal gold so that crawlers, greps and the model under test do not read it by accident.

The phrase is published: sealing keeps gold out of training crawls and search results, it does
not keep it from a participant who wants to look (docs/editions.md). A sealed file is

    SCILAWS-SEALED-1 <canary>\\n | 12-byte nonce | AES-256-GCM(zlib(canonical JSON))

The first line and the file's path inside the release are authenticated, so a sealed file can
neither be altered nor stand in for another one.
"""

from __future__ import annotations

import hmac
import zlib
from functools import cache
from typing import Any

from scilaws_bench import strict_json
from scilaws_bench.errors import SchemaError, SealError

PUBLIC_PHRASE = "scilaws-bench: sealed against crawlers, open to anyone who reads this sentence"
CANARY = "SCILAWS-BENCH-CANARY-7f1d0c5e-3a52-4b0e-9a3f-52d6c1b8e0a4"
_MAGIC = b"SCILAWS-SEALED-1 "
_NONCE_BYTES = 12
_MAX_PLAIN_BYTES = 1 << 30


def seal(document: Any, path: str, *, phrase: str = PUBLIC_PHRASE) -> bytes:
    """Sealed bytes of a JSON document for one path of a release; equal input, equal bytes.

    The nonce is a keyed hash of path and content, so it repeats only for identical files.
    """
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    key = _key(phrase)
    plain = strict_json.canonical_bytes(document)
    nonce = hmac.digest(key, path.encode() + b"\0" + plain, "sha256")[:_NONCE_BYTES]
    header = _MAGIC + CANARY.encode() + b"\n"
    return header + nonce + AESGCM(key).encrypt(nonce, zlib.compress(plain, 9), _bound(header, path))


def unseal(sealed: bytes, path: str, *, phrase: str = PUBLIC_PHRASE) -> Any:
    """The JSON document in a sealed file.

    Raises:
        SealError: no sealed file, altered or truncated bytes, another path or another phrase, or
            content that is no JSON document of at most 1 GiB.
    """
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    header, newline, body = sealed.partition(b"\n")
    if not newline or not header.startswith(_MAGIC) or len(body) <= _NONCE_BYTES:
        raise SealError(path, "a sealed file", "other bytes", "Download the release again.")
    nonce, cipher = body[:_NONCE_BYTES], body[_NONCE_BYTES:]
    try:
        packed = AESGCM(_key(phrase)).decrypt(nonce, cipher, _bound(header + newline, path))
    except InvalidTag:
        raise SealError(
            path, "bytes sealed for this path with this phrase", "bytes that do not authenticate",
            "Download the release again; for a private edition give its phrase.",
        ) from None  # fmt: skip
    unpacked = zlib.decompressobj()
    try:
        plain = unpacked.decompress(packed, _MAX_PLAIN_BYTES)
        if not unpacked.eof:
            raise SealError(path, f"a document of at most {_MAX_PLAIN_BYTES:,} bytes", "a longer or cut one")
        return strict_json.loads(plain, where=path)
    except (zlib.error, SchemaError) as error:
        raise SealError(path, "a compressed JSON document", str(error), "Download the release again.") from None


@cache
def _key(phrase: str) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(algorithm=SHA256(), length=32, salt=b"scilaws-bench", info=b"sealed gold 1").derive(phrase.encode())


def _bound(header: bytes, path: str) -> bytes:
    return header + path.encode()
