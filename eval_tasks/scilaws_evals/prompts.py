"""Render prompts from the template files in `prompts/`: our own words, the paper's are not in our sources.

Only public facts of a task enter: no citation, no licence, no canary, no published law.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from string import Template
from typing import Any, Literal

Protocol = Literal["xml", "native"]
Notice = Literal["final", "retry"]

_FOLDER = Path(__file__).with_name("prompts")


def system_prompt(protocol: Protocol, max_turns: int, python_seconds: int, output_characters: int) -> str:
    """Tools and turn rules of a protocol; the same for every task."""
    return _render(
        f"system_{protocol}",
        {"max_turns": max_turns, "python_seconds": python_seconds, "output_characters": f"{output_characters:,}"},
    )


def notice(kind: Notice, protocol: Protocol) -> str:
    """What is said before the last turn, and before the one retry."""
    return _render(f"{kind}_{protocol}", {})


def question(task: Mapping[str, Any]) -> str:
    """The question of a public task, complete in itself but for the tools; the same in both protocols."""
    structure, target, columns = task["structure"], task["target"], task["inputs"]
    facts: dict[str, Any] = {
        "title": task["title"],
        "context": task["context"],
        "target": target["name"],
        "target_unit": target["unit"],
        "target_meaning": target["meaning"],
        "value_kind": task["value_kind"],
        "inputs": "\n".join(_row(column) for column in columns),
        "split": _render(f"split_{task['split']['kind']}", {}) + " " + task["split"]["why"],
        "priors": _priors(task["priors"]),
        "metric": _render(f"metric_{task['metric']}", {"epsilon": _number(task["epsilon"])}),
        "rows": task["records"]["rows"],
        "width": len(columns),
        "columns": ", ".join(f"`{name}`" for name in _frame_columns(task)),
        "group": task["group"]["name"] if task["group"] else "",
        "group_meaning": task["group"]["meaning"] if task["group"] else "",
        "groups": task["records"]["groups"],
        "held_out": task["scored"]["groups"],
        **task["caps"],
    }
    for part in ("structure", "variables", "law"):
        facts[part] = _render(f"{part}_{structure}", facts)
    return _render("question", facts)


def _frame_columns(task: Mapping[str, Any]) -> list[str]:
    group = ["group_id"] if task["group"] else []
    return [*(column["name"] for column in task["inputs"]), task["target"]["name"], *group]


def _row(column: Mapping[str, Any]) -> str:
    meaning = column["meaning"] + ("; missing values are NaN" if column["missing"] == "pass" else "")
    cells = (
        f"`{column['name']}`",
        column["unit"],
        meaning,
        _range(column["train_range"]),
        _range(column["scored_range"]),
    )
    return "| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |"


def _range(bounds: tuple[float, float]) -> str:
    return f"{_number(bounds[0])} to {_number(bounds[1])}"


def _priors(priors: list[Mapping[str, Any]]) -> str:
    lines = [f"- {item['name']} = {item['value']:.12g} {item['unit']}: {item['meaning']}" for item in priors]
    return "\n".join(["\nKnown constants that may matter:", *lines, ""]) if lines else ""


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def _render(name: str, facts: Mapping[str, Any]) -> str:
    return _template(name).substitute(facts).strip()


@cache
def _template(name: str) -> Template:
    return Template((_FOLDER / f"{name}.md").read_text(encoding="utf-8"))
