"""`sandbox="scilaws"` in evaluations: Inspect's own bash and python tools, sample files, cleanup, refused tools."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import anyio
import pytest
from environment_kit import host_processes, skip_without_sandbox
from evals_harness import answers, calling, only, saying, scripted
from inspect_ai import Task, eval_async
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessageAssistant, ModelOutput, execute_tools
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import Generate, Solver, TaskState, basic_agent, solver
from inspect_ai.tool import Tool, ToolCall, bash, bash_session, python, text_editor
from inspect_ai.util import sandbox

SECRET = "a-held-out-target-of-the-host"
LONG = f"74747.{os.getpid()}"  # seconds to sleep, and the mark of this test process


@pytest.fixture(autouse=True)
def _ready() -> None:
    skip_without_sandbox()


@pytest.fixture(autouse=True)
def _nothing_left() -> Any:
    """After every evaluation: no sandbox of this process is left, and nothing that ran in one."""
    yield
    assert not [process for process in host_processes("_inside.keeper") if _parent(process) == os.getpid()]
    assert not host_processes(f"sleep\0{LONG}")


def _parent(process: int) -> int:
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return int(fields[1])


def evaluate(folder: Path, task: Task, *outputs: ModelOutput, **options: Any) -> EvalLog:
    (log,) = inspect_eval(
        task,
        model=scripted(*outputs, saying("done")),
        log_dir=str(folder / "logs"),
        log_format="json",
        display="none",
        **options,
    )
    return log


def agent_with(*tools: Tool, **sample: Any) -> dict[str, Any]:
    return {
        "dataset": [Sample(input="go", **sample)],
        "solver": basic_agent(tools=list(tools), message_limit=12),
    }


def test_inspects_bash_and_python(tmp_path: Path) -> None:
    task = Task(
        **agent_with(
            bash(timeout=30),
            python(timeout=60),
            files={"data/train.csv": "x,y\n1,2\n2,4\n"},
            setup="#!/usr/bin/bash\nwc -l < data/train.csv > lines",
        ),
        sandbox="scilaws",
    )
    fit = "import pandas, numpy\nd = pandas.read_csv('data/train.csv')\nprint('slope', (d.y / d.x).mean())"
    log = evaluate(
        tmp_path, task, calling("bash", command="pwd; cat lines; nproc >/dev/null"), calling("python", code=fit)
    )
    said = [message.text for message in (only(log).messages or []) if message.role == "tool"]
    assert said == ["/sandbox/work\n3\n", "slope 2.0\n"]


def test_a_slow_tool_call_is_tried_three_times_and_told_to_the_model(tmp_path: Path) -> None:
    task = Task(**agent_with(bash(timeout=1)), sandbox="scilaws")
    log = evaluate(
        tmp_path, task, calling("bash", command=f"echo kept >> f; sleep {LONG}"), calling("bash", command="cat f")
    )
    tools = [message for message in only(log).messages if message.role == "tool"]
    assert tools[0].error is not None
    assert tools[0].error.type == "timeout"
    assert tools[1].text == "kept\n" * 3


@pytest.mark.parametrize("provider", ["local", "scilaws"])
def test_gold_is_read_in_local_and_not_here(provider: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SCILAWS_TEST_API_KEY", SECRET)
    gold = tmp_path / "gold.json"
    gold.write_text(SECRET)
    code = f"import os\nprint(open({str(gold)!r}).read())"
    task = Task(**agent_with(bash(), python()), sandbox=provider)
    log = evaluate(
        tmp_path, task, calling("bash", command=f"cat {gold}; env | grep SCILAWS_TEST"), calling("python", code=code)
    )
    said = "".join(answers(only(log)))
    assert (SECRET in said) == (provider == "local")
    assert ("No such file" in said) == (provider == "scilaws")


@solver
def _executing_tools() -> Solver:
    """Two bash calls in one message, which Inspect runs concurrently."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        calls = [
            ToolCall(id=str(number), function="bash", arguments={"command": f"echo {number} >> order; cat order"})
            for number in range(2)
        ]
        result = await execute_tools([*state.messages, ChatMessageAssistant(content="", tool_calls=calls)], [bash()])
        state.messages.extend(result.messages)
        state.output.completion = " | ".join(message.text.replace("\n", " ") for message in result.messages)
        return state

    return solve


def test_execute_tools(tmp_path: Path) -> None:
    log = evaluate(tmp_path, Task(solver=_executing_tools(), sandbox="scilaws"))
    assert sorted(only(log).output.completion.split(" | ")) in (["0 ", "0 1 "], ["1 ", "1 0 "])


@solver
def _leaving(how: str) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        await sandbox().write_file("mine", str(state.sample_id))
        if how == "error":
            raise RuntimeError("the solver failed")
        if how == "task":
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(sandbox().exec, ["sleep", LONG])
                await anyio.sleep(0.5)
                raise RuntimeError("the solver failed beside a running command")
        await sandbox().exec(["bash", "-c", f"ls > seen; sleep {LONG} & sleep {LONG}"])
        return state

    return solve


@scorer(metrics=[accuracy()])
def _what_is_left() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=1, explanation=f"{await sandbox().read_file('mine')}: {await sandbox().read_file('seen')}")

    return score


@pytest.mark.parametrize("how", ["error", "task"])
def test_cleanup_after_an_exception(how: str, tmp_path: Path) -> None:
    log = evaluate(tmp_path, Task(solver=_leaving(how), sandbox="scilaws"))
    assert log.status == "error"
    assert log.error is not None
    assert "the solver failed" in log.error.message


def test_a_sample_cut_off_by_time_is_scored_on_its_files_then_cleaned_up(tmp_path: Path) -> None:
    samples = [Sample(input="go", id=name) for name in ("first", "second")]
    task = Task(dataset=samples, solver=_leaving("time"), scorer=_what_is_left(), sandbox="scilaws", time_limit=2)
    log = evaluate(tmp_path, task)
    assert log.status == "success"
    assert log.samples is not None
    for sample in log.samples:
        assert sample.limit is not None
        assert sample.scores is not None
        explanation = sample.scores["_what_is_left"].explanation or ""
        assert explanation.split() == [f"{sample.id}:", "mine", "seen"]  # and nothing of the other sample


def test_cleanup_after_cancellation(tmp_path: Path) -> None:
    """Cancelled from outside while a command runs, as Ctrl-C does."""
    running = []

    async def main() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_evaluate_for_ever, tmp_path)
            with anyio.fail_after(30):
                while not running:
                    await anyio.sleep(0.1)
                    running.extend(host_processes(f"sleep\0{LONG}"))
            tasks.cancel_scope.cancel()

    anyio.run(main)
    assert running


async def _evaluate_for_ever(folder: Path) -> None:
    task = Task(solver=_leaving("cancelled"), sandbox="scilaws")
    await eval_async(task, model=scripted(saying("done")), log_dir=str(folder / "logs"))


@pytest.mark.parametrize(
    ("tool", "call"),
    [
        (bash_session(), calling("bash_session", action="type_submit", input="ls")),
        (text_editor(), calling("text_editor", command="view", path="/sandbox/work")),
    ],
)
def test_tools_that_inject_helpers_are_refused_by_name(tool: Tool, call: ModelOutput, tmp_path: Path) -> None:
    log = evaluate(tmp_path, Task(**agent_with(tool), sandbox="scilaws"), call)
    assert log.status == "error"
    assert log.error is not None
    assert "keeps no process between two calls" in log.error.message
    assert "bash_session, text_editor" in log.error.message
