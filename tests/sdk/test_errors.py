"""One error tree: every class is a built-in too, says what, expected, found and remedy, and survives pickling."""

from __future__ import annotations

import inspect
import pickle

import pytest

from scilaws_bench import errors
from scilaws_bench.errors import ScilawsError

CLASSES = [
    kind
    for _, kind in inspect.getmembers(errors, inspect.isclass)
    if issubclass(kind, ScilawsError) and kind is not ScilawsError
]


@pytest.mark.parametrize("kind", CLASSES)
def test_every_class_is_also_a_built_in(kind: type[ScilawsError]) -> None:
    assert issubclass(kind, ValueError | OSError | ImportError | RuntimeError)


@pytest.mark.parametrize("kind", [ScilawsError, *CLASSES])
def test_the_message_has_all_four_parts_and_survives_a_process_border(kind: type[ScilawsError]) -> None:
    error = kind("file a", "sha256 1", "sha256 2", "Download it again.")
    again = pickle.loads(pickle.dumps(error))
    for each in (error, again):
        assert type(each) is kind
        assert str(each) == "file a; expected sha256 1; found sha256 2. Download it again."
        assert (each.thing, each.expected, each.found, each.remedy) == (
            "file a",
            "sha256 1",
            "sha256 2",
            "Download it again.",
        )


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (("thing",), "thing"),
        (("thing", "this"), "thing; expected this"),
        (("thing", "", "that"), "thing; found that"),
        (("thing", "", "", "Do it."), "thing. Do it."),
    ],
)
def test_parts_that_are_left_out_leave_no_trace(parts: tuple[str, ...], text: str) -> None:
    assert str(ScilawsError(*parts)) == text
