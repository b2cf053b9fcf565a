"""Evaluator of test_installed_project.py: runs as a program of an environment into which the wheel was installed.

Reads {"evaluators", "laws"} from standard input, runs every law with every evaluator, prints what came of each.
"""

from __future__ import annotations

import builtins
import json
import sys
from typing import Any

import numpy as np

import scilaws_bench
import scilaws_builders
from scilaws_bench.sandbox import InProcess, Limits, Sandbox

HONEST = "import numpy as np\ndef predict(X):\n    return np.hypot(X[:, 0], X[:, 1])\n"


def main() -> None:
    job = json.load(sys.stdin)
    packages = [str(package.__file__) for package in (scilaws_bench, scilaws_builders)]  # before a law changes them
    answers = {level: run_all(level, job["laws"]) for level in job["evaluators"]}
    report = {
        "answers": answers,
        "packages": packages,
        "poisoned": sorted(name for name in vars(builtins) if name.startswith("attack_")),
    }
    sys.stdout.write(json.dumps(report))


def run_all(level: str, laws: dict[str, str]) -> dict[str, list[Any]]:
    if level == "in process":
        return {name: _run(InProcess(), law) for name, law in laws.items()}
    with Sandbox(level) as sandbox:  # type: ignore[arg-type]
        return {name: _run(sandbox, law) + _run(sandbox, HONEST)[:1] for name, law in laws.items()}


def _run(evaluate: InProcess | Sandbox, law: str) -> list[str]:
    result = evaluate.predict(law, np.ones((4, 2)), [], np.empty((1, 0)), limits=Limits(wall_seconds=30.0))
    return [result.status, result.error]


if __name__ == "__main__":
    main()
