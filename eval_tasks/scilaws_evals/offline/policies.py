"""The policies: `solver` finds simple laws, the others exercise one branch of the protocol each."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from string import Template

from scilaws_evals.offline.cheating import cheating
from scilaws_evals.offline.view import Raw, Run, Say, Step, Submit, View

_SCRIPTS = Path(__file__).with_name("scripts")
_LAW = re.compile(r"^LAW BEGINS\n(.*)\nLAW ENDS$", re.DOTALL | re.MULTILINE)
_COLUMN = re.compile(r"^\| `([^`]+)` \|", re.MULTILINE)
_RETRY = "exactly one more try"


@cache
def script(name: str) -> str:
    """A script of the package by name."""
    return (_SCRIPTS / f"{name}.py.txt").read_text(encoding="utf-8")


def solver(view: View) -> Step:
    """Look at the records, fit a line or a power law in the first input, submit it."""
    if view.turn == 1:
        return Run(script("look"))
    found = _LAW.search(view.answer)
    return Submit(found[1]) if found else Run(script("fit"))


def silent(view: View) -> Step:
    """Talk and never act."""
    return Say("I am still thinking about what could govern this quantity.")


def late(view: View) -> Step:
    """Think until the retry, then submit a constant."""
    return plain_law(view) if view.is_told(_RETRY) else Say("Not yet.")


def judge(view: View) -> Step:
    """Answer with the strict JSON of a judge's verdict; it judges nothing, it keeps judge channels testable offline."""
    return Say('{"satisfied": false, "reason": "scripted verdict of scilaws/judge: nothing was judged"}')


def malformed(view: View) -> Step:
    """Break the protocol in another way each turn and never submit a usable law."""
    return _FAULTS[(view.turn - 1) % len(_FAULTS)]


def plain_law(view: View) -> Step:
    """Submit a constant."""
    column = _COLUMN.search(view.question)
    return Submit(Template(script("plain_law")).substitute(column=column[1] if column else "x"))


_NO_PREDICT = "USED_INPUTS = []\nLAW_CONSTANTS = {}\nOTHER_CONSTANTS = {}\nLOCAL_FITTABLE = {}\n"
_WRONG_COLUMN = _NO_PREDICT.replace("[]", "['no_such_column']") + "def predict(X):\n    return X[:, 0]\n"

_FAULTS: tuple[Step, ...] = (
    Raw("<python>print(1)", calls=(("python", {}, None),)),
    Raw("<PYTHON>print(1)</PYTHON>", calls=(("Python", {"code": "print(1)"}, None),)),
    Raw("", text=""),
    Raw("<python><final_formula>x</final_formula></python>", calls=(("python", {"code": 7}, None),)),
    Raw("<experiment>{}</experiment>", calls=(("experiment", {"points": []}, None),)),
    Raw(
        "<python>print('one')</python>\n<python>print('two')</python>",
        calls=(("python", {"code": "print('one')"}, None), ("python", {"code": "print('two')"}, None)),
    ),
    Raw("<python></python>", calls=(("python", {"code": ""}, None),)),
    Raw("<python>import os</python>", calls=(("python", {"code": "import os"}, None),)),
    Raw("I would write `<final_formula>` here.", calls=(("submit_law", {}, "the arguments are not JSON: {law"),)),
    Submit("def predict(X:\n"),
    Submit(_NO_PREDICT),
    Submit(_WRONG_COLUMN),
)

POLICIES: dict[str, Callable[[View], Step]] = {
    "solver": solver,
    "silent": silent,
    "malformed": malformed,
    "late": late,
    "cheating": cheating,
    "judge": judge,
}
