"""Frozen observations: written once by `extract`, read by everything after (paper A.9)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scilaws_bench import schemas, strict_json
from scilaws_bench.errors import SourceIntegrityError
from scilaws_bench.hashing import bytes_hash, json_hash
from scilaws_bench.qualitative import document_of_mechanism
from scilaws_builders.mechreasoner import catalogue
from scilaws_builders.mechreasoner.consistency.observe import Observations, observe
from scilaws_builders.mechreasoner.consistency.rumoca_runs import simulations, simulator_version
from scilaws_builders.mechreasoner.consistency.suite import Run, suite

SCHEMA = "scilaws-bench/observations/1"
INDEX = "index.json"
_DIGITS = 10


@dataclass(frozen=True)
class Frozen:
    """The observations of one mechanism as frozen."""

    mechanism: str
    document: dict[str, Any]


def folder() -> Path:
    """Folder of the frozen observations inside the package."""
    return Path(__file__).parent / "observations"


def extract(library: Path, output: Path | None = None) -> list[Path]:
    """Simulate the whole suite and freeze what was seen; no qualitative question is asked.

    Raises:
        MissingLibraryError, SourceUnavailableError, SourceIntegrityError, SimulationError: see `simulations`.
    """
    target = output or folder()
    version = simulator_version()
    written, hashes = [], {}
    for name in catalogue.ids():
        entry = catalogue.load(name)
        results = list(simulations(tuple(run for run in suite() if run.mechanism == name), library))
        seen = observe(entry.mechanism, entry.observables, results)
        document = _document(name, version, [run for run, _ in results], seen)
        content = (strict_json.dumps(document, indent=1) + "\n").encode("utf-8")
        path = target / f"{name}.json"
        strict_json.write_bytes(path, content)
        hashes[path.name] = bytes_hash(content)
        written.append(path)
    strict_json.write(target / INDEX, hashes)
    return [*written, target / INDEX]


def frozen(source: Path | None = None) -> tuple[Frozen, ...]:
    """All frozen observations, by mechanism.

    Raises:
        SourceIntegrityError: a file that is not the one the index pins, or observations of another
            version of a mechanism than the catalogue's.
        SchemaError: a file that does not follow its schema.
    """
    place = source or folder()
    hashes = strict_json.read(place / INDEX)
    found = []
    for name in catalogue.ids():
        path = place / f"{name}.json"
        content = path.read_bytes()
        if bytes_hash(content) != hashes.get(path.name):
            raise SourceIntegrityError(
                str(path),
                f"sha256 {hashes.get(path.name)}",
                bytes_hash(content),
                "Run `mechanism consistency --extract`.",
            )
        document = strict_json.loads(content, where=path.name)
        schemas.require("observations", document, where=path.name)
        if document["catalogue_sha256"] != _catalogue_hash(name):
            raise SourceIntegrityError(
                str(path), f"observations of today's {name}", "those of another version", "Extract them again."
            )
        found.append(Frozen(name, document))
    return tuple(found)


def _catalogue_hash(name: str) -> str:
    """What observations depend on: states, spaces and observables, not laws."""
    entry = catalogue.load(name)
    document = document_of_mechanism(entry.mechanism)
    kept = {key: document[key] for key in ("components", "spaces", "variables", "restrictions")}
    return json_hash([kept, dict(entry.observables), entry.provenance["instance_sha256"]])


def _document(name: str, version: str, runs: list[Run], seen: Observations) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "mechanism": name,
        "simulator": version,
        "catalogue_sha256": _catalogue_hash(name),
        "runs": [
            {
                "name": run.name,
                "kind": run.kind,
                "stop": run.stop,
                "samples": run.samples,
                "tolerance": run.tolerance,
                "starts": dict(sorted(run.starts.items())),
            }
            for run in runs
        ],
        "states": [
            {
                "id": f"{name}/state{number:03}",
                "states": list(item.states),
                "groups": [{"variable": key, "alternatives": [list(s) for s in states]} for key, states in item.groups],
                "run": item.run,
                "time": _rounded(item.time),
                "raw": {key: _rounded(value) for key, value in item.raw},
            }
            for number, item in enumerate(seen.states, start=1)
        ],
        "transitions": [
            {
                "id": f"{name}/transition{number:03}",
                "component": item.component,
                "source": item.source,
                "target": item.target,
                "run": item.run,
                "time": _rounded(item.time),
            }
            for number, item in enumerate(seen.transitions, start=1)
        ],
    }


def _rounded(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")
