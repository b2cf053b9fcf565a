"""The qualitative simulator: mechanisms as confluences, interpretations, episode graphs, evidence."""

from scilaws_bench.qualitative.confluences import Confluence, Factor, Term, is_satisfied, parse_confluence
from scilaws_bench.qualitative.document import document_of_mechanism, mechanism_from_document
from scilaws_bench.qualitative.episode_table import Episode, EpisodeTable
from scilaws_bench.qualitative.mechanism import Component, CompositeState, Declaration, Mechanism, StateRestriction
from scilaws_bench.qualitative.scenario import Restrictions, Scenario, combined
from scilaws_bench.qualitative.spaces import NON_NEGATIVE, POSITIVE, SIGNS, Cell, QuantitySpace, space_of_landmarks
from scilaws_bench.qualitative.variables import Variable

__all__ = [
    "NON_NEGATIVE",
    "POSITIVE",
    "SIGNS",
    "Cell",
    "Component",
    "CompositeState",
    "Confluence",
    "Declaration",
    "Episode",
    "EpisodeTable",
    "Factor",
    "Mechanism",
    "QuantitySpace",
    "Restrictions",
    "Scenario",
    "StateRestriction",
    "Term",
    "Variable",
    "combined",
    "document_of_mechanism",
    "is_satisfied",
    "mechanism_from_document",
    "parse_confluence",
    "space_of_landmarks",
]
