"""The static look at a law: one door for its bytes, evidence instead of a boundary, no crash on any text."""

from __future__ import annotations

import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scilaws_bench.errors import SubmissionError
from scilaws_bench.laws import MAX_SOURCE_BYTES, decode_source, read_source, static_findings, syntax_fault

ODD_ESCAPE = 'TEXT = "\\d"\n' * 40


class TestDoor:
    def test_bytes_up_to_the_limit_are_decoded(self) -> None:
        content = ("# µ" + "x" * (MAX_SOURCE_BYTES - 4)).encode()
        assert len(content) == MAX_SOURCE_BYTES
        assert decode_source(content, "law.py") == content.decode()

    @pytest.mark.parametrize(
        ("content", "found"),
        [
            (b"x" * (MAX_SOURCE_BYTES + 1), "262,145 bytes"),
            (b"x = '\xe9'", "byte 5 is not UTF-8"),
            ("x = 1".encode("utf-16"), "byte 0 is not UTF-8"),
        ],
    )
    def test_other_bytes_are_refused(self, content: bytes, found: str, tmp_path: Path) -> None:
        (tmp_path / "law.py").write_bytes(content)
        for read in (lambda: decode_source(content, "law.py"), lambda: read_source(tmp_path / "law.py")):
            with pytest.raises(SubmissionError, match=rf"law\.py.*{found}"):
                read()

    def test_a_huge_file_is_not_read_whole(self, tmp_path: Path) -> None:
        """Issue A-8: a 1 GB answer."""
        with (tmp_path / "law.py").open("wb") as stream:
            stream.truncate(1 << 40)
        with pytest.raises(SubmissionError, match="at most 262,144 bytes"):
            read_source(tmp_path / "law.py")

    @pytest.mark.parametrize("name", ["missing.py", "."])
    def test_what_can_not_be_read_is_named(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(SubmissionError, match="a readable file"):
            read_source(tmp_path / name)


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("def predict(X)\n    return 1", "expected ':' at line 1 column 15"),
        ("x = 1\n  y = 2", "unexpected indent at line 2"),
        ("SELECT * FROM laws;", "line 1"),
        ("x = '\ud800'", "UnicodeEncodeError"),
        ("x = 1\0", "null bytes"),
        ("-" * 100_000 + "1", "not a Python module"),
        ("1+" * 50_000 + "1", "not a Python module"),
        ("(" * 10_000, "not a Python module"),
        ("a." * 50_000 + "a", "not a Python module"),
        ("#" * (MAX_SOURCE_BYTES + 1), "larger than 262,144 bytes"),
    ],
)
def test_text_that_is_no_module_is_explained(source: str, fault: str) -> None:
    assert fault in syntax_fault(source)


@pytest.mark.parametrize("source", ["", "x = 1", "# -*- coding: latin-1 -*-\nx = 'µ'", ODD_ESCAPE, "assert (1, 2)"])
def test_modules_have_no_fault_and_no_warning(source: str) -> None:
    assert syntax_fault(source) == ""


@pytest.mark.parametrize(
    ("source", "flags"),
    [
        (
            "import numpy as np\nfrom scipy.optimize import curve_fit\nimport math\nfrom __future__ import annotations",
            (),
        ),
        ("import numpy as np, os as o", ("import:os",)),  # grader_pitfalls 1 NB: only `import os` was caught
        ("from os import path", ("import:os",)),
        ("import os.path", ("import:os.path",)),
        ("def f():\n    import socket", ("import:socket",)),
        ("from . import x\nfrom .y import z", ("import:.", "import:y")),
        ("import numpyx", ("import:numpyx",)),
        ("eval('1')\ngetattr(1, 'a')\n__import__('os')", ("dynamic:__import__", "dynamic:eval", "dynamic:getattr")),
        ("def reopen(n): return n\nreopen(1)", ()),  # grader_pitfalls 1 NB: harmless reopen was refused
        ("x = [" + "1.5," * 64 + "]", ()),
        ("x = [" + "1.5," * 65 + "]", ("literals:65",)),
        ("x = [" + "True," * 65 + "]\ny = [" + "'1'," * 65 + "]", ()),
        ("x = -1j" + " + 2" * 64, ("literals:65",)),
    ],
)
def test_findings(source: str, flags: tuple[str, ...]) -> None:
    assert static_findings(source) == flags


def test_parsing_in_threads_leaves_the_warning_filters_alone() -> None:
    """Filters belong to the process; laws are parsed by several threads of one scoring run."""
    before = list(warnings.filters)
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(syntax_fault, [ODD_ESCAPE] * 2000)) == {""}
    assert list(warnings.filters) == before
