"""From an instance to a catalogue document: mechanism, scenarios, observables, provenance."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from scilaws_bench import strict_json
from scilaws_bench.hashing import json_hash
from scilaws_bench.qualitative import Scenario, combined, document_of_mechanism, mechanism_from_document
from scilaws_bench.qualitative.document import restrictions
from scilaws_builders.mechreasoner.catalogue.texts import texts
from scilaws_builders.mechreasoner.modelica import Instance, convert_text
from scilaws_builders.mechreasoner.profile import mechanism_of

SCHEMA = "scilaws-bench/catalogue_mechanism/1"


def document_of(instance: Instance) -> dict[str, Any]:
    """The catalogue document of a mechanism of the catalogue (KeyError for another id).

    The same document comes from the library's file and from any text with the same instance: the
    instance's hash leaves its source out.
    """
    text = texts().by_id[instance.id]
    extra = _extra(instance.id)
    profiled = mechanism_of(instance, title=text.title, context=restrictions(extra.get("context", {})))
    nominal = profiled.mechanism.scenarios[0]
    any_start = Scenario("any_start", nominal.context, {}, "Any start that the context admits.")
    further = [
        Scenario(item["id"], combined_over(nominal, item["fixed"]), {}, item["title"])
        for item in extra.get("scenarios", [])
    ]
    mechanism = replace(profiled.mechanism, scenarios=(nominal, any_start, *further))
    document = document_of_mechanism(mechanism)
    mechanism_from_document(document, where=f"mechanism {instance.id}")
    typed = {key: value for key, value in instance.to_document().items() if key != "source"}
    library = texts().library if text.library_sha256 else None
    return {
        "schema": SCHEMA,
        "mechanism": document,
        "observables": profiled.observables_document(),
        "provenance": {
            "model": instance.model,
            "file": text.file,
            "library": dict(library) if library else None,
            "library_sha256": text.library_sha256,
            "instance_sha256": json_hash(typed),
        },
    }


def combined_over(nominal: Scenario, fixed: dict[str, list[str]]) -> dict[str, tuple[str, ...]]:
    """The nominal context with some quantities fixed otherwise."""
    kept = {name: cells for name, cells in nominal.context.items() if name not in fixed}
    return combined(kept, restrictions(fixed))


def freeze(folder: Path, library: Path | None = None) -> list[Path]:
    """Convert every text and write its catalogue document to `folder`; each file whole or not at all.

    Raises:
        SourceUnavailableError, SourceIntegrityError: see `ModelicaText.read`.
    """
    written = []
    for name, text in texts().by_id.items():
        instance = convert_text(text.read(library), file=text.file, instance_id=name)
        path = folder / f"{name}.json"
        strict_json.write_bytes(path, file_bytes(document_of(instance)))
        written.append(path)
    return written


def file_bytes(document: dict[str, Any]) -> bytes:
    """A catalogue document as it stands in its file."""
    return (strict_json.dumps(document, indent=1) + "\n").encode("utf-8")


def _extra(name: str) -> dict[str, Any]:
    return _extras().get(name, {})


@cache
def _extras() -> dict[str, dict[str, Any]]:
    import yaml

    text = files("scilaws_builders.mechreasoner.catalogue").joinpath("scenarios.yaml").read_text(encoding="utf-8")
    found: dict[str, dict[str, Any]] = yaml.safe_load(text)
    return found
