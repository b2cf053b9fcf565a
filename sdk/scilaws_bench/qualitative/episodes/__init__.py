"""The episode graph: causes, clauses E1 to E8, declarations, bounded reachability, export and drawing."""

from scilaws_bench.qualitative.episodes.causes import INTRASTATE, Cause, Event
from scilaws_bench.qualitative.episodes.clauses import CLAUSES, Refusal, Step, cause_text
from scilaws_bench.qualitative.episodes.declarations import undeclared
from scilaws_bench.qualitative.episodes.edges import ComponentChange, Edge, component_changes
from scilaws_bench.qualitative.episodes.explanation import CauseExplanation, ClauseVerdict, Explanation
from scilaws_bench.qualitative.episodes.graph import EpisodeGraph, ReachableGraph
from scilaws_bench.qualitative.episodes.plain import PlainEdges

__all__ = [
    "CLAUSES",
    "INTRASTATE",
    "Cause",
    "CauseExplanation",
    "ClauseVerdict",
    "ComponentChange",
    "Edge",
    "EpisodeGraph",
    "Event",
    "Explanation",
    "PlainEdges",
    "ReachableGraph",
    "Refusal",
    "Step",
    "cause_text",
    "component_changes",
    "undeclared",
]
