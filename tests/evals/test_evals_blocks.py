"""The scanner of the XML protocol; the rules are those of docs/protocol.md."""

from __future__ import annotations

import time

import pytest

from scilaws_evals.blocks import MAX_REPLY_CHARACTERS, Block, NoBlock, first_block


@pytest.mark.parametrize(
    ("reply", "tag", "text", "more"),
    [
        ("Look.\n<python>\nprint(1)\n</python>\nThen.", "python", "print(1)", False),
        ("<python>1</python><final_formula>2</final_formula>", "python", "1", True),
        ("<final_formula>1</final_formula> <python>2</python>", "final_formula", "1", True),
        ("<experiment>{}</experiment>", "experiment", "{}", False),
        # mentions
        ("I will use `<python>` now: <python>1</python>", "python", "1", False),
        ('as ` <python> ` or "<final_formula>": <python>1</python>', "python", "1", False),
        ("<python>1</python> and later `<final_formula>`", "python", "1", False),
        # tags inside Python text
        ('<python>print("</python>")</python>', "python", 'print("</python>")', False),
        ("<python>s = '''\n</python>\n'''</python>", "python", "s = '''\n</python>\n'''", False),
        (r"<python>s = '\'</python>'</python>", "python", r"s = '\'</python>'", False),
        ('<python>s = "<final_formula>"</python>', "python", 's = "<final_formula>"', False),
        ("<python># about <final_formula>\n1</python>", "python", "# about <final_formula>\n1", False),
        ("<python>1  # done</python>", "python", "1  # done", False),
        ("<python># don't\n1</python>", "python", "# don't\n1", False),
        # broken Python still ends at its tag and is left to Python to refuse
        ("<python>it's broken</python>", "python", "it's broken", False),
        ("<python>it's</python> what it's", "python", "it's", False),
        ('<python>s = """never closed</python>', "python", 's = """never closed', False),
        # Markdown fences
        ("```xml\n<python>\n1\n</python>\n```", "python", "1", False),
        ("<python>\n```python\n1\n```\n</python>", "python", "1", False),
        ("<python>\n~~~\n1\n~~~\n</python>", "python", "1", False),
        ("<python>\nx = '''\n```\n'''\n</python>", "python", "x = '''\n```\n'''", False),
        # stray closing tags
        ("</python> <python>1</python>", "python", "1", False),
        ("<python>1</final_formula></python>", "python", "1</final_formula>", False),
    ],
)
def test_the_first_block_is_found(reply: str, tag: str, text: str, more: bool) -> None:
    assert first_block(reply) == Block(tag, text, more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "Your reply is empty"),
        (" \n\t", "Your reply is empty"),
        ("Thinking.", "no <python> or <final_formula> block"),
        ("Use `<python>`.", "no <python> or <final_formula> block"),
        ("<python>print(1)", "has no closing tag"),
        ("<python>print(1)</final_formula>", "has no closing tag"),
        ("<python> \n </python>", "block is empty"),
        ("<python>\n```\n\n```\n</python>", "block is empty"),
        ("<python><final_formula>1</final_formula></python>", "not closed before <final_formula> opens"),
        ("<python><python>1</python></python>", "not closed before <python> opens"),
        ("<python>1 <final_formula>2</final_formula>", "not closed before <final_formula> opens"),
        ("<PYTHON>1</PYTHON>", "'<PYTHON>' is not a tag"),
        ('<python lang="py">1</python>', "is not a tag of this protocol"),
        ("< python>1</python>", "is not a tag of this protocol"),
        ("<python/>", "is not a tag of this protocol"),
        ("x" * (MAX_REPLY_CHARACTERS + 1), "at most 400,000 are read"),
    ],
)
def test_a_reply_without_a_usable_block_is_told_why(reply: str, reason: str) -> None:
    found = first_block(reply)
    assert isinstance(found, NoBlock)
    assert reason in found.reason
    assert len(found.reason) < 400


@pytest.mark.parametrize(
    "reply",
    [
        "x" * 10_000_000,
        "<python>" + '\\"""' * 90_000,
        "<python>" + '"\\' * 190_000,
        "<python>" + "'" * 390_000,
        "<python>" + '"a\n' * 130_000,
        "` <python> `" * 30_000,
        "<python>" * 49_000,
        "<python>" + "#" * 390_000,
        "<python " * 49_000,
        "<" * 399_000,
    ],
    ids=lambda reply: reply[:12],
)
def test_hostile_replies_take_linear_time(reply: str) -> None:
    started = time.process_time()
    assert isinstance(first_block(reply), NoBlock)
    assert time.process_time() - started < 3.0
