"""`sandbox="scilaws"` keeps Inspect's contract for providers: its own conformance checks, and what they leave open."""

from __future__ import annotations

import importlib
import os
import time
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest
from environment_kit import Shared, bash, host_processes, shared_sandbox, skip_without_sandbox
from inspect_ai.util import OutputLimitExceededError, SandboxUserUnsupportedError, override_sandbox_output_limit

from scilaws_evals import environment
from scilaws_evals.agent_sandbox import readiness
from scilaws_evals.environment import CommandTimeoutError, HelperRefusedError, ScilawsSandbox
from scilaws_evals.errors import EvalSetupError

LONG = f"71717.{os.getpid()}"  # seconds to sleep, and the mark of this test process
_SLOW = ("test_exec_timeout", "test_exec_timeout_kills_process", "test_exec_timeout_kills_child_processes")

Check = Callable[[ScilawsSandbox], Awaitable[None]]


def _inspects_checks() -> list[Any]:
    """Inspect ships them for providers, in a private module; none of them if a later version moves it."""
    try:
        module = importlib.import_module("inspect_ai.util._sandbox.self_check")
    except ImportError:
        return []
    slow = dict.fromkeys(_SLOW, pytest.mark.slow)
    return [pytest.param(getattr(module, name), id=name, marks=slow.get(name, ())) for name in module.__all__]


shared = shared_sandbox


@pytest.fixture(autouse=True)
def _ready() -> None:
    skip_without_sandbox()


@pytest.mark.parametrize("check", _inspects_checks())
def test_inspects_own_check(shared: Shared, check: Check) -> None:
    if check.__name__ == "test_exec_as_user":  # it makes users, as root
        with pytest.raises(SandboxUserUnsupportedError, match="one user, nobody"):
            shared.run(check)
    else:
        shared.run(check)


def test_a_timeout_without_retry_keeps_the_files_and_the_output(shared: Shared) -> None:
    async def use(sandbox: ScilawsSandbox) -> None:
        command = ["bash", "-c", "echo a try | tee -a tries; sleep 60"]
        with pytest.raises(CommandTimeoutError) as caught:
            await sandbox.exec(command, timeout=1, timeout_retry=False)
        assert caught.value.truncated_output == "a try\n"
        assert await sandbox.read_file("tries") == "a try\n"

    shared.run(use)


def test_a_timeout_ends_every_process_even_a_stubborn_daemon(shared: Shared) -> None:
    async def use(sandbox: ScilawsSandbox) -> None:
        script = f"trap '' TERM INT HUP; setsid nohup sleep {LONG} & (sleep {LONG} &); sleep {LONG}"
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_expect_timeout, sandbox, script)
            await anyio.sleep(0.7)
            assert len(host_processes(f"sleep\0{LONG}")) == 3  # the control: the host does see them
        assert not host_processes(f"sleep\0{LONG}")

    shared.run(use)


async def _expect_timeout(sandbox: ScilawsSandbox, script: str) -> None:
    with pytest.raises(TimeoutError, match="limit of 2 s"):
        await bash(sandbox, script, timeout=2)


def test_nothing_survives_a_command(shared: Shared) -> None:
    async def use(sandbox: ScilawsSandbox) -> None:
        started = time.monotonic()
        result = await bash(sandbox, f"(setsid nohup sleep {LONG} >/dev/null 2>&1 &); (sleep {LONG} &); echo started")
        assert (result.stdout, time.monotonic() - started < 20) == ("started\n", True)
        assert not host_processes(f"sleep\0{LONG}")
        assert "sleep" not in (await bash(sandbox, "ps -e")).stdout

    shared.run(use)


def test_cancelling_ends_the_command_and_keeps_the_sandbox(shared: Shared) -> None:
    async def use(sandbox: ScilawsSandbox) -> None:
        with anyio.move_on_after(0.5) as scope:
            await bash(sandbox, f"echo kept > file; sleep {LONG}", timeout=60)
        assert scope.cancelled_caught
        assert not host_processes(f"sleep\0{LONG}")
        assert await sandbox.read_file("file") == "kept\n"
        with anyio.move_on_after(0.01):
            await bash(sandbox, "head -c 4000000 /dev/zero")
        assert (await bash(sandbox, "echo in step")).stdout == "in step\n"

    shared.run(use)


def test_calls_of_a_sample_wait_for_each_other(shared: Shared) -> None:
    async def use(sandbox: ScilawsSandbox) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(bash, sandbox, "echo half > file; sleep 0.5; echo whole > file")
            await anyio.sleep(0.2)
            assert await sandbox.read_file("file") == "whole\n"

    shared.run(use)


