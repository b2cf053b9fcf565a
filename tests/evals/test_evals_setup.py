"""Starting a run: task arguments, releases, roles, prompts, and Inspect's command line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from evals_harness import SINGLE, Run, answers, only, outcome
from inspect_ai.log import read_eval_log

from scilaws_bench.release import Release
from scilaws_bench.release.gold import open_gold
from scilaws_evals import prompts
from scilaws_evals.finding import find_release
from scilaws_evals.session import LawSession

REPOSITORY = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"protocol": "json"}, "protocol: expected one of xml, native; found 'json'"),
        ({"isolation": "strong"}, "isolation: expected one of auto, full, kernel, none; found 'strong'"),
        ({"reasoning": "maybe"}, "reasoning: expected one of auto, yes, no; found 'maybe'"),
        ({"max_turns": 0}, "max_turns: expected 1 to 1,000; found 0"),
        ({"problems": "no-such-problem"}, "found no-such-problem"),
        ({"problems": " , "}, "found none"),
        ({"release": "/nowhere"}, "release /nowhere"),
    ],
)
def test_a_wrong_argument_is_named(run: Run, arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        run("scilaws/silent", **arguments)


def test_an_unknown_model_role_is_refused_by_name(run: Run) -> None:
    with pytest.raises(ValueError, match="model role 'critic': expected 'judge' or none"):
        run("scilaws/silent", options={"model_roles": {"critic": "scilaws/judge"}})
    assert only(run("scilaws/late", max_turns=1, options={"model_roles": {"judge": "scilaws/judge"}}))


def test_what_the_log_says_about_the_run(run: Run, demo_release: Release) -> None:
    log = run("scilaws/late", max_turns=1)
    facts = log.eval.metadata
    assert facts is not None
    assert facts["release"] == demo_release.reference
    assert facts["isolation"] in ("full", "kernel")
    assert facts["scorers"] == {"numeric_score": 1}
    assert log.eval.task_version == "1-A"
    sample = only(log)
    assert sample.id == f"scilaws_real/{SINGLE}"
    assert set(sample.metadata) == {"suite", "problem_id", "discipline", "structure"}
    assert sample.target == ""


def test_a_release_is_found_from_a_folder_below(
    demo_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SCILAWS_RELEASE", raising=False)
    (tmp_path / "build" / "release").mkdir(parents=True)
    (tmp_path / "build" / "release" / "demo").symlink_to(demo_folder)
    (tmp_path / "eval_tasks").mkdir()
    monkeypatch.chdir(tmp_path / "eval_tasks")
    assert find_release(None).reference == find_release("build/release/demo").reference
    monkeypatch.setenv("SCILAWS_RELEASE", "/nowhere")
    with pytest.raises(ValueError, match="/nowhere"):
        find_release(None)


def test_prompts_state_the_task_and_nothing_else(demo_release: Release) -> None:
    for task in demo_release.tasks.values():
        text = prompts.question(task)
        assert "$" not in text
        assert task["canary"] not in text
        assert task["licence"]["holder"] not in text
        assert task["data_citation"]["title"] not in text
        for column in (*task["inputs"], task["target"]):
            assert f"`{column['name']}`" in text
            assert column["meaning"] in text
        assert f"{task['inputs'][0]['scored_range'][1]:.6g} |" in text
        assert ("group_ids_train" in text) == (task["structure"] == "multi")
        for reference in open_gold(demo_release, task["task_id"])["references"]:
            assert reference["title"] not in text
            assert reference["equation"] not in text
    for protocol in ("xml", "native"):
        rules = prompts.system_prompt(protocol, 30, 100, 16_000)
        assert "$" not in rules
        assert "at most 30" in rules


@pytest.mark.parametrize(
    "task", ["eval_tasks/scilaws_real.py", pytest.param("scilaws_evals/scilaws_real", marks=pytest.mark.slow)]
)
def test_inspects_command_line_finds_the_task(task: str, demo_folder: Path, tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("INSPECT_")}
    done = subprocess.run(
        [
            *(Path(sys.executable).with_name("inspect"), "eval", task, "--model", "scilaws/solver"),
            *("--display", "none", "-T", f"problems={SINGLE}", "--log-dir", str(tmp_path / "logs")),
            *("-T", "reasoning=yes"),  # Inspect hands this over as True
        ],
        cwd=REPOSITORY,
        env=environment | {"SCILAWS_RELEASE": str(demo_folder)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    (path,) = (tmp_path / "logs").glob("*.eval")
    sample = only(read_eval_log(str(path)))
    assert outcome(sample)["outcome"] == "submitted"
    assert sample.store_as(LawSession).decoding["reasoning"] is True
    assert answers(sample)[-1].startswith("The law is accepted")
