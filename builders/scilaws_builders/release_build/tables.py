"""Public tables of a release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scilaws_bench import strict_json
from scilaws_bench.hashing import json_hash

if TYPE_CHECKING:
    import pyarrow as pa


def task_table(tasks: list[dict[str, Any]]) -> pa.Table:
    """Tasks of one suite: typed columns to filter by, and the whole task as canonical JSON.

    Plain types only, so that every reader of parquet sees the same values.
    """
    import pyarrow as pa

    text, texts, integer = pa.string(), pa.list_(pa.string()), pa.int64()
    columns = {
        "task_id": (text, [task["task_id"] for task in tasks]),
        "problem_id": (text, [task["problem_id"] for task in tasks]),
        "title": (text, [task["title"] for task in tasks]),
        "discipline": (text, [task["discipline"] for task in tasks]),
        "structure": (text, [task["structure"] for task in tasks]),
        "context": (text, [task["context"] for task in tasks]),
        "target": (text, [task["target"]["name"] for task in tasks]),
        "target_unit": (text, [task["target"]["unit"] for task in tasks]),
        "inputs": (texts, [[column["name"] for column in task["inputs"]] for task in tasks]),
        "input_units": (texts, [[column["unit"] for column in task["inputs"]] for task in tasks]),
        "group": (text, [task["group"]["name"] if task["group"] else None for task in tasks]),
        "metric": (text, [task["metric"] for task in tasks]),
        "split_kind": (text, [task["split"]["kind"] for task in tasks]),
        "records_config": (text, [task["records"]["config"] for task in tasks]),
        "train_rows": (integer, [task["records"]["rows"] for task in tasks]),
        "scored_rows": (integer, [task["scored"]["rows"] for task in tasks]),
        "licence": (text, [task["licence"]["spdx"] for task in tasks]),
        "canary": (text, [task["canary"] for task in tasks]),
        "task_hash": (text, [json_hash(task) for task in tasks]),
        "task_json": (text, [strict_json.dumps(task) for task in tasks]),
    }
    return pa.table({name: pa.array(values, type=kind) for name, (kind, values) in columns.items()})
