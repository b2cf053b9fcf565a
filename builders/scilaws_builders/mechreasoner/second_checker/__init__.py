"""A second, independent opinion on the edges of episode graphs (paper A.4, Definitions 1 to 3).

Written from the paper's text and the published settings alone, without sight of
`scilaws_bench.qualitative` and without a line shared with it: what both find is worth more than
what one finds. It is slow on purpose. Every clause is a predicate over a triple (source episode,
target episode, cause); nothing is constructed, everything is tested.
"""

from .causes import Cause, causes_of, is_cause
from .clauses import CLAUSES, admitted, refusals
from .edges import Edge, edges_by_brute_force, edges_of
from .worlds import Episode, World, world_of

__all__ = [
    "CLAUSES",
    "Cause",
    "Edge",
    "Episode",
    "World",
    "admitted",
    "causes_of",
    "edges_by_brute_force",
    "edges_of",
    "is_cause",
    "refusals",
    "world_of",
]
