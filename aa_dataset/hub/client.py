# SPDX-License-Identifier: Apache-2.0
"""Facts that the Hub tells: the commit of a revision, digests of files."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aa_dataset.files import file_sha256
from aa_dataset.hub.errors import DamagedFileError, DownloadError, reason_of
from aa_dataset.hub.patience import with_retries
from aa_dataset.hub.place import Origin, is_commit
from aa_dataset.hub.ranges import RemoteFile

_CHUNK = 1 << 20  # [B] read at once


@dataclass(frozen=True, slots=True)
class Listed:
    """A file as the Hub lists it.

    Attributes
    ----------
    file : RemoteFile
        Where it is, and its size.
    blob : str
        Its name in git: the SHA-1 of a header and the contents, in hex.
    sha256 : str
        Digest of a large file in hex; empty for a file that git holds itself.
    """

    file: RemoteFile
    blob: str
    sha256: str

    def matches(self, path: Path) -> bool:
        """Return whether a file on this disk has the same contents."""
        if path.stat().st_size != self.file.size:
            return False
        return file_sha256(path) == self.sha256 if self.sha256 else git_blob(path) == self.blob

    def check(self, path: Path) -> None:
        """Raise `DamagedFileError` unless a downloaded file has these contents."""
        if not self.matches(path):
            raise damaged(self.file, "the Hub lists")


def damaged(file: RemoteFile, who: str) -> DamagedFileError:
    """Return the error about a file whose bytes differ from the digest that `who` state."""
    return DamagedFileError(
        f"{file.path} of {file.origin} arrived with other bytes than {who}; nothing of it is kept. "
        "Run the same again; if that does not help, a proxy or the repository is damaged."
    )


def git_blob(path: Path) -> str:
    """Return the name that git gives to the contents of a file."""
    total = hashlib.sha1(b"blob %d\0" % path.stat().st_size, usedforsecurity=False)
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            total.update(chunk)
    return total.hexdigest()


def commit_of(repo_id: str, revision: str | None) -> str:
    """Return the commit that a branch, a tag or a commit names now.

    Errors are those of the client; see `reason_of`.
    """
    from huggingface_hub import HfApi, constants

    def ask() -> Any:
        return HfApi(endpoint=constants.ENDPOINT).dataset_info(
            repo_id, revision=revision, timeout=constants.HF_HUB_DOWNLOAD_TIMEOUT
        )

    commit = with_retries(ask).sha
    if not isinstance(commit, str) or not is_commit(commit):
        raise ValueError("a repository without a commit")
    return commit


def listed_file(origin: Origin, path: str) -> Listed:
    """Return how the Hub lists one file of a commit."""
    from huggingface_hub import HfApi, constants

    def ask() -> Any:
        api = HfApi(endpoint=constants.ENDPOINT)
        return api.get_paths_info(
            origin.repo_id, [path], revision=origin.commit, repo_type="dataset"
        )

    try:
        found = [entry for entry in with_retries(ask) if entry.path == path]
        return as_listed(origin, found[0]) if found else _raise_absent(origin, path)
    except DownloadError:
        raise
    except Exception as error:  # the client and its transport raise many types
        reason = reason_of(error, repo_id=origin.repo_id, revision=origin.commit)
        raise DownloadError(f"cannot download {path} of {origin}: {reason}") from error


def as_listed(origin: Origin, entry: Any) -> Listed:
    """Return an entry of the client's listing; large files have a digest of their own."""
    large = getattr(entry, "lfs", None)
    size = int(large.size if large else entry.size)
    return Listed(
        RemoteFile(origin, entry.path, size), str(entry.blob_id), str(large.sha256) if large else ""
    )


def _raise_absent(origin: Origin, path: str) -> Listed:
    raise DownloadError(
        f"{origin} has no {path}, so it is not a library. Check the name of the repository."
    )
