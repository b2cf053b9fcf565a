"""The bundle loader: random folders, archives and manifests give a submission or the errors that are announced."""

from __future__ import annotations

import io
import os
import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from fuzz_kit import as_bytes, changed, check_message, damaged, fuzz, values
from hypothesis import example
from hypothesis import strategies as st

from scilaws_bench.errors import ScilawsError
from scilaws_bench.hashing import bytes_hash
from scilaws_bench.submissions import load_submission
from scilaws_bench.submissions.documents import parse_scorecard
from scilaws_bench.submissions.files import read_bundle

pytestmark = pytest.mark.slow
LAW = b"def predict(X):\n    return X[:, 0]\n"
HASH = bytes_hash(LAW)
MANIFEST: dict[str, Any] = {
    "schema": "scilaws-bench/submission/1",
    "name": "fuzzed",
    "description": "",
    "submitter": {"name": "x", "contact": ""},
    "system": {"name": "x", "kind": "agent", "details": ""},
    "created": "2025-01-31",
    "release": {"version": "1.0.0", "edition": "demo", "manifest_hash": HASH},
    "answers": [
        {"task_id": f"scilaws_real/{name}", "task_hash": HASH, "path": f"laws/{name}.py", "sha256": HASH}
        for name in ("one", "two")
    ],
    "claims": {"scorecard": "scorecard.json", "sha256": HASH},
    "records": [{"path": "records/log.txt", "sha256": HASH, "meaning": "log"}],
}
METHODS = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
names = st.one_of(
    st.sampled_from(["submission.json", "laws/one.py", "laws/two.py", "records/log.txt", "scorecard.json", "laws"]),
    st.sampled_from(
        ["../x", "/x", "a//b", "./a", "a/../b", "C:\\x", "a\\b", "LAWS/one.py", "a/", " ", "\u202e", "é", "é"]
    ),
    st.text(min_size=1, max_size=12).filter(lambda text: text.encode("utf-8", "ignore").decode() == text),
)


def load(path: Path) -> None:
    try:
        submission = load_submission(path)
    except ScilawsError as error:
        check_message(error)
        return
    for issue in submission.issues:
        assert str(issue).isprintable()
    for answer in submission.answers.values():
        try:
            submission.law(answer)
        except ScilawsError as error:
            check_message(error)
    try:
        assert submission.claimed_scorecard is None or isinstance(submission.claimed_scorecard, dict)
    except ScilawsError as error:
        check_message(error)


def load_bytes(content: bytes) -> None:
    with tempfile.TemporaryDirectory(prefix="attack_fuzz_") as folder:
        path = Path(folder) / "bundle.zip"
        path.write_bytes(content)
        load(path)


def archive(entries: list[tuple[str, bytes]], method: int) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as target:
        for name, content in entries:
            target.writestr(zipfile.ZipInfo(name), content, method)
    return stream.getvalue()


HONEST = [("submission.json", as_bytes(MANIFEST)), ("laws/one.py", LAW), ("laws/two.py", LAW), ("records/log.txt", LAW)]


@fuzz(st.data(), st.sampled_from(METHODS))
def test_damaged_archives(data: st.DataObject, method: int) -> None:
    load_bytes(data.draw(damaged(archive(HONEST, method))))


@fuzz(st.binary(max_size=400), st.booleans())
def test_noise(content: bytes, looks_right: bool) -> None:
    load_bytes(b"PK\x03\x04" + content + b"PK\x05\x06" + bytes(18) if looks_right else content)


@fuzz(st.lists(st.tuples(names, st.binary(max_size=60)), max_size=8), st.sampled_from(METHODS))
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_archives_of_any_names(entries: list[tuple[str, bytes]], method: int) -> None:
    load_bytes(archive([*HONEST[:2], *entries], method))


@fuzz(changed(MANIFEST))
def test_changed_manifests(manifest: Any) -> None:
    load_bytes(archive([("submission.json", as_bytes(manifest)), *HONEST[1:]], zipfile.ZIP_STORED))


@fuzz(st.one_of(values.map(as_bytes), st.binary(max_size=200)))
@example(as_bytes({"schema": "scilaws-bench/scorecard/1", "verdicts": [[]] * 9}))
def test_scorecards_of_anything(content: bytes) -> None:
    try:
        parse_scorecard(content, "scorecard.json")
    except ScilawsError as error:
        check_message(error)


KINDS = ["file", "folder", "link", "pipe", "dangling", "loop", "unreadable"]


@fuzz(st.lists(st.tuples(names, st.sampled_from(KINDS), st.binary(max_size=60)), max_size=8))
def test_folders_of_anything(entries: list[tuple[str, str, bytes]]) -> None:
    folder = Path(tempfile.mkdtemp(prefix="attack_fuzz_"))
    try:
        for name, content in HONEST[:2]:
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(content)
        for name, kind, content in entries:
            _put(folder, name, kind, content)
        found = read_bundle(folder)
        assert all(content != b"outside" for content in found.files.values())
        load(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _put(folder: Path, name: str, kind: str, content: bytes) -> None:
    """Put something at a name, if the file system takes it there."""
    path = folder / name.replace("\0", "0").lstrip("/").replace("..", "__")
    if os.path.lexists(path):  # writing to a pipe of the same name would wait for a reader
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if kind == "file":
            path.write_bytes(content)
        elif kind == "folder":
            path.mkdir(exist_ok=True)
        elif kind == "pipe":
            os.mkfifo(path)
        elif kind == "unreadable":
            path.write_bytes(content)
            path.chmod(0)
        else:
            path.symlink_to({"link": "/etc/hostname", "dangling": "nowhere", "loop": path.name}[kind])
    except (OSError, ValueError):
        return
