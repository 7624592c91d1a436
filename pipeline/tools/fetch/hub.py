# SPDX-License-Identifier: Apache-2.0
"""Lists the files of a Hub repository at the pinned revision.

Endpoint and token come from the Hub's client: `HF_ENDPOINT`, `HF_TOKEN` or `hf auth login`.
"""

from __future__ import annotations

from urllib.parse import quote

from pipeline.tools.fetch.access import Source
from pipeline.tools.fetch.connection import TimeLimit
from pipeline.tools.fetch.download import Remote
from pipeline.tools.fetch.errors import FetchError
from pipeline.tools.fetch.layout import require_apart, safe_name
from pipeline.tools.fetch.listing import Entry, Listing


def hub_files(source: Source, limit: TimeLimit) -> list[Remote]:
    """Return the wanted files of a repository with addresses, sizes and digests."""
    from huggingface_hub.utils import (  # type: ignore[attr-defined]
        build_hf_headers,
        filter_repo_objects,
    )

    headers, refusal = build_hf_headers(library_name="aa-dataset"), refusal_sentence(source)
    entries = _repository_listing(source, headers, limit).files()
    patterns = list(source.access.files)
    chosen = filter_repo_objects(entries, allow_patterns=patterns, key=lambda entry: entry.path)
    remotes = [_remote_file(source, entry, headers, refusal) for entry in chosen]
    if not remotes:
        raise FetchError(
            f"{_repository_name(source)} has no file like {', '.join(patterns)}. The publisher has "
            "changed it: update pipeline/raw/sources.yaml."
        )
    require_apart([remote.name for remote in remotes], _repository_name(source))
    return sorted(remotes, key=lambda remote: remote.name)


def _repository_listing(source: Source, headers: dict[str, str], limit: TimeLimit) -> Listing:
    from huggingface_hub import constants, is_offline_mode

    if is_offline_mode():
        raise FetchError(
            f"The Hub is not contacted for {_repository_name(source)}, because HF_HUB_OFFLINE is "
            "set. Unset it and run the same command again."
        )
    access = source.access
    where = f"{access.repo_type}s/{quote(access.repo_id)}/tree/{quote(access.revision)}"
    return Listing(
        f"{constants.ENDPOINT}/api/{where}?recursive=true&expand=false",
        _repository_name(source),
        headers=headers,
        refusal=refusal_sentence(source),
        limit=limit,
    )


def _remote_file(source: Source, entry: Entry, headers: dict[str, str], refusal: str) -> Remote:
    from huggingface_hub import hf_hub_url

    access, known = source.access, source.known(entry.path)
    name = safe_name(entry.path, access.repo_id)
    size = entry.size if known.size is None else known.size
    if known.sha256 and (size, entry.sha256 or known.sha256) != (entry.size, known.sha256):
        raise FetchError(
            f"{_repository_name(source)}: {entry.path} is not the file that "
            "pipeline/raw/sources.yaml records (size or sha256 differ). Nothing was downloaded."
        )
    address = hf_hub_url(
        access.repo_id,
        name,
        repo_type=access.repo_type,
        revision=access.revision,
    )
    return Remote(
        name=name,
        address=address,
        size=entry.size,
        sha256=entry.sha256 or known.sha256,
        git_sha1=entry.git_sha1,
        headers=headers,
        refusal=refusal,
    )


def page(source: Source) -> str:
    """Return the repository's page, where access is requested."""
    from huggingface_hub import constants

    prefix = {"dataset": "datasets/", "space": "spaces/"}.get(source.access.repo_type, "")
    return f"{constants.ENDPOINT}/{prefix}{source.access.repo_id}"


def refusal_sentence(source: Source) -> str:
    """Return what to do if access is refused."""
    if source.access.gated:
        return (
            f"The repository is gated: request access on {page(source)} with your own account, "
            "then set HF_TOKEN to a token of that account (or run `hf auth login`) and try again."
        )
    return (
        f"The repository should be public; see {page(source)}. If HF_TOKEN is set, check that "
        "the token is valid."
    )


def _repository_name(source: Source) -> str:
    return f"{source.access.repo_id}@{source.access.revision[:8]}"
