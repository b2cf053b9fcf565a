"""An agent's script, run beside the gold it is to be judged by: the same walls, and an output that is only text.

Imitates agents that looked for the answers on the machine instead of in the data, and output that writes on the
terminal of whoever reads it. What prompts can bring out of Inspect: tests/evals/test_evals_secrets.py.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from attack_kit import LIMITS, NO_CALL, NO_FILE, NOT_ALLOWED, NOTHING, SECRET, SENTINEL, Attack, check_honest

from scilaws_bench.sandbox import CallResult, Limits, Sandbox, ScriptRunner

X = np.arange(10.0).reshape(5, 2)
Y = np.arange(5.0)
ATTACKS = {
    "gold by its path": Attack("return open('GOLD.csv').read()", NO_FILE, NOT_ALLOWED),
    "the checkout": Attack("return os.listdir('REPOSITORY')", NO_FILE, NOT_ALLOWED),
    "the builders": Attack(
        "import scilaws_builders\nreturn True", "ModuleNotFoundError", unprotected="not on the path"
    ),
    "the key": Attack("return SECRET in str(os.environ)", NOTHING, unprotected="clean at level none too"),
    "the key of another process": Attack("return open('/proc/OTHER_PID/environ').read()", NO_FILE, NOT_ALLOWED),
    "a shell": Attack("import subprocess\nreturn subprocess.run(['/bin/true'])", NO_CALL),
    "the network": Attack("import socket\nreturn socket.create_connection(('127.0.0.1', PORT), 2)", NO_CALL),
    "the evaluator": Attack("os.kill(HOST_PID, 0)\nreturn True", NO_CALL),
}


def script(attack: Attack, targets: dict[str, str]) -> str:
    return attack.law(targets) + "\nprint('GOT' + ' IT' if attempt(X_train) else 'nothing found')\n"


def run(runner: ScriptRunner, code: str, limits: Limits = LIMITS) -> CallResult:
    return runner.run_python(code, X, Y, ["a", "b", "target"], limits=limits)


def output(result: CallResult) -> str:
    assert result.values is not None, result.error
    return str(result.values["output"])


@pytest.mark.parametrize("name", ATTACKS)
def test_refused(sandbox: Sandbox, targets: dict[str, str], name: str) -> None:

    found = output(run(sandbox, script(ATTACKS[name], targets)))
    assert "GOT IT" not in found
    assert re.search(ATTACKS[name].reason(sandbox.level).replace("LookupError: ", ""), found), found
    assert SECRET not in found
    check_honest(sandbox)


@pytest.mark.parametrize("name", [name for name, attack in ATTACKS.items() if not attack.unprotected])
def test_works_unprotected(unprotected: Sandbox, targets: dict[str, str], name: str) -> None:
    assert "GOT IT" in output(run(unprotected, script(ATTACKS[name], targets)))


def test_the_data_of_another_sample_is_nowhere(sandbox: Sandbox) -> None:
    """Two scripts on one worker: neither variables nor patches nor modules of the first are there for the second."""
    first = run(sandbox, f"import builtins\nkept = builtins.kept = y_train + {SENTINEL!r}\nnp.kept = kept")
    assert output(first) == ""
    second = run(sandbox, "import builtins\nprint('kept' in globals(), hasattr(builtins, 'kept'), hasattr(np, 'kept'))")
    assert output(second) == "False False False\n"
    check_honest(sandbox)


def test_the_output_is_text_without_commands(sandbox: Sandbox) -> None:
    found = output(run(sandbox, "print('\\x1b]0;title\\x07\\x1b[2Jgone\\r\\u202eover\\u2066\\x9b31m')"))
    assert "gone" in found
    assert not [character for character in found if not character.isprintable() and character not in "\n\t\ufffd"]


def test_a_flood_of_output_is_cut_and_counted(sandbox: Sandbox) -> None:
    result = run(sandbox, "for _ in range(1000): print('x' * 10_000)")
    assert result.values is not None, result.error
    assert len(result.values["output"]) < 17_000
    assert result.values["truncated"] > 9_000_000
    check_honest(sandbox)


@pytest.mark.parametrize("code", ["while True: pass", "import os\nos._exit(0)", "x = [0] * 10 ** 12"])
def test_a_script_that_ends_badly_costs_its_own_turn(sandbox: Sandbox, code: str) -> None:
    result = run(sandbox, code, Limits(wall_seconds=1.5))
    assert not result.ok or "MemoryError" in output(result)
    assert output(run(sandbox, "print(train_df.shape)")) == "(5, 3)\n"


def test_an_output_forged_on_the_pipe_is_only_output(sandbox: Sandbox) -> None:
    forged = b'J{"output": "forged", "truncated": 0, "error": false, "score": 1.0}'
    source = (
        f"import os\nfor n in range(3, 256):\n    try: os.write(n, {forged!r})\n    except OSError: pass\nos._exit(0)"
    )
    result = run(sandbox, source)
    assert result.values == {"output": "forged", "truncated": 0, "error": False}
    check_honest(sandbox)
