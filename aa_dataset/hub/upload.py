# SPDX-License-Identifier: Apache-2.0
"""Publish a release: large files first, then one commit, then the revision as a tag.

Files that the Hub has already are skipped, so a broken upload goes on when it is started again. The
branch changes once, at the end: nobody ever sees half a release.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aa_dataset.errors import ArenaError, LibraryError
from aa_dataset.files import read_at_most
from aa_dataset.format.layout import TABLES, LibraryLayout
from aa_dataset.format.seal import Seal, read_seal
from aa_dataset.format.validation import SEAL_BYTES, brief
from aa_dataset.hub.client import as_listed, commit_of
from aa_dataset.hub.errors import LOGIN, UploadError, reason_of, status_of, summary
from aa_dataset.hub.patience import with_retries
from aa_dataset.hub.place import SEAL_NAME, Origin, require_repository
from aa_dataset.untrusted.inside import is_below

NEEDED = (SEAL_NAME, "README.md", "LICENSE")
_FOLDER = r"(?:assets/|data/[a-z]+/)?"
_LINE = re.compile(rf"([0-9a-f]{{64}})  ({_FOLDER}[A-Za-z0-9_][A-Za-z0-9_.-]*)")
_OURS = re.compile(  # what a release replaces
    rf"(?:{'|'.join(TABLES)})\.parquet|assets/[^/]+\.tar|data/[a-z]+/[^/]+\.parquet"
)


@dataclass(frozen=True, slots=True)
class Parcel:
    """A file of a release: its path in the repository, on this disk, its size [B] and digest."""

    name: str
    path: Path
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class UploadPlan:
    """What publishing would do.

    Attributes
    ----------
    repo_id, branch, tag : str
        Where the release goes, and the name under which it stays.
    head : str or None
        The present commit of the branch, None if the repository does not exist.
    sent, same : tuple of Parcel
        Files that the branch lacks or has otherwise, and those that it has.
    removed : tuple of str
        Tables and tars of an earlier release that this one does not have.
    is_tagged : bool
        Whether the tag exists; it is never moved.
    """

    repo_id: str
    branch: str
    tag: str
    head: str | None
    sent: tuple[Parcel, ...]
    same: tuple[Parcel, ...]
    removed: tuple[str, ...]
    is_tagged: bool

    @property
    def size(self) -> int:
        """Bytes of the files to send."""
        return sum(parcel.size for parcel in self.sent)


def read_release(root: Path) -> tuple[Seal, tuple[Parcel, ...]]:
    """Return the seal and the files of a release: those that its checksums list, and no others."""
    layout = LibraryLayout(root.absolute())
    seal = read_seal(layout)
    path = layout.checksums
    if not path.is_file():
        raise LibraryError(
            f"{layout.root} has no {path.name}, so it is not a release. Pass the folder that "
            "`make library` writes beside the library, `release`."
        )
    lines = read_at_most(path, SEAL_BYTES).decode("utf-8", "replace").splitlines()
    parcels = [_parcel(layout, line) for line in lines]
    absent = {*NEEDED, *seal.files} - {parcel.name for parcel in parcels}
    if absent:
        raise LibraryError(f"{path} has no line for {min(absent)}. Run `make library` again.")
    parcels.append(Parcel(path.name, path, path.stat().st_size, ""))
    return seal, tuple(sorted(parcels, key=lambda parcel: parcel.name))


def _parcel(layout: LibraryLayout, line: str) -> Parcel:
    found = _LINE.fullmatch(line)
    if found is None:
        raise LibraryError(
            f"{layout.checksums} has the line {brief(line)}, which is not valid. Run `make library`"
            " again."
        )
    path = layout.root / found[2]
    if not path.is_file() or not is_below(path, layout.root):
        raise LibraryError(f"{path} is missing or outside the release. Run `make library` again.")
    return Parcel(found[2], path, path.stat().st_size, found[1])


def plan_upload(
    repo_id: str, seal: Seal, parcels: tuple[Parcel, ...], *, branch: str = "main"
) -> UploadPlan:
    """Return what publishing would send; asks the Hub, changes nothing there."""
    from huggingface_hub import HfApi, constants
    from huggingface_hub.errors import RepositoryNotFoundError, RevisionNotFoundError

    require_repository(repo_id)
    tags: set[str] = set()
    listed: dict[str, Any] = {}
    head = None
    with _as_upload_error(repo_id):
        try:
            api = HfApi(endpoint=constants.ENDPOINT)
            tags = {one.name for one in api.list_repo_refs(repo_id, repo_type="dataset").tags}
            head = commit_of(repo_id, branch)
            listed = _listed(api, Origin(repo_id, head))
        except (RepositoryNotFoundError, RevisionNotFoundError):
            head = None
    same = {p.name for p in parcels if p.name in listed and listed[p.name].matches(p.path)}
    names = {parcel.name for parcel in parcels}
    return UploadPlan(
        repo_id,
        branch,
        seal.revision,
        head,
        tuple(parcel for parcel in parcels if parcel.name not in same),
        tuple(parcel for parcel in parcels if parcel.name in same),
        tuple(name for name in sorted(listed) if name not in names and _OURS.fullmatch(name)),
        seal.revision in tags,
    )


def _listed(api: Any, origin: Origin) -> dict[str, Any]:
    entries = with_retries(
        lambda: list(
            api.list_repo_tree(
                origin.repo_id, recursive=True, revision=origin.commit, repo_type="dataset"
            )
        )
    )
    files = (entry for entry in entries if hasattr(entry, "blob_id"))
    return {entry.path: as_listed(origin, entry) for entry in files}


def upload(
    plan: UploadPlan, *, private: bool | None = None, advance: Callable[[int], object] = bool
) -> str:
    """Publish and return the commit; run it again after a failure to go on.

    Parameters
    ----------
    plan : UploadPlan
        From `plan_upload`.
    private : bool, optional
        Create a private repository; has no effect on one that exists.
    advance : callable
        Is given the bytes of every file that is sent.
    """
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi, constants

    api = HfApi(endpoint=constants.ENDPOINT)
    with _as_upload_error(plan.repo_id):
        if plan.head is None:
            api.create_repo(plan.repo_id, repo_type="dataset", private=private, exist_ok=True)
        head = plan.head or commit_of(plan.repo_id, None)
        changes: list[Any] = []
        for parcel in plan.sent:
            addition = CommitOperationAdd(parcel.name, str(parcel.path))
            _send(api, plan, parcel, addition)
            advance(parcel.size)
            changes.append(addition)
        changes += [CommitOperationDelete(name) for name in plan.removed]
        if changes:
            head = api.create_commit(
                plan.repo_id,
                changes,
                commit_message=f"Release of revision {plan.tag}",
                repo_type="dataset",
                revision=plan.branch,
                parent_commit=head,
            ).oid
        if not plan.is_tagged:
            api.create_tag(
                plan.repo_id, tag=plan.tag, revision=head, repo_type="dataset", exist_ok=True
            )
    return head


def _send(api: Any, plan: UploadPlan, parcel: Parcel, addition: Any) -> None:
    """Send the contents of a large file; those of a small one go with the commit."""
    api.preupload_lfs_files(
        plan.repo_id,
        [addition],
        repo_type="dataset",
        revision=None if plan.head is None else plan.branch,
        free_memory=False,
    )
    sent = addition.upload_info.sha256.hex()
    if parcel.sha256 and sent != parcel.sha256:
        raise UploadError(
            f"{parcel.path} changed while it was published. Run `make library`, then publish again."
        )


@contextmanager
def _as_upload_error(repo_id: str) -> Iterator[None]:
    """Turn every failure of the client into one sentence."""
    try:
        yield
    except ArenaError:
        raise
    except Exception as error:  # the client and its transport raise many types
        cause = error.__cause__ if isinstance(error, RuntimeError) and error.__cause__ else error
        raise UploadError(f"cannot publish to {repo_id}: {_reason(cause, repo_id)}") from error


def _reason(error: BaseException, repo_id: str) -> str:
    if status_of(error) == 412:
        return "somebody else changed the branch meanwhile. Run the same again."
    if status_of(error) in (401, 403):
        return f"your token may not write there. {LOGIN}"
    is_page = isinstance(error, json.JSONDecodeError)
    if isinstance(error, ValueError) and not is_page and status_of(error) is None:
        return f"{summary(error)}. Correct it and run the same again."
    return reason_of(error, repo_id=repo_id)
