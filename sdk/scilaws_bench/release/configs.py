"""Names of the dataset configurations: public API, frozen, for all suites.

`load_dataset(path, config, split=...)` takes one of these. A configuration is listed on the
dataset card only once a release holds it.

| configuration | split | rows |
| --- | --- | --- |
| scilaws_real | test | one task each (default configuration) |
| scilaws_parallel | test | one task each |
| mechreasoner | test | one item each |
| mechhypobench | test | one task each |
| records-<problem> | train | the training records of one SciLaws problem |
| mechhypobench-<dataset> | public | the public records of one MechHypoBench dataset |
"""

from __future__ import annotations

SUITES = ("scilaws_real", "scilaws_parallel", "mechreasoner", "mechhypobench")
TASKS_SPLIT = "test"
RECORDS_SPLIT = "train"


def records_config(problem_id: str) -> str:
    """Configuration that holds the training records of a SciLaws problem."""
    return f"records-{problem_id}"


def table_path(config: str, split: str) -> str:
    """Path of a configuration's parquet file inside a release folder."""
    folder = config.replace("records-", "records/", 1) if config.startswith("records-") else config
    return f"{folder}/{split}-00000-of-00001.parquet"


def sealed_path(task_id: str) -> str:
    """Path of a task's sealed gold inside a release folder."""
    return f"gold/{task_id}.sealed"
