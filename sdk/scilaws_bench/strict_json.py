"""Strict JSON both ways: no NaN, no infinity, no duplicate keys, UTF-8 only.

`json` of the standard library accepts all of these, and `jsonschema` lets NaN pass under
`minimum`; a benchmark's records must not depend on who reads them.
"""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from scilaws_bench.errors import SchemaError

JsonValue = Any

MAX_DEPTH = 64
MAX_DIGITS = 40


def loads(text: str | bytes, *, where: str = "JSON text") -> JsonValue:
    """Parse strict JSON.

    Raises:
        SchemaError: bytes that are not UTF-8, broken syntax, NaN or infinity (also as an
            overflowing literal such as 1e999), a duplicate key, a lone surrogate (text that UTF-8 can't
            hold), or nesting beyond 64 levels.
    """
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError as error:
            raise SchemaError(
                where, "UTF-8 text", f"byte {error.start} is not UTF-8", "Save the file as UTF-8."
            ) from None

    def refuse_constant(token: str) -> JsonValue:
        raise SchemaError(where, "finite numbers", token, "Leave the value out or use null where the schema allows it.")

    def finite_float(token: str) -> float:
        value = float(token)
        if not math.isfinite(value):
            refuse_constant(token[:40])
        return value

    def bounded_int(token: str) -> int:
        if len(token) > MAX_DIGITS:
            raise SchemaError(where, f"integers of at most {MAX_DIGITS} digits", f"{len(token)} digits")
        return int(token)

    def unique_keys(pairs: Iterable[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
        result: dict[str, JsonValue] = {}
        for key, value in pairs:
            if key in result:
                raise SchemaError(where, "unique keys", f"key {key[:80]!r} twice", "Remove one of them.")
            result[key] = value
        return result

    try:
        value = json.loads(
            text,
            parse_constant=refuse_constant,
            parse_float=finite_float,
            parse_int=bounded_int,
            object_pairs_hook=unique_keys,
        )
        if "\\u" in text or not text.isascii():  # only such text can hold a surrogate
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except json.JSONDecodeError as error:
        raise SchemaError(
            where, "valid JSON", f"{error.msg} at line {error.lineno} column {error.colno}", "Mend the syntax."
        ) from None
    except UnicodeEncodeError:
        raise SchemaError(where, "text that UTF-8 can hold", "a lone surrogate", "Remove it.") from None
    except RecursionError:
        raise SchemaError(where, f"at most {MAX_DEPTH} nested levels", "deeper nesting") from None
    if _depth_exceeds(value, MAX_DEPTH):
        raise SchemaError(where, f"at most {MAX_DEPTH} nested levels", "deeper nesting")
    return value


def dumps(value: JsonValue, *, indent: int | None = None) -> str:
    """Serialise to strict JSON with sorted keys; two equal values give the same text.

    What is written here, `loads` reads: a sealed document can always be opened.

    Raises:
        SchemaError: a non-finite number, an integer of more than 40 characters, nesting beyond 64
            levels, or a value that JSON or UTF-8 has no form for.
    """
    separators = (",", ":") if indent is None else None
    try:
        text = json.dumps(
            value, sort_keys=True, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators
        )
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise SchemaError("value to be written as JSON", "text that UTF-8 can hold", "a lone surrogate") from None
    except (ValueError, TypeError, RecursionError) as error:
        raise SchemaError("value to be written as JSON", "finite numbers and plain JSON types", str(error)) from None
    if _depth_exceeds(value, MAX_DEPTH):
        raise SchemaError("value to be written as JSON", f"at most {MAX_DEPTH} nested levels", "deeper nesting")
    if _has_long_integer(value):
        raise SchemaError("value to be written as JSON", f"integers of at most {MAX_DIGITS} digits", "a longer one")
    return text


def canonical_bytes(value: JsonValue) -> bytes:
    """The one byte string that hashes and seals are computed from."""
    return dumps(value).encode("utf-8")


def first_non_finite(value: JsonValue, path: str = "$") -> str | None:
    """Path of the first NaN or infinity inside a Python value, or None."""
    if isinstance(value, float) and not math.isfinite(value):
        return path
    if isinstance(value, Mapping):
        children: Iterable[tuple[Any, Any]] = ((f"{path}.{key}", child) for key, child in value.items())
    elif isinstance(value, list | tuple):
        children = ((f"{path}[{index}]", child) for index, child in enumerate(value))
    else:
        return None
    for child_path, child in children:
        found = first_non_finite(child, child_path)
        if found is not None:
            return found
    return None


def read(path: Path) -> JsonValue:
    """Read one strict-JSON file (errors as `loads`, plus OSError)."""
    return loads(path.read_bytes(), where=str(path))


def write(path: Path, value: JsonValue) -> None:
    """Write indented strict JSON atomically: a reader sees the old file or the new one."""
    write_bytes(path, (dumps(value, indent=2) + "\n").encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file atomically through a temporary file in the same folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        temporary.chmod(0o644)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _depth_exceeds(value: JsonValue, limit: int) -> bool:
    level = [value]
    for _ in range(limit + 1):
        level = [item for item in level if isinstance(item, dict | list | tuple)]
        if not level:
            return False
        level = [child for item in level for child in _children(item)]
    return True


def _has_long_integer(value: JsonValue) -> bool:
    if isinstance(value, int):
        return not -(10 ** (MAX_DIGITS - 1)) < value < 10**MAX_DIGITS
    return isinstance(value, dict | list | tuple) and any(map(_has_long_integer, _children(value)))


def _children(value: JsonValue) -> Iterable[JsonValue]:
    return value.values() if isinstance(value, dict) else value
