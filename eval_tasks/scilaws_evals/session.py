"""What a sample remembers in Inspect's store. Everything here is written to the log: no gold, no records."""

from __future__ import annotations

from typing import Any, Literal

from inspect_ai.util import StoreModel
from pydantic import Field

Outcome = Literal["", "submitted", "unusable", "unsubmitted", "no_reply", "broken"]


class LawSession(StoreModel):
    """State of one attempt at one task.

    `outcome` is empty until the attempt ends: *submitted* (a usable law), *unusable* (the retry
    brought a law that can't be used; it is kept and scores 0), *unsubmitted* (no law), *no_reply*
    (the provider never answered), *broken* (this package's code failed). It stays empty where a limit
    of the evaluation cut the attempt off. `law` is the source of the first two, `reason` says why in
    the others. `rejected` is the unusable law of the current turn, if any.
    """

    task_id: str = ""
    manifest_hash: str = ""
    isolation: str = ""
    protocol: str = ""
    decoding: dict[str, Any] = Field(default_factory=dict)
    turns: int = 0
    replies: int = 0
    python_calls: int = 0
    final_turn: bool = False
    rejected: str = ""
    law: str = ""
    outcome: Outcome = ""
    reason: str = ""
