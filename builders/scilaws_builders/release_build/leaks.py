"""Does anything public in a release give gold away?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from scilaws_bench import strict_json
from scilaws_bench.hashing import column_types
from scilaws_bench.release import Release, records_config
from scilaws_bench.release.configs import RECORDS_SPLIT
from scilaws_bench.release.content import MANIFEST
from scilaws_bench.schemas import Issue

if TYPE_CHECKING:
    import pyarrow as pa

_SHORT = 8
"""Ids and equations up to this length occur in innocent text as well."""


def leaks(release: Release, golds: dict[str, dict[str, Any]], cards: Iterable[str]) -> Iterator[Issue]:
    """Public text holding the source, id, title or equation of a reference law, or a rubric item's text.

    White space is folded before comparing. The manifest may name the law whose published value a
    problem reproduces: that is a fact about the release, and solvers are shown tasks, not manifests.
    """
    secrets = _secrets(golds)
    manifest = {key: value for key, value in release.manifest.items() if key != "suites"}
    suites = release.manifest["suites"]["scilaws_real"] | {"reproduction_results": []}
    texts = [(MANIFEST, _strings([manifest, suites]))]
    texts += [(name, [(release.path / name).read_text(encoding="utf-8", errors="replace")]) for name in cards]
    for entry in release.manifest["tables"]:
        table = release.table(entry["config"], entry["split"])
        texts += [(entry["path"], _strings(_parsed(row))) for row in table.select(_texts_of(table)).to_pylist()]
    for name, strings in texts:
        public = _folded("\n".join(strings))
        for secret, (task_id, what) in secrets.items():
            if secret in public:
                yield Issue(name, "no gold in public text", f"{what} of {task_id}: {secret[:40]!r}", "Remove it.")
    for task_id, gold in golds.items():
        yield from _held_out_rows(release, task_id, gold)


def _secrets(golds: dict[str, dict[str, Any]]) -> dict[str, tuple[str, str]]:
    found = {}
    for task_id, gold in golds.items():
        for reference in gold["references"]:
            for what in ("source", "id", "title", "equation"):
                found[_folded(reference[what])] = (task_id, f"law {what}")
        for item in gold["rubric"]:
            found[_folded(item["text"])] = (task_id, "rubric text")
    return {secret: owner for secret, owner in found.items() if len(secret) > _SHORT}


def _held_out_rows(release: Release, task_id: str, gold: dict[str, Any]) -> Iterator[Issue]:
    """A held-out group has no training row."""
    if gold["structure"] == "multi":
        train = set(release.table(records_config(task_id.split("/")[1]), RECORDS_SPLIT).column("group_id").to_pylist())
        for group in gold["groups"]:
            if group["group"] in train:
                yield Issue(task_id, "no training row of a held-out group", f"group {group['group']}", "Build again.")


def _texts_of(table: pa.Table) -> list[str]:
    return [column["name"] for column in column_types(table) if "text" in column["type"]]


def _parsed(row: dict[str, Any]) -> list[Any]:
    """A row's values; the JSON column as the document it holds, whose text is escaped otherwise."""
    return [strict_json.loads(value) if name == "task_json" else value for name, value in row.items()]


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for child in children for text in _strings(child)]


def _folded(text: str) -> str:
    return " ".join(text.split())
