"""Episode tables by trying every assignment: slow, obvious, and independent of the solvers."""

from __future__ import annotations

from itertools import product

import numpy as np

from scilaws_bench.qualitative import EpisodeTable, Mechanism, Restrictions, is_satisfied


def brute_table(mechanism: Mechanism, restrictions: Restrictions | None = None) -> EpisodeTable:
    """All episodes of a small mechanism (some thousand assignments a composite state)."""
    names = [variable.id for variable in mechanism.variables]
    signs = {name: mechanism.space(name).signs for name in names}
    found = []
    for places in product(*(range(len(component.states)) for component in mechanism.components)):
        state = tuple(component.states[place] for component, place in zip(mechanism.components, places, strict=True))
        laws = mechanism.active_confluences(state)
        for cells in product(*mechanism.domains(state, restrictions or {}).values()):
            shown = {name: signs[name][cell] for name, cell in zip(names, cells, strict=True)}
            if all(is_satisfied(law, shown) for law in laws):
                found.append((places, cells))
    found.sort()
    states = np.array([places for places, _ in found], dtype=np.int8).reshape(-1, len(mechanism.components))
    cells = np.array([cells for _, cells in found], dtype=np.int8).reshape(-1, len(names))
    return EpisodeTable(mechanism, states, cells)
