"""Read the frozen catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from scilaws_bench import schemas, strict_json
from scilaws_bench.errors import MechanismError
from scilaws_bench.qualitative import Mechanism, mechanism_from_document
from scilaws_builders.mechreasoner.catalogue.texts import texts


@dataclass(frozen=True)
class Entry:
    """A catalogue mechanism.

    Attributes:
        mechanism: the mechanism with its scenarios.
        observables: variable id → the number of a Modelica result it stands for
            ({"terms": [[coefficient, name], …], "offset": number}).
        provenance: where it comes from.
    """

    mechanism: Mechanism
    observables: Mapping[str, Any]
    provenance: Mapping[str, Any]


def ids() -> tuple[str, ...]:
    """Catalogue ids in alphabetical order."""
    return tuple(texts().by_id)


def frozen_folder() -> Path:
    """Folder of the frozen documents inside the package."""
    return Path(__file__).parent / "frozen"


@cache
def load(name: str) -> Entry:
    """A mechanism of the catalogue.

    Raises:
        MechanismError: no mechanism of that id.
        SchemaError: a frozen file that is not what this package wrote.
    """
    if name not in ids():
        raise MechanismError(f"mechanism {name}", "an id of the catalogue", "none of that id", ", ".join(ids()))
    path = frozen_folder() / f"{name}.json"
    document = strict_json.read(path)
    schemas.require("catalogue_mechanism", document, where=path.name)
    mechanism = mechanism_from_document(document["mechanism"], where=path.name)
    return Entry(mechanism, document["observables"], document["provenance"])
