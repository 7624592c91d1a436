# SPDX-License-Identifier: Apache-2.0
"""Where a library is published: the default repository, and one commit of a repository."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from aa_dataset.assets.cache import CacheLayout, cache_layout
from aa_dataset.errors import ArenaError

REPO_VARIABLE = "AA_REPO"
DEFAULT_REPO: str | None = None  # set it when the library is published
SEAL_NAME = "library.json"

_PART = r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,94}[A-Za-z0-9_])?"
_REPO = re.compile(rf"{_PART}/{_PART}")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_SHORT_COMMIT = re.compile(r"[0-9a-f]{7,39}")
_LIBRARY_REVISION = re.compile(r"[0-9a-f]{16}")


class RepositoryError(ArenaError, ValueError):
    """A text does not name a repository of the Hub."""


@dataclass(frozen=True, slots=True)
class Origin:
    """One commit of a dataset repository of the Hub; its files never change."""

    repo_id: str
    commit: str

    def __post_init__(self) -> None:
        """Check both names: they become folders and addresses."""
        require_repository(self.repo_id)
        if not is_commit(self.commit):
            raise RepositoryError(f"{self.commit!r} is not a commit of 40 hex digits.")

    def __str__(self) -> str:
        """Return repository and commit, for messages."""
        return f"{self.repo_id} at commit {self.commit[:12]}"


@dataclass(frozen=True, slots=True)
class Access:
    """How an open library gets what is not on this disk.

    Attributes
    ----------
    home : Path or None
        The cache; None is ``$AA_HOME``, read when needed.
    offline : bool or None
        Never use the network; None leaves that to ``HF_HUB_OFFLINE``.
    streaming : bool
        Keep the files of an object in memory only; folders are still written to the cache.
    """

    home: Path | None = None
    offline: bool | None = None
    streaming: bool = False

    @property
    def cache(self) -> CacheLayout:
        """The cache folder."""
        return cache_layout() if self.home is None else CacheLayout(self.home)

    @property
    def is_offline(self) -> bool:
        """Whether the network may not be used."""
        if self.offline is not None:
            return self.offline
        from huggingface_hub import constants

        return bool(constants.HF_HUB_OFFLINE)


def default_repository() -> str | None:
    """Return ``$AA_REPO``, read on each call, else the default; None if neither is set."""
    return os.environ.get(REPO_VARIABLE) or DEFAULT_REPO


def require_repository(repo_id: str) -> str:
    """Return the name of a repository, or raise `RepositoryError`."""
    if not _REPO.fullmatch(repo_id) or "--" in repo_id or ".." in repo_id:
        raise RepositoryError(
            f"{repo_id!r} does not name a repository of the Hub. Write it as owner/name."
        )
    return repo_id


def is_commit(text: str) -> bool:
    """Return whether a revision is a commit of the Hub, 40 hex digits."""
    return _COMMIT.fullmatch(text) is not None


def is_library_revision(text: str) -> bool:
    """Return whether a revision is a digest of a library, 16 hex digits."""
    return _LIBRARY_REVISION.fullmatch(text) is not None


def is_short_commit(text: str) -> bool:
    """Return whether a revision may be the first digits of a commit, as messages print them."""
    return _SHORT_COMMIT.fullmatch(text) is not None