def test_cleanup_leaves_no_process_and_a_later_call_says_so() -> None:
    async def main() -> None:
        environments = await ScilawsSandbox.sample_init("test", None, {})
        sandbox = environments["default"].as_type(ScilawsSandbox)
        keeper = sandbox._machine._process.pid
        assert keeper in host_processes("_inside.keeper")
        await ScilawsSandbox.sample_cleanup("test", None, environments, True)
        assert keeper not in host_processes("_inside.keeper")
        with pytest.raises(environment.SandboxUnavailableError, match="files with it: it was closed"):
            await sandbox.exec(["true"])
        with pytest.raises(environment.SandboxUnavailableError):
            await sandbox.read_file("file")

    anyio.run(main)


def test_output_limit_of_either_stream(shared: Shared) -> None:
    async def use(sandbox: ScilawsSandbox) -> None:
        for stream in ("1", "2"):
            with (
                override_sandbox_output_limit(1000, "exec"),
                pytest.raises(OutputLimitExceededError, match="1000 bytes") as caught,
            ):
                await bash(sandbox, f"yes 0123456 >&{stream}")
            assert caught.value.truncated_output == "0123456\n" * 125
        with override_sandbox_output_limit(1000, "exec"):
            assert len((await bash(sandbox, "head -c 1000 /dev/zero")).stdout) == 1000

    shared.run(use)


def test_a_command_that_cannot_run_is_an_ordinary_failure(shared: Shared) -> None:
    async def use(sandbox: ScilawsSandbox) -> None:
        missing = await sandbox.exec(["no-such-program"])
        assert (missing.success, missing.returncode, missing.stderr) == (
            False,
            127,
            "no-such-program: command not found\n",
        )
        nowhere = await sandbox.exec(["ls"], cwd="../no/such/folder")
        assert (nowhere.returncode, "no such folder in the sandbox" in nowhere.stderr) == (126, True)
        for command in (["echo", "a\0b"], ["echo", "\ud83d"], ["echo", "x" * (1 << 18)]):
            assert (await sandbox.exec(command)).returncode == 126
        surrogate = await sandbox.exec(["cat"], input="\ud83d")
        assert surrogate.stdout == "\ufffd" * 3

    shared.run(use)


def test_reading_undecodable_text(shared: Shared) -> None:
    async def use(sandbox: ScilawsSandbox) -> None:
        await sandbox.write_file("crlf", "a\r\nb")
        assert await sandbox.read_file("crlf") == "a\r\nb"
        await sandbox.write_file("bytes", b"\xff\xfe")
        with pytest.raises(UnicodeDecodeError):
            await sandbox.read_file("bytes")

    shared.run(use)


def test_connection_is_refused(shared: Shared) -> None:
    async def use(sandbox: ScilawsSandbox) -> None:
        with pytest.raises(NotImplementedError, match="offers no connection"):
            await sandbox.connection()

    shared.run(use)


@pytest.mark.parametrize(
    "command",
    [
        ["/var/tmp/.da7be258e003d428/inspect-sandbox-tools", "start-server"],
        ["/bin/sh", "-c", "script", "sh", "0", "700", "/var/tmp", "sandbox-services"],
    ],
)
def test_helpers_are_refused_by_name(shared: Shared, command: list[str]) -> None:
    async def use(sandbox: ScilawsSandbox) -> None:
        with pytest.raises(HelperRefusedError, match="bash_session, text_editor"):
            await sandbox.exec(command)

    shared.run(use)


def test_an_agent_cannot_provoke_that_refusal(shared: Shared) -> None:
    assert shared.shell("ls /var/tmp/sandbox-services").returncode == 2


def test_a_configuration_is_refused() -> None:
    with pytest.raises(EvalSetupError, match=r"takes no configuration; found 'compose\.yaml'"):
        anyio.run(ScilawsSandbox.task_init, "test", "compose.yaml")


def test_a_machine_that_does_not_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    setup = readiness.require_ready()
    broken = readiness.Setup(setup.bwrap, setup.view, setup.programs, b"no filter")
    monkeypatch.setattr(environment, "require_ready", lambda: broken)
    with pytest.raises(EvalSetupError, match=r"did not start: bwrap: .*`scilaws-bench sandbox check`"):
        anyio.run(ScilawsSandbox.task_init, "test", None)
