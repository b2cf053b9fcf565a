"""The two JSON documents of a bundle, parsed as written by a stranger.

A fault inside one answer or record costs that entry; any other fault costs the document. Lists are
bounded before their entries are checked, so that no document takes minutes to refuse.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scilaws_bench import schemas, strict_json
from scilaws_bench.errors import SchemaError
from scilaws_bench.plain_text import printable
from scilaws_bench.schemas import Issue
from scilaws_bench.submissions.files import MANIFEST, MAX_FILES

MAX_ANSWERS = 5_000
_MAX_VALUES = 20_000
_ENTRY = re.compile(r"\$\.(answers|records)\[(\d+)\]")
_SHOWN = 300


class ManifestError(SchemaError):
    """A manifest that can't be used; `issues` are all its faults, the message names the first."""

    def __init__(self, issues: Sequence[Issue]) -> None:
        first = issues[0]
        more = f" ({len(issues) - 1} more)" if len(issues) > 1 else ""
        super().__init__(f"{first.path}{more}", first.expected, first.found, first.remedy)
        self.issues = tuple(issues)


@dataclass(frozen=True)
class Manifest:
    """A parsed `submission.json`.

    `answers` are the usable ones by task id; `refused` says why for tasks whose entries are not;
    `issues` are the faults of single entries.
    """

    document: dict[str, Any]
    answers: dict[str, dict[str, str]]
    records: tuple[dict[str, str], ...]
    refused: dict[str, str]
    issues: tuple[Issue, ...]


def parse_manifest(content: bytes) -> Manifest:
    """Parse and check `submission.json`.

    Raises:
        SchemaError: bytes that are not strict JSON.
        ManifestError: a fault outside the single entries of `answers` and `records`.
    """
    document = _loads(content, MANIFEST)
    if isinstance(document, dict):
        _bound_list(document.get("answers"), "answers", MAX_ANSWERS)
        _bound_list(document.get("records"), "records", MAX_FILES)
    faulty: dict[tuple[str, int], Issue] = {}
    fatal = []
    for fault in schemas.problems_with("submission", document):
        entry = _ENTRY.match(fault.path)
        issue = _named(fault)
        if entry is None:
            fatal.append(issue)
        else:
            faulty.setdefault((entry[1], int(entry[2])), issue)
    if fatal:
        raise ManifestError(fatal)
    refused = {}
    stated = Counter(_task_id(answer) for answer in document["answers"])
    answers = {}
    for index, answer in enumerate(document["answers"]):
        task_id = _task_id(answer)
        if ("answers", index) in faulty:
            refused[task_id] = f"the entry of the answer is faulty: {faulty['answers', index]}"
        elif stated[task_id] == 1:
            answers[task_id] = answer
    doubled = sorted(task_id for task_id, count in stated.items() if task_id and count > 1)
    refused |= dict.fromkeys(doubled, "several answers to this task; none is scored")
    issues = [
        *faulty.values(),
        *(
            Issue(f"{MANIFEST} at $.answers", "one answer a task", f"{stated[task_id]} for {task_id}", "Keep one.")
            for task_id in doubled
        ),
    ]
    records = tuple(
        record for index, record in enumerate(document["records"]) if ("records", index) not in faulty
    )  # fmt: skip
    return Manifest(document, answers, records, refused, tuple(issues))


def parse_scorecard(content: bytes, where: str) -> dict[str, Any]:
    """Parse and check a claimed scorecard.

    Raises:
        SchemaError: bytes that are not strict JSON, lists beyond every real scorecard, or a fault of the schema.
    """
    document = _loads(content, where)
    if isinstance(document, dict):
        verdicts = document.get("verdicts")
        _bound_list(verdicts, "verdicts", MAX_ANSWERS, where)
        for part in (*(verdicts if isinstance(verdicts, list) else ()), document.get("aggregates")):
            if _values(part, _MAX_VALUES) >= _MAX_VALUES:
                raise SchemaError(where, f"at most {_MAX_VALUES:,} values in a verdict or in the aggregates", "more")
        for index, verdict in enumerate(verdicts if isinstance(verdicts, list) else ()):
            schemas.require("verdict", verdict, where=f"{where}, verdict {index}")
    schemas.require("scorecard", document, where=where)
    checked: dict[str, Any] = document
    return checked


def _loads(content: bytes, where: str) -> Any:
    document = strict_json.loads(content, where=where)
    try:
        strict_json.canonical_bytes(document)
    except UnicodeEncodeError:
        raise SchemaError(where, "whole Unicode characters", "half of a surrogate pair", "Mend the escape.") from None
    return document


def _bound_list(value: Any, name: str, limit: int, where: str = MANIFEST) -> None:
    if isinstance(value, list) and len(value) > limit:
        raise SchemaError(f"{where} at $.{name}", f"at most {limit:,} entries", f"{len(value):,}", "Remove some.")


def _values(value: Any, limit: int) -> int:
    """Number of values inside a JSON value, counted up to a limit."""
    waiting, count = [value], 0
    while waiting and count < limit:
        item = waiting.pop()
        count += 1
        children = item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
        waiting.extend(children)
    return count


def _task_id(answer: Any) -> str:
    stated = answer.get("task_id") if isinstance(answer, dict) else None
    return stated if isinstance(stated, str) else ""


def _named(fault: Issue) -> Issue:
    texts = (f"{MANIFEST} at {fault.path}", fault.expected, fault.found, fault.remedy)
    return Issue(*(printable(text, _SHOWN) for text in texts))
