"""The catalogue: eighteen mechanisms (paper A.11), frozen with their provenance."""

from scilaws_builders.mechreasoner.catalogue.entries import Entry, frozen_folder, ids, load
from scilaws_builders.mechreasoner.catalogue.freezing import document_of, freeze
from scilaws_builders.mechreasoner.catalogue.texts import ModelicaText, Texts, texts

__all__ = ["Entry", "ModelicaText", "Texts", "document_of", "freeze", "frozen_folder", "ids", "load", "texts"]
