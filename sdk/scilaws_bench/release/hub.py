"""Releases on a hub of datasets: fetch one by name into the client's cache.

Which hub, which token and which cache are huggingface_hub's own settings. A name and a revision say
where a release was found, never which one it is: branches move, tags can be moved, and a client that
can't reach the hub serves what it has cached. Whoever needs a given release compares manifest hashes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from scilaws_bench.errors import HubUnavailableError, ReleaseError
from scilaws_bench.release.content import MANIFEST

_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)
_RELEASE_FILES = (MANIFEST, "README.md", "ATTRIBUTION.md", "*.parquet", "gold/*.sealed")


def is_hub_name(text: str) -> bool:
    """Whether a text has the shape `organisation/name` of a dataset on a hub."""
    return _NAME.fullmatch(text) is not None


def download_release(name: str, revision: str | None = None) -> Path:
    """Folder in the client's cache with the files of a release on the hub; `main` if no revision is given.

    The manifest is fetched first, so that a dataset that is no release costs one small file.

    Raises:
        ReleaseError: no such dataset or revision, or no manifest in it.
        HubUnavailableError: the hub can't be reached, or fails, and the cache does not hold that revision.
    """
    from huggingface_hub import snapshot_download

    with hub_errors(name, revision):
        folder = Path(snapshot_download(name, repo_type="dataset", revision=revision, allow_patterns=[MANIFEST]))
        if not (folder / MANIFEST).is_file():
            raise _no_release(_place(name, revision))
        # The cache names its folders after commits: the rest comes from the same one, even if a branch moves meanwhile.
        snapshot_download(name, repo_type="dataset", revision=folder.name, allow_patterns=list(_RELEASE_FILES))
    return folder


@contextmanager
def hub_errors(name: str, revision: str | None = None) -> Iterator[None]:
    """Turn what the client raises while it works on dataset `name` into this package's errors.

    Raises:
        ReleaseError: the hub answered: no such dataset, revision or file.
        HubUnavailableError: everything else between here and the hub.
    """
    from huggingface_hub import errors

    place = _place(name, revision)
    # The client's HTTP library changed its name between versions; its base error is found through the client.
    http_error = next(base for base in errors.HfHubHTTPError.__mro__ if base.__name__ == "HTTPError")
    unreachable: tuple[type[BaseException], ...] = (
        errors.LocalEntryNotFoundError,
        errors.LocalTokenNotFoundError,
        errors.FileMetadataError,
        errors.OfflineModeIsEnabled,
        cast("type[Exception]", http_error),
        json.JSONDecodeError,  # something answers that is no hub
        RuntimeError,  # how the client reports a failed transfer of a large file
    )
    try:
        yield
    except errors.HFValidationError as error:
        raise ReleaseError(f"dataset {name!r}", "a name a hub can have", _first_line(error)) from None
    except errors.RevisionNotFoundError:
        raise ReleaseError(place, "a branch, tag or commit of it", "no such revision", "See its tags.") from None
    except errors.RepositoryNotFoundError:
        raise ReleaseError(
            place, "a folder of that path, or a dataset on the hub that you may read", "neither",
            "Check the name; log in with `hf auth login` if it is private.",
        ) from None  # fmt: skip
    except errors.RemoteEntryNotFoundError:
        raise ReleaseError(
            place, f"a release with {MANIFEST}", "no such file in it", "Give another revision."
        ) from None
    except unreachable as error:
        refusal = error if isinstance(error, errors.HfHubHTTPError) else None
        if refusal is not None and refusal.response.status_code in (401, 403):
            raise HubUnavailableError(
                place,
                "permission from the hub",
                _cause(error),
                "Log in with `hf auth login` and a token that may do this.",
            ) from None
        raise HubUnavailableError(
            place, "an answer from the hub", _cause(error),
            "Check the network, and the client's settings with `hf env`; what is in its cache opens without a network.",
        ) from None  # fmt: skip


def _place(name: str, revision: str | None) -> str:
    return f"dataset {name}" + (f" at revision {revision}" if revision else "")


def _no_release(place: str) -> ReleaseError:
    return ReleaseError(place, f"a release, with {MANIFEST}", "none in it", "Give another name or revision.")


def _cause(error: BaseException) -> str:
    """What the hub said, or the first line of the deepest cause."""
    from huggingface_hub.errors import HfHubHTTPError

    while error.__cause__ is not None and not isinstance(error, HfHubHTTPError):
        error = error.__cause__
    if isinstance(error, HfHubHTTPError):
        return f"HTTP status {error.response.status_code} {error.server_message or ''}".strip()
    return _first_line(error)


def _first_line(error: BaseException) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[0].strip().rstrip(".") if lines else type(error).__name__
