"""Strategies for foreign bytes: valid forms that are then damaged reach further than noise does.

SCILAWS_FUZZ_EXAMPLES sets how many examples each test tries.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

EXAMPLES = int(os.environ.get("SCILAWS_FUZZ_EXAMPLES", "1500"))
MILLISECONDS = 5000  # for one example: nothing a stranger sends may keep a door busy for long

numbers = st.one_of(
    st.integers(-(10**30), 10**30),
    st.floats(allow_nan=True, allow_infinity=True),
    st.sampled_from([0, -1, 2**63, 10**400, 1e308, -0.0]),
)
texts = st.one_of(
    st.text(max_size=40),
    st.sampled_from(["", "\x00", "\ud800", "\u202e", "../x", "a" * 3000, "\r\n", "\x1b[2J", "nul", "é", "é", "$.x[0]"]),
)
scalars = st.one_of(st.none(), st.booleans(), numbers, texts)
values: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=6), st.dictionaries(texts, inner, max_size=6)),
    max_leaves=25,
)


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """`data` with a few bytes changed, cut out, put in or doubled."""
    content = bytearray(data)
    for _ in range(draw(st.integers(0, 5))):
        at = draw(st.integers(0, max(0, len(content))))
        end = min(len(content), at + draw(st.integers(0, 12)))
        kind = draw(st.sampled_from(["change", "cut", "insert", "double"]))
        if kind == "change":
            content[at:end] = draw(st.binary(min_size=end - at, max_size=end - at))
        elif kind == "cut":
            del content[at:end]
        elif kind == "insert":
            content[at:at] = draw(st.binary(max_size=12))
        else:
            content[at:at] = content[at:end]
    return bytes(content)


@st.composite
def changed(draw: st.DrawFn, document: Any) -> Any:
    """A JSON document with a few of its values, at any depth, replaced, removed or added to."""
    copy = json.loads(json.dumps(document))
    for _ in range(draw(st.integers(1, 3))):
        place = copy
        while isinstance(place, dict | list) and place:
            key: Any = draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
            child = place[key]
            if isinstance(child, dict | list) and child and draw(st.booleans()):
                place = child
                continue
            action = draw(st.sampled_from(["replace", "remove", "add"]))
            if action == "replace":
                place[key] = draw(values)
            elif action == "remove":
                del place[key]
            elif isinstance(place, dict):
                place[draw(texts)] = draw(values)
            else:
                place.append(child)
            break
    return copy


def as_bytes(document: Any) -> bytes:
    """JSON as a careless program writes it, NaN and lone surrogates included."""
    return json.dumps(document).encode("utf-8", "surrogatepass")


def fuzz(*strategies: st.SearchStrategy[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """`given` with the bounds of these tests."""
    bounds = settings(max_examples=EXAMPLES, deadline=MILLISECONDS, suppress_health_check=list(HealthCheck))
    return lambda test: bounds(given(*strategies)(test))


def check_message(error: Exception) -> None:
    """An announced error says something, on few enough characters to be shown."""
    assert 0 < len(str(error)) < 10_000
