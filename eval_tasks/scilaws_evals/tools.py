"""The two tools of SciLaws-Real. Both protocols call these, so that every use is a tool event in the log."""

from __future__ import annotations

from inspect_ai.tool import Tool, ToolError, tool
from inspect_ai.util import store_as

from scilaws_bench.laws import MAX_SOURCE_BYTES
from scilaws_bench.sandbox import CallResult
from scilaws_evals.desk import PYTHON_SECONDS, desk_of, in_sandbox, refused_imports
from scilaws_evals.session import LawSession

TOOL_OUTPUT_BYTES = 1 << 20
"""For `execute_tools(max_output=)`: out of the way of our own cut, which counts characters."""


@tool
def python() -> Tool:
    """Inspect tool: run Python on the training records, in the sandbox, in a fresh process."""

    async def execute(code: str) -> str:
        """Run Python code on the training records and return what it printed.

        Each run is a fresh process with train_df, X_train, y_train and, in tasks with groups,
        group_ids_train; numpy as np, scipy and pandas as pd are imported.

        Args:
            code: The Python code to run.
        """
        session = store_as(LawSession)
        if session.final_turn:
            raise ToolError("Only a submission is accepted in this turn. Nothing was run.")
        _refuse_oversized(code, "The code")
        refused = refused_imports(code)
        if refused:
            raise ToolError(
                f"Not run: import of {', '.join(refused)} is not allowed. You may import numpy, scipy, sklearn, "
                "pandas, math, statistics, itertools, functools, collections and warnings."
            )
        session.python_calls = session.python_calls + 1
        desk = desk_of(session.manifest_hash, session.isolation)
        return _printed(await in_sandbox(desk.run_python, session.task_id, code))

    return execute


@tool
def submit_law() -> Tool:
    """Inspect tool: submit a law. A usable one ends the attempt."""

    async def execute(law: str) -> str:
        """Submit the law and end the task. A module that cannot be used is handed back with the reason.

        Args:
            law: The complete Python module of the law.
        """
        session = store_as(LawSession)
        _refuse_oversized(law, "The law")
        desk = desk_of(session.manifest_hash, session.isolation)
        fault = await in_sandbox(desk.law_fault, session.task_id, law)
        if fault:
            session.rejected = law
            session.reason = fault
            raise ToolError(f"The law cannot be used: {fault}")
        session.law, session.outcome, session.reason = law, "submitted", ""
        return "The law is accepted. The task has ended."

    return execute


def _refuse_oversized(text: str, what: str) -> None:
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_SOURCE_BYTES:
        raise ToolError(f"{what} has {size:,} bytes; at most {MAX_SOURCE_BYTES:,} are accepted. Nothing was run.")


def _printed(result: CallResult) -> str:
    """What the model reads of a run."""
    if result.values is not None:
        output = str(result.values["output"])
        return output if output.strip() else "(the code ran and printed nothing)"
    reasons = {
        "timeout": f"The run was ended at the limit of {PYTHON_SECONDS} s. What it printed is lost.",
        "memory": "The run reached the memory limit and was ended. What it printed is lost.",
        "crash": f"The Python process died ({result.error}). What it printed is lost.",
        "infrastructure": f"The sandbox did not start ({result.error}). This is not your fault; you may try again.",
    }
    raise ToolError(reasons.get(result.status, f"The run failed: {result.error}"))
