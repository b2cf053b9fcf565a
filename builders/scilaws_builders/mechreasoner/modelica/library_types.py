"""The library types the profile admits, read once from `library_types.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

Value = float | bool | str


@dataclass(frozen=True)
class LibraryType:
    """A component type: connectors with their kind and condition, parameters with defaults, variables with starts.

    Attributes:
        name: full library name.
        connectors: name → (kind, Boolean parameter it depends on or None).
        parameters: name → default, None where a value must be given.
        variables: name → (default start, default fixed).
    """

    name: str
    connectors: Mapping[str, tuple[str, str | None]]
    parameters: Mapping[str, Value | None]
    variables: Mapping[str, tuple[float, bool]]


@cache
def library_types() -> Mapping[str, LibraryType]:
    """Types by full name."""
    import yaml

    text = files("scilaws_builders.mechreasoner.modelica").joinpath("library_types.yaml").read_text(encoding="utf-8")
    document = yaml.safe_load(text)
    sets = document["sets"]

    def part(item: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        found: Any = item.get(key, {})
        return dict(sets[found] if isinstance(found, str) else found)

    found = {}
    for name, item in document["types"].items():
        connectors = {}
        for connector, text in part(item, "connectors").items():
            kind, _, condition = text.partition(" if ")
            connectors[connector] = (kind, condition or None)
        variables = {key: (float(start), bool(fixed)) for key, (start, fixed) in part(item, "variables").items()}
        found[name] = LibraryType(name, connectors, part(item, "parameters"), variables)
    return found


def resolved(name: str, within: str) -> str | None:
    """Full name of a type as seen from a package: innermost enclosing scope first; None if no type fits."""
    scope = within.split(".") if within else []
    for depth in range(len(scope), -1, -1):
        full = ".".join([*scope[:depth], name])
        if full in library_types():
            return full
    return None
