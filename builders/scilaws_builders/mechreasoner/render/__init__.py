"""Prompts of the six task families: one template a family over shared sections."""
