"""The settings that fix what a MechReasoner answer means, in one frozen place.

They are printed in `release info` and enter the manifest's hash: a change of any of them is a
change of gold. Clause numbers are those of paper A.4; the reasons stand in docs/qualitative.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

SEMANTICS_VERSION = "1.0"

SETTINGS: Mapping[str, str] = MappingProxyType(
    {
        "coordinate": "a variable with a declared derivative",
        "departures": "if any coordinate leaves a point cell, the one cause is the union of all departures",
        "boundary_cause": "an inclusion-minimal non-empty set of termination events for which some episode has these "
        "coordinates at their targets and every other coordinate, parameter and fixed input unchanged",
        "empty_cause": "moves only derivative variables without a declared derivative, by one cell",
        "causal_laws": "laws active in the source or in the target state, read in both directions",
        "mean_value_rule": "the sign of a coordinate's move is the source sign of its derivative",
        "edge_identity": "source episode, target episode, cause",
        "depth_layers": "exact depth, revisits allowed",
        "necessity_target_alternatives": "single facts",
        "trace_context": "domains after state and scenario restrictions, before propagation",
    }
)

STATE_CONSISTENCY_BANDS: Mapping[str, tuple[int, int]] = MappingProxyType(
    {"D1": (150, 400), "D2": (400, 800), "D3": (800, 1600), "D4": (1600, 3200)}
)
"""Absolute bands [low, high) of the state-consistency scalar for the generation levels (A14)."""
