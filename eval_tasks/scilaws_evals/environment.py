"""`sandbox="scilaws"`: bash, Python and files for agents of other tasks, with nothing of this machine in sight.

Each sample has its own bubblewrap namespace (see `agent_sandbox`): programs, the standard library and the
allow-list packages read-only; /sandbox/work, /tmp and /dev/shm in memory; no network, no environment of the host.
Files are read and written by a process inside, so no path and no link leads to a file of the host.
"""

from __future__ import annotations

import errno
import itertools
import os
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any, Literal, NoReturn, overload

import anyio.to_thread
from inspect_ai.util import (
    ExecResult,
    OutputLimitExceededError,
    SandboxConnection,
    SandboxEnvironment,
    SandboxEnvironmentConfigType,
    SandboxEnvironmentLimits,
    SandboxUnavailableError,
    SandboxUserUnsupportedError,
    concurrency,
    sandboxenv,
)

from scilaws_bench.errors import ScilawsError
from scilaws_evals.agent_sandbox import Command, Ended, Machine, MachineLostError, layout, machine, require_ready
from scilaws_evals.errors import EvalSetupError

COMMANDS = max(1, os.cpu_count() or 1)

_KILLED_CODE = 137
_RETRIES_SECONDS = (60, 30)
_KILLED = {
    "processes": f"more than {machine.LIMITS['processes']} processes and threads",
    "memory": f"more than {machine.LIMITS['memory'] >> 30} GiB of memory",
    "files": f"more than {machine.LIMITS['files']:,} files",
    "sockets": f"more than {machine.LIMITS['sockets']} sockets",
}
# Where Inspect and inspect_swe put helpers and exchange messages with them while a command runs.
_HELPER_FOLDERS = ("/var/tmp/.da7be258e003d428", "/var/tmp/sandbox-services", "/var/tmp/user-sessions")
_NO_HELPERS = (
    "sandbox='scilaws' keeps no process between two calls and has no /var/tmp; bash_session, text_editor, web_browser, "
    "computer, MCP servers in the sandbox, exec_remote, sandbox_service and the sandbox agent bridge need a helper "
    "that stays. Use the bash and python tools, or another sandbox (docker) without any release or gold in it"
)


class CommandTimeoutError(TimeoutError):
    """A command that was ended at its time limit; Inspect shows `truncated_output` to the model."""

    def __init__(self, seconds: int, truncated_output: str) -> None:
        super().__init__(f"the command was ended at its limit of {seconds} s")
        self.truncated_output = truncated_output


class HelperRefusedError(NotImplementedError):
    """A tool of Inspect that injects a helper program into the sandbox."""


@sandboxenv(name="scilaws")
class ScilawsSandbox(SandboxEnvironment):
    """Inspect's sandbox interface on a :class:`~scilaws_evals.agent_sandbox.Machine`."""

    def __init__(self, started: Machine) -> None:
        super().__init__()
        self._machine = started

    @classmethod
    def default_concurrency(cls) -> int | None:
        """How many samples may have a sandbox at once."""
        return 2 * COMMANDS

    @classmethod
    async def task_init(cls, task_name: str, config: SandboxEnvironmentConfigType | None) -> None:
        """Try a sandbox before the first sample. Raises EvalSetupError with what is missing and what would help."""
        await (await _start(config)).close()

    @classmethod
    async def sample_init(
        cls, task_name: str, config: SandboxEnvironmentConfigType | None, metadata: dict[str, str]
    ) -> dict[str, SandboxEnvironment]:
        """One sandbox with empty folders. Raises EvalSetupError."""
        return {"default": cls(await _start(config))}

    @classmethod
    async def sample_cleanup(
        cls,
        task_name: str,
        config: SandboxEnvironmentConfigType | None,
        environments: dict[str, SandboxEnvironment],
        interrupted: bool,
    ) -> None:
        """End the namespace: no process and no file of the sample is left, whatever ended it."""
        for environment in environments.values():
            await environment.as_type(ScilawsSandbox)._machine.close()

    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,  # noqa: A002 (Inspect's name)
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> ExecResult[str]:
        """Run a command; what it leaves running is killed when it ends.

        Raises what Inspect's contract says: SandboxUserUnsupportedError for any user, TimeoutError,
        OutputLimitExceededError, PermissionError, SandboxUnavailableError; HelperRefusedError for a tool that injects.
        """
        if not cmd:
            raise ValueError("a command has at least one word")
        if user is not None:
            raise SandboxUserUnsupportedError(f"sandbox='scilaws' has one user, nobody; it can't run as {user!r}")
        _refuse_helpers(cmd)
        for seconds in _attempts(timeout, timeout_retry):
            command = Command(
                arguments=cmd,
                most=SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE,
                input=input.encode("utf-8", "surrogatepass") if isinstance(input, str) else input,
                folder=cwd or ".",
                environment=env or {},
                seconds=seconds,
            )
            async with _turn(concurrency):
                try:
                    ended = await self._machine.run(command)
                except MachineLostError as error:
                    raise SandboxUnavailableError(str(error)) from error
            if ended.why != "timeout":
                return _result(ended)
        raise CommandTimeoutError(timeout or 0, _text(ended.stdout) + _text(ended.stderr))

    async def write_file(self, file: str, contents: str | bytes) -> None:
        """Write below /sandbox/work or /tmp. Raises IsADirectoryError, PermissionError, OSError if there is no room."""
        data = contents.encode() if isinstance(contents, str) else contents
        if len(data) > layout.WORK_BYTES:
            raise OSError(errno.ENOSPC, f"larger than the folder's {layout.WORK_BYTES:,} bytes", file)
        try:
            await self._machine.write(file, data)
        except OSError as error:
            _raise_as_inspects(error, file)

    @overload
    async def read_file(self, file: str, text: Literal[True] = True) -> str: ...

    @overload
    async def read_file(self, file: str, text: Literal[False]) -> bytes: ...

    async def read_file(self, file: str, text: bool = True) -> str | bytes:
        """Read below /sandbox/work or /tmp. Links are followed inside the sandbox, where the host's files are not.

        Raises FileNotFoundError, IsADirectoryError, PermissionError, UnicodeDecodeError, OutputLimitExceededError.
        """
        try:
            data = await self._machine.read(file, SandboxEnvironmentLimits.MAX_READ_FILE_SIZE)
        except OSError as error:
            _raise_as_inspects(error, file)
        return data.decode() if text else data

    async def connection(self, *, user: str | None = None) -> SandboxConnection:
        """Refused: raises NotImplementedError."""
        raise NotImplementedError(
            "sandbox='scilaws' offers no connection: nothing from outside may enter a sample's namespace"
        )


