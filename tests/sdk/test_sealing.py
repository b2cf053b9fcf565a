"""Sealed gold: one document, one path, one phrase; any other byte, path or phrase does not open."""

from __future__ import annotations

import zlib
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from scilaws_bench.errors import SchemaError, SealError
from scilaws_bench.release import sealing
from scilaws_bench.release.sealing import CANARY, PUBLIC_PHRASE, seal, unseal

PATH = "gold/scilaws_real/a.sealed"
DOCUMENT = {"a": [1.5, None, "µ"], "b": {"secret law": "y = 2 x"}}
SEALED = seal(DOCUMENT, PATH)


def forged(plain: bytes) -> bytes:
    """What somebody who has the published phrase can write."""
    header, nonce = SEALED.partition(b"\n")[0] + b"\n", bytes(12)
    return header + nonce + AESGCM(sealing._key(PUBLIC_PHRASE)).encrypt(nonce, plain, sealing._bound(header, PATH))


def test_what_is_sealed_opens_with_path_and_phrase() -> None:
    assert unseal(SEALED, PATH) == DOCUMENT
    assert unseal(seal(DOCUMENT, PATH, phrase="private"), PATH, phrase="private") == DOCUMENT


def test_a_crawler_finds_the_canary_and_nothing_else() -> None:
    header, _, body = SEALED.partition(b"\n")
    assert header == b"SCILAWS-SEALED-1 " + CANARY.encode()
    assert b"secret" not in body
    assert b"secret" not in zlib.compress(b"x") + body


def test_equal_documents_give_equal_bytes_and_others_another_nonce() -> None:
    nonces = [seal(document, path).partition(b"\n")[2][:12] for document, path in (
        (DOCUMENT, PATH), (DOCUMENT, PATH + "2"), (DOCUMENT | {"c": 1}, PATH)
    )]  # fmt: skip
    assert seal(dict(reversed(DOCUMENT.items())), PATH) == SEALED
    assert len(set(nonces)) == 3


def opens(sealed: bytes) -> bool:
    try:
        unseal(sealed, PATH)
    except SealError:
        return False
    return True


def test_no_byte_can_be_altered() -> None:
    """Every byte of every part: first line, nonce, content, authentication tag."""
    flipped = [SEALED[:n] + bytes([SEALED[n] ^ bit]) + SEALED[n + 1 :] for n in range(len(SEALED)) for bit in (1, 128)]
    assert [n // 2 for n, sealed in enumerate(flipped) if opens(sealed)] == []


def test_no_byte_can_be_cut_off() -> None:
    assert opens(SEALED)
    assert [length for length in range(len(SEALED)) if opens(SEALED[:length])] == []
    assert [start for start in range(1, len(SEALED)) if opens(SEALED[start:])] == []


@pytest.mark.parametrize("other", [SEALED + b"\0", b"", b"\n", b"{}", SEALED.replace(b"-1 ", b"-2 "), b"\n" + SEALED])
def test_other_files_do_not_open(other: bytes) -> None:
    with pytest.raises(SealError):
        unseal(other, PATH)


@pytest.mark.parametrize("path", ["gold/scilaws_real/b.sealed", "", PATH + " ", "/" + PATH])
def test_a_sealed_file_can_not_stand_in_for_another(path: str) -> None:
    with pytest.raises(SealError, match="sealed for this path") as caught:
        unseal(SEALED, path)
    assert caught.value.thing == path


@pytest.mark.parametrize("phrase", ["", "private", PUBLIC_PHRASE + " ", PUBLIC_PHRASE.upper()])
def test_another_phrase_does_not_open(phrase: str) -> None:
    with pytest.raises(SealError, match="private edition give its phrase"):
        unseal(SEALED, PATH, phrase=phrase)


@pytest.mark.parametrize(
    "plain",
    [
        b"no zlib",
        b"",
        zlib.compress(b"{"),
        zlib.compress(b'{"a": NaN}'),
        zlib.compress(b"\xff"),
        zlib.compress(b"{}")[:-1],
    ],
)
def test_authentic_bytes_that_are_no_document_are_an_error_too(plain: bytes) -> None:
    with pytest.raises(SealError, match=r"compressed JSON document|cut one"):
        unseal(forged(plain), PATH)


def test_a_decompression_bomb_stops_at_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealing, "_MAX_PLAIN_BYTES", 1000)
    assert unseal(forged(zlib.compress(b"1" + b" " * 999)), PATH) == 1
    with pytest.raises(SealError, match="at most 1,000 bytes"):
        unseal(forged(zlib.compress(b"1" + b" " * 1_000_000)), PATH)


@pytest.mark.parametrize("document", [float("nan"), {1, 2}])
def test_only_strict_json_is_sealed(document: Any) -> None:
    with pytest.raises(SchemaError):
        seal(document, PATH)
