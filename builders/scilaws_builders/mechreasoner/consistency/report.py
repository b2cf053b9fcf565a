"""The consistency report: counts, the table of paper A.9, acceptance rates, boundary cases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scilaws_builders.mechreasoner import catalogue
from scilaws_builders.mechreasoner.consistency.frozen import frozen
from scilaws_builders.mechreasoner.consistency.scoring import Scored, acceptance, score


def consistency_report(source: Path | None = None) -> dict[str, Any]:
    """Score the frozen observations; needs no simulator.

    Keys: observed, direct, boundary, contradictions, inconclusive, mechanisms, runs, acceptance (by
    mechanism: states, pairs, flagged: which of the two are above one half), table (rows
    states, transitions, total), by_mechanism, boundary_cases, contradiction_cases.
    """
    everything: list[Scored] = []
    by_mechanism, rates, runs = {}, {}, 0
    for item in frozen(source):
        scored = score(item)
        everything += scored
        runs += len(item.document["runs"])
        by_mechanism[item.mechanism] = _counts(scored) | {"runs": len(item.document["runs"])}
        rate = acceptance(catalogue.load(item.mechanism).mechanism)
        rates[item.mechanism] = {
            "states": round(rate.states, 6),
            "pairs": round(rate.pairs, 6),
            "flagged": list(rate.flagged),
        }
    states = [one for one in everything if one.kind == "state"]
    transitions = [one for one in everything if one.kind == "transition"]
    return {
        **_counts(everything),
        "mechanisms": len(by_mechanism),
        "runs": runs,
        "acceptance": rates,
        "table": {
            "composite_states": _counts(states),
            "transition_shapes": _counts(transitions),
            "total": _counts(everything),
        },
        "by_mechanism": by_mechanism,
        "boundary_cases": [dict(one.observation) for one in everything if one.disposition == "boundary"],
        "contradiction_cases": [dict(one.observation) for one in everything if one.disposition == "contradiction"],
    }


def _counts(scored: list[Scored]) -> dict[str, int]:
    def of(name: str) -> int:
        return sum(one.disposition == name for one in scored)

    return {
        "observed": len(scored),
        "direct": of("direct"),
        "boundary": of("boundary"),
        "contradictions": of("contradiction"),
        "inconclusive": of("inconclusive"),
    }
