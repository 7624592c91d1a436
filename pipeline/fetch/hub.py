# SPDX-License-Identifier: Apache-2.0
"""Asks the Hub what a repository holds at the pinned revision.

Endpoint and token are the Hub client's own: `HF_ENDPOINT`, `HF_TOKEN` or `hf auth login`.
"""

from __future__ import annotations

from typing import Any

from pipeline.fetch.access import Source
from pipeline.fetch.download import Remote
from pipeline.fetch.errors import FetchError
from pipeline.fetch.layout import safe_name


def hub_files(source: Source) -> list[Remote]:
    """Return the wanted files of a repository with addresses, sizes and digests."""
    from huggingface_hub import RepoFile
    from huggingface_hub.utils import build_hf_headers, filter_repo_objects

    entries = [entry for entry in _tree(source) if isinstance(entry, RepoFile)]
    patterns = list(source.access["files"])
    chosen = filter_repo_objects(entries, allow_patterns=patterns, key=lambda entry: entry.path)
    headers, refusal = build_hf_headers(library_name="aa-dataset"), refusal_sentence(source)
    remotes = [_remote(source, entry, headers, refusal) for entry in chosen]
    if not remotes:
        raise FetchError(
            f"{_repository(source)} has no file like {', '.join(patterns)}. The publisher has "
            "changed it: pipeline/access.yaml must be brought up to date."
        )
    return sorted(remotes, key=lambda remote: remote.name)


def _tree(source: Source) -> list[Any]:
    from huggingface_hub import HfApi
    from huggingface_hub.errors import GatedRepoError, HfHubHTTPError

    access = source.access
    try:
        return list(
            HfApi().list_repo_tree(
                access["repo_id"],
                repo_type=access["repo_type"],
                revision=access["revision"],
                recursive=True,
            )
        )
    except Exception as error:  # the client raises many kinds, also of the transport below it
        status = error.response.status_code if isinstance(error, HfHubHTTPError) else 0
        if isinstance(error, GatedRepoError) or status in (401, 403):
            raise FetchError(
                f"{_repository(source)}: access refused. {refusal_sentence(source)}"
            ) from None
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        raise FetchError(
            f"The Hub does not list {_repository(source)} ({type(error).__name__}: "
            f"{lines[0] if lines else 'no reason given'}). Check the network, HF_ENDPOINT and "
            "HF_HUB_OFFLINE; repository and revision are named in pipeline/access.yaml."
        ) from None


def _remote(source: Source, entry: Any, headers: dict[str, str], refusal: str) -> Remote:
    from huggingface_hub import hf_hub_url

    access, known = source.access, source.known(entry.path)
    sha256 = entry.lfs.sha256 if entry.lfs else ""
    if known and (known.get("size", entry.size), sha256 or known["sha256"]) != (
        entry.size,
        known["sha256"],
    ):
        raise FetchError(
            f"{_repository(source)}: {entry.path} is not the file that pipeline/access.yaml "
            "records (size or sha256 differ). Nothing was downloaded."
        )
    address = hf_hub_url(
        access["repo_id"],
        entry.path,
        repo_type=access["repo_type"],
        revision=access["revision"],
    )
    return Remote(
        name=safe_name(entry.path, access["repo_id"]),
        address=address,
        size=entry.size,
        sha256=sha256 or known.get("sha256", ""),
        git_sha1="" if entry.lfs else entry.blob_id,
        headers=headers,
        refusal=refusal,
    )


def page(source: Source) -> str:
    """Return the repository's page, where access is asked for."""
    from huggingface_hub import constants

    prefix = {"dataset": "datasets/", "space": "spaces/"}.get(source.access["repo_type"], "")
    return f"{constants.ENDPOINT}/{prefix}{source.access['repo_id']}"


def refusal_sentence(source: Source) -> str:
    """Return what a person does about a refusal."""
    if source.access["gated"]:
        return (
            f"The repository is gated: ask for access on {page(source)} with your own account, "
            "then set HF_TOKEN to a token of that account (or run `hf auth login`) and try again."
        )
    return (
        f"The repository should be open; look at {page(source)}. If HF_TOKEN is set, check that "
        "the token is valid."
    )


def _repository(source: Source) -> str:
    return f"{source.access['repo_id']}@{source.access['revision'][:8]}"
