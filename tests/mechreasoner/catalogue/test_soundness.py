"""What the real equations do is admissible: simulations by rumoca, projected on the cells of every quantity."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scilaws_bench.qualitative import QuantitySpace
from scilaws_bench.qualitative.solver import joint_relation
from scilaws_builders.mechreasoner import catalogue
from scilaws_builders.mechreasoner.catalogue.texts import LIBRARY_VARIABLE
from scilaws_builders.mechreasoner.modelica import convert_text

pytestmark = pytest.mark.slow

WINDOWS = {
    "electrical_resistor": 2.0,
    "mechanics_compare_braking_force": 1.2,
    "mechanics_compare_braking_torque": 1.2,
}
"""Shorter windows where the model's own is long after everything has happened; seconds."""
SAMPLES = 2000
NEAR = 1e-6
"""Distance from a landmark, relative to the quantity's largest value, within which a sample decides nothing."""


@pytest.fixture(scope="module")
def library() -> Path:
    folder = os.environ.get(LIBRARY_VARIABLE)
    if not folder:
        pytest.skip(f"not run: set {LIBRARY_VARIABLE} to a folder with the Modelica Standard Library 4.1.0")
    return Path(folder)


def simulated(name: str, library: Path) -> Any:
    rumoca = pytest.importorskip("rumoca", reason="not run: needs pip install 'scilaws-bench[modelica]'")
    text = catalogue.texts().by_id[name]
    source = text.read(library)
    model = catalogue.load(name).provenance["model"]
    session = rumoca.Session(roots=[str(library)])
    if text.library_sha256:
        compiled = session.loads(f"model W\n extends {model};\nend W;\n", model="W", filename="W.mo")
    else:
        compiled = session.loads(source, model=model, filename=text.file)
    stop = WINDOWS.get(name) or convert_text(source, file=text.file).experiment.stop_time
    assert stop is not None
    return compiled.simulate(stop, dt=stop / SAMPLES, config=rumoca.SimConfig(solver="bdf", rtol=1e-9, atol=1e-11))


def cell_of(space: QuantitySpace, value: float, near: float) -> str | None:
    """The cell of a value that is not too near to a landmark."""
    if any(cell.value is not None and abs(value - cell.value) < near for cell in space.cells):
        return None
    return space.cells[space.locate(value)].id


@pytest.mark.parametrize("name", catalogue.ids())
def test_every_simulated_state_is_admissible(name: str, library: Path) -> None:
    entry = catalogue.load(name)
    result = simulated(name, library)
    columns = {
        variable: sum(c * np.asarray(result[column], dtype=float) for c, column in item["terms"]) + item["offset"]
        for variable, item in entry.observables.items()
    }
    sizes = {
        variable: max(
            sum(abs(c) * np.abs(np.asarray(result[column], dtype=float)).max() for c, column in item["terms"]),
            1e-12,
        )
        for variable, item in entry.observables.items()
    }
    mechanism = entry.mechanism
    relation = joint_relation(mechanism, mechanism.scenario_by_id["nominal"].context)
    seen = set()
    for place in range(len(result.time)):
        facts = {}
        for variable, values in columns.items():
            cell = cell_of(mechanism.space(variable), float(values[place]), NEAR * sizes[variable])
            if cell is not None:
                facts[variable] = (cell,)
        key = tuple(sorted(facts.items()))
        if key not in seen:
            seen.add(key)
            assert not relation.conditioned(facts).is_empty, f"t = {result.time[place]}: {facts}"
    assert len(seen) >= 1