async def _start(config: SandboxEnvironmentConfigType | None) -> Machine:
    if config is not None:
        raise EvalSetupError(f"sandbox='scilaws' takes no configuration; found {config!r}")
    try:
        return await Machine.start(await anyio.to_thread.run_sync(require_ready))
    except ScilawsError as error:
        raise EvalSetupError.from_sdk(error) from error
    except MachineLostError as error:
        raise EvalSetupError(
            f"sandbox='scilaws': {error}. `scilaws-bench sandbox check` says what this machine allows; in a container "
            "that masks /proc, start it with --security-opt systempaths=unconfined"
        ) from error


def _refuse_helpers(cmd: list[str]) -> None:
    """Recognise Inspect's own commands about its helpers. What an agent writes is one argument after `bash -c`."""
    inspects = cmd[:2] == ["/bin/sh", "-c"] and any(item.startswith(_HELPER_FOLDERS) for item in _joined(cmd[4:]))
    if inspects or (cmd and cmd[0].startswith(_HELPER_FOLDERS)):
        raise HelperRefusedError(_NO_HELPERS)


def _joined(arguments: list[str]) -> list[str]:
    """The arguments, and neighbours put together as a path: Inspect passes parent and name apart."""
    return [*arguments, *(f"{first}/{second}" for first, second in itertools.pairwise(arguments))]


def _attempts(timeout: int | None, retry: bool) -> list[int | None]:
    """Time limits of the first try and, as Inspect documents, of two shorter ones."""
    if timeout is None or not retry:
        return [timeout]
    return [timeout, *(min(timeout, seconds) for seconds in _RETRIES_SECONDS)]


def _turn(throttled: bool) -> AbstractAsyncContextManager[Any]:
    return concurrency("scilaws sandbox commands", COMMANDS) if throttled else nullcontext()


def _result(ended: Ended) -> ExecResult[str]:
    if ended.why == "output":
        limit = SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE_STR
        raise OutputLimitExceededError(limit, _text(ended.stdout) + _text(ended.stderr))
    if ended.why in _KILLED:
        reason = f"\n[killed by the sandbox: {_KILLED[ended.why]}]\n"
        return ExecResult(False, _KILLED_CODE, _text(ended.stdout), _text(ended.stderr) + reason)
    return ExecResult(ended.code == 0, ended.code, _text(ended.stdout), _text(ended.stderr))


def _text(data: bytes) -> str:
    return data.decode(errors="replace")


def _raise_as_inspects(error: OSError, file: str) -> NoReturn:
    """Turn what is not in Inspect's contract for files into what is."""
    if isinstance(error, MachineLostError):
        raise SandboxUnavailableError(str(error)) from error
    if error.errno == errno.EFBIG:
        raise OutputLimitExceededError(SandboxEnvironmentLimits.MAX_READ_FILE_SIZE_STR, None) from error
    if error.errno in (errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.EINVAL):
        raise FileNotFoundError(errno.ENOENT, error.strerror, file) from error
    raise error
