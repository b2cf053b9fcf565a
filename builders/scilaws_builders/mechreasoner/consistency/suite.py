"""The run suite: which simulations are made of each mechanism (paper A.9)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True)
class Run:
    """One simulation.

    Attributes:
        mechanism: catalogue id.
        name: unique within the mechanism.
        kind: nominal, source_cycle, perturbation or robustness.
        stop: end of the window in seconds.
        samples: intervals of the output grid.
        tolerance: relative tolerance of the integrator; the absolute one is a hundredth of it.
        starts: overridden start values, `component.variable` → value; they bind (fixed=true).
    """

    mechanism: str
    name: str
    kind: str
    stop: float
    samples: int
    tolerance: float
    starts: Mapping[str, float]


@cache
def suite() -> tuple[Run, ...]:
    """All runs, by mechanism and then in the order of `runs.yaml`.

    Every mechanism has a nominal run and the same at a looser tolerance; `cycle` adds a longer window
    of its source, `starts` one run for each overridden set of start values.
    """
    import yaml

    text = files("scilaws_builders.mechreasoner.consistency").joinpath("runs.yaml").read_text(encoding="utf-8")
    document: dict[str, dict[str, Any]] = yaml.safe_load(text)
    found = []
    for mechanism, item in sorted(document.items()):
        stop, samples = float(item["stop"]), int(item["samples"])
        found.append(Run(mechanism, "nominal", "nominal", stop, samples, 1e-10, {}))
        found.append(Run(mechanism, "looser", "robustness", stop, samples, 1e-8, {}))
        if "cycle" in item:
            found.append(Run(mechanism, "cycle", "source_cycle", float(item["cycle"]), 4 * samples, 1e-10, {}))
        for number, starts in enumerate(item.get("starts", []), start=1):
            values = {name: float(value) for name, value in starts.items()}
            found.append(Run(mechanism, f"start{number}", "perturbation", stop, samples, 1e-10, values))
    return tuple(found)
