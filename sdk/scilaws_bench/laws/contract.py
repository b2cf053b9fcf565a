"""What a law module must declare, and what its `fit` must return.

Source: the paper's Appendix C.1 (single-group and multi-group tasks) and docs/law-contract.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scilaws_bench import schemas

MAX_LISTED = 6


class LawFault(Exception):  # noqa: N818 - a fault of the answer, not an error of this program
    """An answer that breaks the contract. Scorers turn it into a verdict; it never leaves them."""

    def __init__(self, reason: str, failure: str = "protocol") -> None:
        self.reason = reason
        self.failure = failure
        super().__init__(reason)


@dataclass(frozen=True)
class Contract:
    """The side of the task a law has to fit: its columns, group structure and caps."""

    inputs: tuple[str, ...]
    multi: bool
    max_law_constants: int | None = None
    max_local_params: int | None = None
    max_init_size: int | None = None


@dataclass(frozen=True)
class Declarations:
    """The module-level declarations of a law that passed the contract."""

    used_inputs: tuple[str, ...]
    law_constants: dict[str, float]
    local_names: tuple[str, ...]
    init_sizes: tuple[int, ...]
    has_fit: bool

    def flags(self, contract: Contract) -> tuple[str, ...]:
        """Declared sizes beyond the task's caps, and a `fit` that will never be called."""
        found = {
            "law_constants": (len(self.law_constants), contract.max_law_constants),
            "local_params": (len(self.local_names), contract.max_local_params),
            "init_size": (max(self.init_sizes, default=0), contract.max_init_size),
        }
        flags = [f"cap:{name}:{n}>{cap}" for name, (n, cap) in found.items() if cap is not None and n > cap]
        if self.has_fit and not self.local_names:
            flags.append("unused:fit")
        return tuple(sorted(flags))


def declarations_of(described: Any, contract: Contract) -> Declarations:
    """Check what the sandbox reported about a module against schema and task.

    Raises:
        LawFault: a declaration that is missing, of the wrong type or at odds with the task.
    """
    if isinstance(described, dict) and described.get("has_predict") is False:
        raise LawFault("the module defines no function predict(X, ...)")
    issues = schemas.problems_with("law", described, path="law")
    if issues:
        raise LawFault(f"declaration {issues[0]}")
    used = tuple(described["used_inputs"])
    unknown = sorted(set(used) - set(contract.inputs))
    if unknown:
        raise LawFault(f"USED_INPUTS names {_listed(unknown)}; the task's inputs are {_listed(contract.inputs)}")
    constants = {name: float(value) for name, value in described["law_constants"].items()}
    local = described["local_fittable"]
    both = sorted(set(constants) & set(local))
    if both:
        raise LawFault(f"{_listed(both)} declared both in LAW_CONSTANTS and in LOCAL_FITTABLE")
    if local and not contract.multi:
        raise LawFault(f"LOCAL_FITTABLE must be empty in a single-group task; it names {_listed(sorted(local))}")
    if local and not described["has_fit"]:
        raise LawFault("LOCAL_FITTABLE is not empty, so the module must define fit(X, y, ...)")
    sizes = tuple(len(entry["init"]) if isinstance(entry.get("init"), list) else 1 for entry in local.values())
    return Declarations(used, constants, tuple(local), sizes, described["has_fit"])


def fitted_parameters(returned: Any, names: tuple[str, ...]) -> dict[str, float]:
    """Check what `fit` returned: exactly the LOCAL_FITTABLE names, each a finite real number.

    Raises:
        LawFault: naming the key that is missing, unexpected, not a number or not finite.
    """
    if not isinstance(returned, Mapping):
        raise LawFault(f"fit returned {returned if isinstance(returned, str) else type(returned).__name__}, not a dict")
    missing = sorted(set(names) - set(returned))
    extra = sorted(set(map(str, returned)) - set(names))
    if missing or extra:
        parts = [f"lacks {_listed(missing)}" if missing else "", f"has unexpected {_listed(extra)}" if extra else ""]
        raise LawFault("fit's result " + " and ".join(part for part in parts if part))
    for name in names:
        value = returned[name]
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise LawFault(f"fit returned {value!s:.60} for {name!r}, not a real number")
        if not math.isfinite(value):
            raise LawFault(f"fit returned a value that is not finite for {name!r}")
    return {name: float(returned[name]) for name in names}


def _listed(names: tuple[str, ...] | list[str]) -> str:
    shown = ", ".join(repr(name)[:60] for name in names[:MAX_LISTED])
    return shown + (f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else "")
