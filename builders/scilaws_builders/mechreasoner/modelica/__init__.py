"""Modelica text to typed instances, for a bounded profile of the language."""

from scilaws_builders.mechreasoner.modelica.errors import ModelicaError
from scilaws_builders.mechreasoner.modelica.flatten import convert_file, convert_text
from scilaws_builders.mechreasoner.modelica.instance import Instance
from scilaws_builders.mechreasoner.modelica.syntax import parse_model

__all__ = ["Instance", "ModelicaError", "convert_file", "convert_text", "parse_model"]
