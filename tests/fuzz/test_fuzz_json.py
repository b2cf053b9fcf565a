"""strict_json and sealed files: either a value that survives the way back, or the error that is announced."""

from __future__ import annotations

import json
import zlib
from typing import Any

import pytest
from fuzz_kit import as_bytes, changed, check_message, damaged, fuzz, texts, values
from hypothesis import example
from hypothesis import strategies as st

from scilaws_bench import strict_json
from scilaws_bench.errors import SchemaError, SealError
from scilaws_bench.release import sealing

pytestmark = pytest.mark.slow
DOCUMENT = {"task_id": "a/b", "groups": [{"scored": {"target": [1.5, 2.25, -3e-9]}, "fit": None}], "text": "é😀"}
SEALED = sealing.seal(DOCUMENT, "gold/x.sealed")


def read(text: str | bytes) -> Any:
    """The value, None where it is refused as announced."""
    try:
        value = strict_json.loads(text)
    except SchemaError as error:
        check_message(error)
        return None
    assert strict_json.loads(strict_json.dumps(value)) == value
    assert strict_json.first_non_finite(value) is None
    return value


@fuzz(st.binary(max_size=200))
def test_noise(data: bytes) -> None:
    read(data)


@fuzz(st.text(max_size=200))
@example("[" * 100_000)
@example('{"a":' * 100_000)
@example("1" * 100_000)
@example("-" + "9" * 39 + "e999")
@example('"\\ud800\\udc00\\ud800"')
@example('{"\\ud800": 1}')
def test_text(text: str) -> None:
    read(text)


@fuzz(values)
def test_values(value: Any) -> None:
    read(as_bytes(value))
    try:
        text = strict_json.dumps(value)
    except SchemaError:
        return
    assert json.loads(text) == value or value != value


@fuzz(st.data())
def test_damaged_documents(data: st.DataObject) -> None:
    read(data.draw(damaged(as_bytes(DOCUMENT))))


def opened(data: bytes, path: str) -> Any:
    try:
        return sealing.unseal(data, path)
    except SealError as error:
        check_message(error)
        return None


@fuzz(st.data(), texts.filter(lambda text: text.isascii()))
def test_damaged_seals(data: st.DataObject, path: str) -> None:
    """Authenticated: whatever differs from what was sealed is refused, and so is any other path."""
    content = data.draw(damaged(SEALED))
    assert opened(content, "gold/x.sealed") == (DOCUMENT if content == SEALED else None)
    assert opened(SEALED, path) is None


@fuzz(st.one_of(st.binary(max_size=300), values.map(as_bytes).map(zlib.compress), st.data()))
def test_seals_of_anything(content: Any) -> None:
    """Made with the right key, which is public: the content is still foreign."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    if not isinstance(content, bytes):
        content = content.draw(damaged(zlib.compress(as_bytes(DOCUMENT))))
    header = SEALED.partition(b"\n")[0] + b"\n"
    key = sealing._key(sealing.PUBLIC_PHRASE)
    sealed = header + bytes(12) + AESGCM(key).encrypt(bytes(12), content, sealing._bound(header, "p"))
    opened(sealed, "p")


@fuzz(changed(DOCUMENT))
def test_changed_documents_seal_and_open(document: Any) -> None:
    """What strict JSON cannot read again, integers of more than 40 digits, is refused on opening at the latest."""
    try:
        sealed = sealing.seal(document, "p")
    except SchemaError:
        return
    found = opened(sealed, "p")
    assert found is None or strict_json.dumps(found) == strict_json.dumps(document)
