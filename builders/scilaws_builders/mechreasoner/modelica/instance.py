"""The typed instance: what a model is once its names are resolved and its parameters are numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scilaws_bench import schemas
from scilaws_builders.mechreasoner.modelica.library_types import Value

SCHEMA = "scilaws-bench/modelica_instance/1"


@dataclass(frozen=True)
class Start:
    """A start value, and whether it binds the initial state."""

    start: float
    fixed: bool


@dataclass(frozen=True)
class Part:
    """A component: full type name, all parameters of the type, the start values that are set or bind."""

    id: str
    type: str
    parameters: Mapping[str, Value]
    initial: Mapping[str, Start]


@dataclass(frozen=True)
class SolvedParameter:
    """A parameter that an initial equation fixes."""

    id: str
    value: float


@dataclass(frozen=True)
class Experiment:
    """The experiment annotation; None where the model says nothing."""

    stop_time: float | None
    interval: float | None
    tolerance: float | None


@dataclass(frozen=True)
class Instance:
    """A flattened model.

    Attributes:
        id: catalogue id, or the model's name in lower case.
        model: full name.
        source: file name and sha256 of the text.
        parts: components in text order.
        connections: pairs of connectors that exist, in text order.
        solved_parameters: in text order.
    """

    id: str
    model: str
    file: str
    sha256: str
    experiment: Experiment
    parts: tuple[Part, ...]
    connections: tuple[tuple[str, str], ...]
    solved_parameters: tuple[SolvedParameter, ...]

    def to_document(self) -> dict[str, Any]:
        """JSON form (`modelica_instance.schema.json`)."""
        return {
            "schema": SCHEMA,
            "id": self.id,
            "model": self.model,
            "source": {"file": self.file, "sha256": self.sha256},
            "experiment": vars(self.experiment).copy(),
            "components": [
                {
                    "id": part.id,
                    "type": part.type,
                    "parameters": dict(part.parameters),
                    "initial": {name: vars(value).copy() for name, value in part.initial.items()},
                }
                for part in self.parts
            ],
            "connections": [list(pair) for pair in self.connections],
            "solved_parameters": [vars(item).copy() for item in self.solved_parameters],
        }

    @classmethod
    def from_document(cls, document: Any, *, where: str = "instance document") -> Instance:
        """Read the JSON form back (SchemaError if it does not follow the schema)."""
        schemas.require("modelica_instance", document, where=where)
        return cls(
            id=document["id"],
            model=document["model"],
            file=document["source"]["file"],
            sha256=document["source"]["sha256"],
            experiment=Experiment(**document["experiment"]),
            parts=tuple(
                Part(
                    item["id"],
                    item["type"],
                    item["parameters"],
                    {name: Start(**value) for name, value in item["initial"].items()},
                )
                for item in document["components"]
            ),
            connections=tuple((first, second) for first, second in document["connections"]),
            solved_parameters=tuple(SolvedParameter(**item) for item in document["solved_parameters"]),
        )
