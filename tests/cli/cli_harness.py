"""Run the command line in this process and look at what came out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from click.testing import CliRunner

from scilaws_bench import strict_json
from scilaws_bench.cli import main


@dataclass(frozen=True)
class Done:
    """Exit code and streams of one command."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """Standard output as one strict JSON document."""
        return strict_json.loads(self.out)


def run(*arguments: object) -> Done:
    """Run a command; anything but a clean exit is a failure of the test."""
    done = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
    assert "Traceback" not in done.output
    return Done(done.exit_code, done.stdout, done.stderr)
