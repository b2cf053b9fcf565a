"""Sandboxes of `sandbox="scilaws"` without an evaluation around them, and what the host sees of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from inspect_ai.util import ExecResult

from scilaws_evals.agent_sandbox.readiness import require_ready
from scilaws_evals.environment import ScilawsSandbox


def skip_without_sandbox() -> None:
    """Skip, visibly, where the machine can't isolate; what the refusal says is tested everywhere."""
    try:
        require_ready()
    except OSError as error:
        pytest.skip(f"not run: {error}")


@asynccontextmanager
async def opened() -> AsyncIterator[ScilawsSandbox]:
    environments = await ScilawsSandbox.sample_init("test", None, {})
    try:
        yield environments["default"].as_type(ScilawsSandbox)
    finally:
        await ScilawsSandbox.sample_cleanup("test", None, environments, False)


class Shared:
    """One sandbox for the tests of a module, in an event loop of its own thread; no test may rely on its files."""

    def __init__(self, portal: BlockingPortal, sandbox: ScilawsSandbox) -> None:
        self._portal, self._sandbox = portal, sandbox

    def run(self, use: Callable[[ScilawsSandbox], Awaitable[None]]) -> None:
        """Run a coroutine function on the sandbox, with empty folders."""
        self._portal.call(self._emptied, use)

    def shell(self, command: str, timeout: int = 30) -> ExecResult[str]:
        """One command of bash."""
        return self._portal.call(bash, self._sandbox, command, timeout)

    async def _emptied(self, use: Callable[[ScilawsSandbox], Awaitable[None]]) -> None:
        await bash(self._sandbox, "find /sandbox/work /tmp /dev/shm -mindepth 1 -delete")
        try:
            await use(self._sandbox)
        except pytest.fail.Exception as failed:  # no Exception: it would end the event loop of all tests
            raise AssertionError(str(failed)) from failed


@pytest.fixture(scope="module")
def shared_sandbox() -> Iterator[Shared]:
    skip_without_sandbox()
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(opened()) as sandbox:
        yield Shared(portal, sandbox)


def with_fresh_sandbox(use: Callable[[ScilawsSandbox], Awaitable[None]]) -> None:
    """Run a coroutine function on a sandbox of its own."""

    async def main() -> None:
        async with opened() as sandbox:
            await use(sandbox)

    anyio.run(main)


async def bash(sandbox: ScilawsSandbox, command: str, timeout: int = 30) -> ExecResult[str]:
    return await sandbox.exec(["bash", "-c", command], timeout=timeout, timeout_retry=False)


def host_processes(marker: str) -> list[int]:
    """Processes of this machine, in any namespace, whose command line holds `marker`."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                command = (folder / "cmdline").read_bytes()
            except OSError:  # it has just ended
                continue
            if marker.encode() in command:
                found.append(int(folder.name))
    return found
