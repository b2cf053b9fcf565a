"""Run an agent's script on training records and keep what it prints."""

from __future__ import annotations

import contextlib
import io
import linecache
import sys
import traceback
import warnings
from typing import Any

import numpy as np

from .wire import MAX_OUTPUT_CHARACTERS, Request

SCRIPT_FILE = "<python>"
_TAIL_CHARACTERS = MAX_OUTPUT_CHARACTERS // 4  # a traceback stands at the end
_HEAD_CHARACTERS = MAX_OUTPUT_CHARACTERS - _TAIL_CHARACTERS


class Printed(io.TextIOBase):
    """A text stream that keeps the beginning and the end of what is written, in bounded memory."""

    def __init__(self) -> None:
        self._head: list[str] = []
        self._tail: list[str] = []
        self._room = _HEAD_CHARACTERS
        self._tail_length = 0
        self._left_out = 0

    def writable(self) -> bool:
        """Always."""
        return True

    def write(self, text: str) -> int:
        """Take `text`, as any text stream does."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        kept, rest = text[: self._room], text[self._room :]
        if kept:
            self._head.append(kept)
            self._room -= len(kept)
        if rest:
            self._tail.append(rest)
            self._tail_length += len(rest)
            if self._tail_length > 2 * _TAIL_CHARACTERS:
                self._shorten()
        return len(text)

    def _shorten(self) -> None:
        end = "".join(self._tail)[-_TAIL_CHARACTERS:]
        self._left_out += self._tail_length - len(end)
        self._tail, self._tail_length = [end], len(end)

    def result(self) -> tuple[str, int]:
        """What was kept, with a mark where something is left out, and how many characters that is."""
        self._shorten()
        mark = f"\n[... {self._left_out:,} characters left out ...]\n" if self._left_out else ""
        return "".join(self._head) + mark + "".join(self._tail), self._left_out


def run_script(request: Request, swallow: tuple[type[BaseException], ...]) -> dict[str, Any]:
    """Run `request.source` and return {"output", "truncated", "error"}; whatever of `swallow` it raises is printed."""
    printed, failed = Printed(), False
    linecache.cache[SCRIPT_FILE] = (
        len(request.source),
        None,
        request.source.splitlines(keepends=True),
        SCRIPT_FILE,
    )
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed), warnings.catch_warnings():
            warnings.showwarning = _show_warning
            try:
                exec(compile(request.source, SCRIPT_FILE, "exec", dont_inherit=True), _names(request))  # noqa: S102
            except SystemExit as leaving:
                if leaving.code not in (None, 0):
                    failed = True
                    printed.write(f"SystemExit: {leaving.code}\n")
            except swallow as error:
                failed = True
                printed.write(_trace(error))
    finally:
        linecache.cache.pop(SCRIPT_FILE, None)
    output, left_out = printed.result()
    return {"output": output, "truncated": left_out, "error": failed}


def _names(request: Request) -> dict[str, Any]:
    """What a script finds defined."""
    import pandas as pd  # not before: laws are run by the same zygotes and need none of it
    import scipy

    frame = pd.DataFrame(dict(zip(request.names, [*request.X.T, request.y], strict=True)))
    names = {"__name__": "__main__", "np": np, "scipy": scipy, "pd": pd}
    names |= {"train_df": frame, "X_train": request.X, "y_train": request.y}
    if len(request.groups):
        frame["group_id"] = request.groups
        names["group_ids_train"] = request.groups
    return names


def _trace(error: BaseException) -> str:
    """The traceback of an exception with the script's own lines only: the others are paths of this machine."""
    try:
        whole = traceback.TracebackException.from_exception(error)
        seen: set[int] = set()
        waiting = [whole]
        while waiting:
            part = waiting.pop()
            if id(part) in seen:
                continue
            seen.add(id(part))
            part.stack = traceback.StackSummary.from_list(
                [frame for frame in part.stack if frame.filename == SCRIPT_FILE]
            )
            waiting += [other for other in (part.__cause__, part.__context__) if other is not None]
        return "".join(whole.format())
    except BaseException:  # noqa: BLE001 - whatever a script's exception raises while it is printed
        return f"{type(error).__name__}: an exception that cannot be printed\n"


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: Any = None,
    line: str | None = None,
) -> None:
    where = f"line {lineno}: " if filename == SCRIPT_FILE else ""
    sys.stderr.write(f"{where}{category.__name__}: {message}\n")
