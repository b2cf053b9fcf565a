"""Scripted models that need no network: `--model scilaws/solver` and other policies."""

from __future__ import annotations

from inspect_ai.model import ModelAPI, modelapi


@modelapi(name="scilaws")
def scilaws() -> type[ModelAPI]:
    """Inspect provider of the offline policies; loaded when a `scilaws/…` model is asked for."""
    from scilaws_evals.offline.api import OfflineAPI

    return OfflineAPI
