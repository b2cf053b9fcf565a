"""A policy that tries every way to the gold it knows, then submits a constant.

Each attempt prints `REFUSED` with the reason or `REACHED` with what it found, so that a log shows
what became of it. The imports go by `__import__`, since the white-list would stop the plain form.
"""

from __future__ import annotations

from pathlib import Path

from scilaws_evals.offline.view import Run, Step, Submit, View

_SCRIPTS = Path(__file__).with_name("scripts")
_MARK = "#### "


def attempts() -> dict[str, str]:
    """Attempts by name: the parts of `scripts/cheat.py.txt`."""
    parts = (_SCRIPTS / "cheat.py.txt").read_text(encoding="utf-8").split(_MARK)
    frame, named = parts[0], [part.split("\n", 1) for part in parts[1:]]
    return {
        name.strip(): f"{frame}\n{_indented(body)}\n\n\ntry_it({name.strip()!r}, attempt)\n" for name, body in named
    }


def cheating(view: View) -> Step:
    """One attempt a turn; two in one turn at the end would be refused anyway."""
    from scilaws_evals.offline.policies import plain_law

    codes = list(attempts().values())
    if view.turn <= len(codes):
        return Run(codes[view.turn - 1])
    law = plain_law(view)
    assert isinstance(law, Submit)
    return law


def _indented(body: str) -> str:
    return "def attempt():\n" + "\n".join(f"    {line}" if line else "" for line in body.strip("\n").split("\n"))
