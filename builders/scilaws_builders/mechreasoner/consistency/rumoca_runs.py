"""Simulate the suite with rumoca on the Modelica text itself."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from scilaws_bench.errors import MissingLibraryError, ScilawsError
from scilaws_builders.mechreasoner import catalogue
from scilaws_builders.mechreasoner.consistency.suite import Run

Columns = Mapping[str, npt.NDArray[np.float64]]
ACHIEVED = 1e-7
"""Largest difference, relative to 1 or the value, between a demanded start value and the achieved one."""


class SimulationError(ScilawsError, ValueError):
    """A simulation that did not do what the run asks for."""


def simulator_version() -> str:
    """Name and version of the simulator (MissingLibraryError without it)."""
    from importlib.metadata import version

    _rumoca()
    return f"rumoca {version('rumoca')}"


def simulations(runs: tuple[Run, ...], library: Path) -> Iterator[tuple[Run, Columns]]:
    """Each run with its result: `time` and the columns that the mechanism's observables name.

    Raises:
        MissingLibraryError: no rumoca.
        SourceUnavailableError, SourceIntegrityError: a library that is not the pinned one.
        SimulationError: a start value that was not achieved, or a window that was not reached.
    """
    rumoca = _rumoca()
    session = rumoca.Session(roots=[str(library)])
    for run in runs:
        text = catalogue.texts().by_id[run.mechanism]
        source = text.read(library)
        model = catalogue.load(run.mechanism).provenance["model"]
        if not text.library_sha256 and run.name == "nominal":
            session.loads(source, model=model, filename=text.file)
        compiled = session.loads(wrapper(model, run), model=wrapper_name(run), filename=f"{wrapper_name(run)}.mo")
        settings = rumoca.SimConfig(solver="bdf", rtol=run.tolerance, atol=run.tolerance / 100)
        result = compiled.simulate(run.stop, dt=run.stop / run.samples, config=settings)
        yield run, _columns(run, result)


def wrapper(model: str, run: Run) -> str:
    """Modelica text that overrides start values and says again that they bind (the simulator forgets it otherwise)."""
    by_component: dict[str, list[str]] = {}
    for name, value in run.starts.items():
        component, _, variable = name.rpartition(".")
        by_component.setdefault(component, []).append(f"{variable}(start={value!r}, fixed=true)")
    modifiers = ", ".join(f"{component}({', '.join(items)})" for component, items in sorted(by_component.items()))
    name = wrapper_name(run)
    extended = f"{model}({modifiers})" if modifiers else model
    return f"model {name}\n  extends {extended};\nend {name};\n"


def wrapper_name(run: Run) -> str:
    """Name of the wrapper model: a session refuses two of one name."""
    return f"{run.mechanism}_{run.name}"


def _columns(run: Run, result: Any) -> Columns:
    names = {column for item in catalogue.load(run.mechanism).observables.values() for _, column in item["terms"]}
    columns = {name: np.asarray(result[name], dtype=float) for name in sorted(names)}
    columns["time"] = np.asarray(result.time, dtype=float)
    if not math.isclose(columns["time"][-1], run.stop, rel_tol=1e-6):
        found = f"t = {columns['time'][-1]:g} s"
        raise SimulationError(f"run {run.mechanism}/{run.name}", f"a result through {run.stop:g} s", found)
    for name, value in run.starts.items():
        achieved = float(np.asarray(result[name], dtype=float)[0])
        if abs(achieved - value) > ACHIEVED * max(1.0, abs(value)):
            raise SimulationError(f"run {run.mechanism}/{run.name}", f"{name}(0) = {value:g}", f"{achieved:g}")
    return columns


def _rumoca() -> Any:
    try:
        import rumoca
    except ImportError:
        raise MissingLibraryError(
            "simulator rumoca", "to be installed", "no such package", "pip install 'scilaws-bench[modelica]'"
        ) from None
    return rumoca
