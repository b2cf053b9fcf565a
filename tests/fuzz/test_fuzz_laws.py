"""The law gate and the answer parsers: text of any kind gives findings, a fault or a block, never an exception."""

from __future__ import annotations

import pytest
from fuzz_kit import check_message, fuzz
from hypothesis import example
from hypothesis import strategies as st

from scilaws_bench.errors import SubmissionError
from scilaws_bench.laws.gate import decode_source, static_findings, syntax_fault

pytestmark = pytest.mark.slow
LAW = 'import numpy as np\nLAW_CONSTANTS = {"a": 1.0}\ndef predict(X, a):\n    return a * np.exp(X[:, 0])\n'
KEYWORDS = "def class if else for while try except finally with as import from return yield lambda async await match"
SIGNS = "( ) [ ] { } : ; , . = == := -> @ ** // << | & ~ ... + - * % < > ! ? $ ` \\ x X np eval open predict None 1 2.5"
WORDS = [
    *KEYWORDS.split(),
    *SIGNS.split(),
    "\n",
    "\n    ",
    "\t",
    " ",
    "#",
    '"',
    "'",
    '"""',
    "f'{",
    "b'",
    "0x",
    "1e",
    "0777",
]
WORDS += ["\x0c", "\x00", "\ufeff", "é", "1_0", "1e", "0777"]
programs = st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join)
glued = st.lists(st.sampled_from(WORDS), max_size=60).map("".join)


def nested(opening: str, closing: str, inner: str = "1") -> st.SearchStrategy[str]:
    return st.integers(0, 4000).map(lambda depth: opening * depth + inner + closing * depth)


deep = st.one_of(
    nested("(", ")"), nested("[", "]"), nested("{1:", "}"), nested("-", ""), nested("not ", ""), nested("x(", ")"),
    nested("lambda: ", ""), nested("x.", "", "y"), nested("x[", "]"), nested("1+", ""), nested("f'{", "}'"),
    nested("a if b else ", "", "c"), nested("await ", "", "x"), nested("x = ", "", "1"), nested("", "**2", "2"),
    st.integers(0, 200).map(lambda n: "\n".join(" " * i + "if 1:" for i in range(n)) + "\n" + " " * n + "pass"),
    st.integers(0, 200).map(lambda n: "\n".join(" " * i + "def f():" for i in range(n)) + "\n" + " " * n + "pass"),
    st.integers(0, 60).map(lambda n: "match x:\n case " + "[" * n + "_" + "]" * n + ": pass"),
)  # fmt: skip


def gate(source: str) -> None:
    fault = syntax_fault(source)
    assert isinstance(fault, str)
    assert len(fault) < 500
    if not fault:
        flags = static_findings(source)
        assert list(flags) == sorted(flags)


@fuzz(st.one_of(st.text(max_size=200), programs, glued, deep))
@example("(" * 100_000)
@example("-" * 250_000 + "1")
@example("x" + ".x" * 120_000)
@example("1" + "+1" * 120_000)
@example("x = " * 60_000 + "1")
@example("9" * 200_000)
@example("\ud800")
@example("# coding: rot13\nx")
@example("# coding: no-such\nx")
@example("x\x00y")
def test_the_gate(source: str) -> None:
    gate(source)


@fuzz(st.integers(0, len(LAW)), st.integers(0, 8), st.one_of(st.text(max_size=12), glued))
def test_the_gate_on_damaged_laws(at: int, cut: int, put: str) -> None:
    gate(LAW[:at] + put + LAW[at + cut :])


@fuzz(st.one_of(st.binary(max_size=300), st.binary(max_size=20).map(lambda data: data * 20_000)))
def test_law_files(content: bytes) -> None:
    try:
        source = decode_source(content, "law.py")
    except SubmissionError as error:
        check_message(error)
        return
    gate(source)


TAGS = ["<python>", "</python>", "<final_formula>", "</final_formula>", "<experiment>", "</experiment>", "<Python >"]
pieces = st.one_of(st.sampled_from([*TAGS, *WORDS, "```", "```python\n", "~~~", "\\"]), st.text(max_size=4))
replies = st.one_of(st.text(max_size=300), st.lists(pieces).map("".join))


@fuzz(replies, st.integers(1, 300))
@example("<python>" * 20_000, 1)
@example("`" * 300_000 + "<python>", 1)
@example("<python>" + '"' * 300_000, 1)
@example("<python>" + '"""\\' * 60_000, 1)
@example("<python>\n" + "'\n" * 150_000 + "</python>", 1)
@example("<python>#" + "#</pytho" * 40_000, 1)
@example("< python" + " " * 300_000 + ">", 1)
def test_blocks_of_replies(reply: str, repeated: int) -> None:
    blocks = pytest.importorskip("scilaws_evals.blocks", reason="needs scilaws-bench[eval]")
    for text in (reply, (reply * repeated)[: blocks.MAX_REPLY_CHARACTERS + 1]):
        found = blocks.first_block(text)
        if isinstance(found, blocks.Block):
            assert found.text.strip()
            assert found.text in text
        else:
            assert found.reason
            assert len(found.reason) < 500
