# SPDX-License-Identifier: Apache-2.0
"""Which commit a name and a revision mean: asked of the Hub, or found in the cache."""

from __future__ import annotations

from collections.abc import Sequence

from aa_dataset.errors import LibraryError
from aa_dataset.format.layout import LibraryLayout
from aa_dataset.format.seal import read_seal
from aa_dataset.hub.client import commit_of
from aa_dataset.hub.errors import (
    DownloadError,
    NotCachedError,
    is_offline,
    is_transport,
    reason_of,
    status_of,
)
from aa_dataset.hub.landing import land
from aa_dataset.hub.place import (
    Access,
    Origin,
    is_commit,
    is_library_revision,
    is_short_commit,
    require_repository,
)
from aa_dataset.hub.snapshot import Tell, is_complete, read_mark, snapshot

_BRANCH = "main"


def find_origin(repo_id: str, revision: str | None, access: Access, *, tell: Tell = bool) -> Origin:
    """Return the commit of a repository that a revision means.

    Parameters
    ----------
    repo_id : str
        ``owner/name``.
    revision : str or None
        Branch, tag or commit of the Hub, or the 16 digits of a library; default the main branch. Of
        what was downloaded before, also the first digits of the commit, at least 7.
    access : Access
        Cache, and whether the network may be used.
    tell : callable
        Is given a line if the Hub does not answer and an earlier download is used.

    Raises
    ------
    NotCachedError
        If the network may not be used and nothing was downloaded before.
    DownloadError
        If the Hub has no such repository or revision, or is not reachable.
    """
    require_repository(repo_id)
    known = _known(repo_id, revision, access)
    if known is not None and (access.is_offline or _is_final(revision)):
        return known
    if access.is_offline:
        raise _not_cached(repo_id, revision)
    try:
        origin = _asked(repo_id, revision, access)
    except DownloadError:
        raise
    except Exception as error:  # the client and its transport raise many types
        if known is not None and _is_away(error):
            tell(f"the Hub does not answer; using the download of {known}")
            return known
        if is_offline(error):
            raise _not_cached(repo_id, revision) from error
        where = repo_id if revision is None else f"{repo_id} at revision {revision!r}"
        reason = reason_of(error, repo_id=repo_id, revision=str(revision))
        raise DownloadError(f"cannot download {where} from the Hub: {reason}") from error
    _remember(origin, revision, access)
    return origin


def find_download(name: str, revision: str | None, access: Access) -> Origin | None:
    """Return the latest complete download of a library by its name, from any repository."""
    found: list[tuple[int, Origin]] = []
    for folder in access.cache.snapshots():
        layout = LibraryLayout(folder)
        mark = read_mark(layout)
        if mark is None or not is_complete(layout) or read_seal(layout).name != name:
            continue
        if revision is None or _is_meant(mark.origin, revision, layout, access):
            found.append((layout.origin.stat().st_mtime_ns, mark.origin))
    if revision is not None and not found:
        origins = [origin for origin in _downloads(access) if _has_name(origin, name, access)]
        return _abbreviated(revision, origins)
    return max(found, key=lambda pair: pair[0])[1] if found else None


def _is_meant(origin: Origin, revision: str, layout: LibraryLayout, access: Access) -> bool:
    if is_library_revision(revision) and read_seal(layout).revision == revision:
        return True
    return origin.commit in (revision, _referenced(origin.repo_id, revision, access))


def _is_final(revision: str | None) -> bool:
    """Return whether a revision means the same for ever."""
    return revision is not None and (is_commit(revision) or is_library_revision(revision))


def _is_away(error: Exception) -> bool:
    return is_offline(error) or is_transport(error) or (status_of(error) or 0) >= 500


def _known(repo_id: str, revision: str | None, access: Access) -> Origin | None:
    """Return what the cache says about a revision, None if it lacks its tables."""
    if revision is not None and is_library_revision(revision):
        for folder in access.cache.snapshots():
            layout = LibraryLayout(folder)
            mark = read_mark(layout)
            if mark is None or mark.origin.repo_id != repo_id or not is_complete(layout):
                continue
            if read_seal(layout).revision == revision:
                return mark.origin
    commit = revision or _BRANCH
    if not is_commit(commit):
        commit = _referenced(repo_id, commit, access)
    if not is_commit(commit):
        own = [origin for origin in _downloads(access) if origin.repo_id == repo_id]
        return _abbreviated(revision or _BRANCH, own)
    layout = LibraryLayout(access.cache.snapshot(repo_id, commit))
    return Origin(repo_id, commit) if is_complete(layout) else None


def _downloads(access: Access) -> list[Origin]:
    """Return the origin of every complete download."""
    layouts = map(LibraryLayout, access.cache.snapshots())
    marks = (read_mark(layout) for layout in layouts if is_complete(layout))
    return [mark.origin for mark in marks if mark is not None]


def _has_name(origin: Origin, name: str, access: Access) -> bool:
    layout = LibraryLayout(access.cache.snapshot(origin.repo_id, origin.commit))
    return read_seal(layout).name == name


def _abbreviated(revision: str, origins: Sequence[Origin]) -> Origin | None:
    """Return the download whose commit begins with these digits, None if there is none.

    Raises
    ------
    DownloadError
        If several do.
    """
    if not is_short_commit(revision) or is_library_revision(revision):
        return None
    found = [origin for origin in origins if origin.commit.startswith(revision)]
    if len(found) > 1:
        raise DownloadError(
            f"{len(found)} downloads have a commit that begins with {revision}, such as "
            f"{found[0].commit}. Give more of its digits."
        )
    return found[0] if found else None


def _referenced(repo_id: str, revision: str, access: Access) -> str:
    try:
        return access.cache.reference(repo_id, revision).read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""


def _remember(origin: Origin, revision: str | None, access: Access) -> None:
    if revision is not None and is_commit(revision):
        return
    target = access.cache.reference(origin.repo_id, revision or _BRANCH)
    if _referenced(origin.repo_id, revision or _BRANCH, access) != origin.commit:
        text = origin.commit.encode()
        land(target, [text], size=len(text), check=bool)


def _asked(repo_id: str, revision: str | None, access: Access) -> Origin:
    """Ask the Hub; 16 digits are a tag of `aa publish`, else the revision of the main branch."""
    from huggingface_hub.errors import RevisionNotFoundError

    try:
        return Origin(repo_id, commit_of(repo_id, revision))
    except RevisionNotFoundError:
        if revision is None or not is_library_revision(revision):
            raise
    origin = Origin(repo_id, commit_of(repo_id, None))
    try:
        found = read_seal(snapshot(origin, access)).revision
    except LibraryError as error:
        raise DownloadError(str(error)) from error
    if found != revision:
        raise DownloadError(
            f"cannot download {repo_id} at revision {revision!r} from the Hub: it has no such tag, "
            f"and its main branch is revision {found}. Omit `revision`, or check the digits."
        )
    return origin


def _not_cached(repo_id: str, revision: str | None) -> NotCachedError:
    which = "" if revision is None else f" --revision {revision}"
    at = "" if revision is None else f" at revision {revision!r}"
    return NotCachedError(
        f"cannot download {repo_id}{at} from the Hub: it is not in the cache, and offline mode is "
        f"on. Run `aa pull --repo {repo_id}{which}` with a network, or unset HF_HUB_OFFLINE."
    )
