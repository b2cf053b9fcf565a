"""Static look at a law's source: friendly errors and evidence, never the security boundary.

An import allow-list is easy to escape (`numpy.f2py.os`, `pandas.io.common.os`), so nothing here
protects anything; the sandbox does. Findings are stored with the verdict as flags.
"""

from __future__ import annotations

import ast
import threading
import warnings
from pathlib import Path

from scilaws_bench.errors import SubmissionError

MAX_SOURCE_BYTES = 262_144
MAX_LITERAL_NUMBERS = 64

_PARSING = threading.Lock()

ALLOWED_IMPORTS = frozenset(
    {"numpy", "scipy", "sklearn", "pandas", "math", "statistics", "itertools", "functools", "collections", "warnings"}
    | {"__future__", "typing", "dataclasses"}
)
DYNAMIC_CALLS = frozenset({"eval", "exec", "compile", "__import__", "globals", "getattr", "setattr", "open", "input"})


def decode_source(content: bytes, where: str) -> str:
    """Text of a law module from its bytes: the one door for law files.

    Raises:
        SubmissionError: more than 262,144 bytes, or bytes that are not UTF-8.
    """
    if len(content) > MAX_SOURCE_BYTES:
        raise SubmissionError(
            where, f"a law of at most {MAX_SOURCE_BYTES:,} bytes", f"{len(content):,} bytes", "Shorten it."
        )
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SubmissionError(where, "UTF-8 text", f"byte {error.start} is not UTF-8", "Save it as UTF-8.") from None


def read_source(file: Path) -> str:
    """Text of a law file (SubmissionError as `decode_source`, and for files that can't be read)."""
    try:
        with file.open("rb") as stream:
            return decode_source(stream.read(MAX_SOURCE_BYTES + 1), str(file))
    except OSError as error:
        raise SubmissionError(str(file), "a readable file", str(error), "Check the path.") from None


def syntax_fault(source: str) -> str:
    """Why the text is no Python module (with line and column), or "" if it is one."""
    if len(source.encode("utf-8", "surrogatepass")) > MAX_SOURCE_BYTES:
        return f"the law is larger than {MAX_SOURCE_BYTES:,} bytes"
    try:
        _parse(source)
    except SyntaxError as error:
        return f"not a Python module: {error.msg} at line {error.lineno} column {error.offset}"
    except (ValueError, RecursionError, MemoryError) as error:
        return f"not a Python module: {type(error).__name__}"
    return ""


def static_findings(source: str) -> tuple[str, ...]:
    """Sorted flags for anything a reviewer should look at; empty for an ordinary law.

    Flags: `import:NAME` outside the paper's white-list (Appendix B.2), `dynamic:NAME` for calls
    that run or reach code by name, `literals:N` for more than 64 numeric literals.
    """
    tree = _parse(source)
    flags: set[str] = set()
    literals = 0
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                flags.update(f"import:{alias.name}" for alias in node.names if _outside(alias.name))
            case ast.ImportFrom():
                if _outside(node.module or "."):
                    flags.add(f"import:{node.module or '.'}")
            case ast.Call(func=ast.Name(id=name)) if name in DYNAMIC_CALLS:
                flags.add(f"dynamic:{name}")
            case ast.Constant(value=value) if isinstance(value, int | float | complex) and not isinstance(value, bool):
                literals += 1
    if literals > MAX_LITERAL_NUMBERS:
        flags.add(f"literals:{literals}")
    return tuple(sorted(flags))


def _parse(source: str) -> ast.Module:
    with _PARSING, warnings.catch_warnings():  # the filters belong to the process: one thread at a time
        warnings.simplefilter("ignore")
        return ast.parse(source, filename="<law>")


def _outside(name: str) -> bool:
    return name.split(".")[0] not in ALLOWED_IMPORTS
