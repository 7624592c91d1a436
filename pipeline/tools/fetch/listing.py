# SPDX-License-Identifier: Apache-2.0
"""Reads the Hub's list of a repository's files page by page; every field is checked.

The Hub's own client follows an endless list and sends the token to any host that the next page is
on. Here pages, entries and bytes are bounded, and all pages must be on one host.
"""

from __future__ import annotations

import http.client
import re
import reprlib
import time
import urllib.error
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

from aa_dataset.untrusted.safe_json import JsonError, parse_json
from pipeline.tools.fetch.connection import (
    ANSWER_S,
    SLOW_S,
    TimeLimit,
    Watch,
    open_address,
    origin,
    plain_text,
)
from pipeline.tools.fetch.download import LONGEST_WAIT_S, PASSING, TRIES, WAIT_S, asked_pause
from pipeline.tools.fetch.errors import FetchError

PAGES = 2_000  # of 1,000 entries each, as the Hub makes them
ENTRIES = 1_000_000
PAGE_BYTES = 1 << 23
LISTING_BYTES = 1 << 28
LARGEST = 1 << 50  # B of one file
_NEXT = re.compile(r'<([^<>]{1,4096})>\s*;\s*rel="?next"?')
_SHA1, _SHA256 = re.compile(r"[0-9a-f]{40}"), re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a repository: path, size [B] and the Hub's digest of it.

    Large files have the sha256 of their content, all others the id of their Git blob.
    """

    path: str
    size: int
    sha256: str = ""
    git_sha1: str = ""


class _Malformed(ValueError):
    """The list is malformed; the message is a clause without a full stop."""


class Listing:
    """The list of one repository.

    Parameters
    ----------
    address : str
        Address of the first page.
    title : str
        Name of the repository in messages.
    headers : mapping
        Headers with the token; sent only to the host of the address.
    refusal : str
        What to do when the server refuses access.
    """

    def __init__(
        self,
        address: str,
        title: str,
        *,
        headers: Mapping[str, str],
        refusal: str,
        limit: TimeLimit,
    ) -> None:
        self.address, self.title, self.limit = address, title, limit
        self.headers = {**headers, "Accept": "application/json", "Accept-Encoding": "identity"}
        self.refusal = refusal

    def files(self) -> list[Entry]:
        """Return all files; raise if the list is too long or malformed."""
        found: dict[str, Entry] = {}
        try:
            for row in self._entries_of_pages():
                entry = _parse_entry(row)
                if entry is not None and entry.path in found:
                    raise _Malformed(f"it names {reprlib.repr(entry.path)} twice")
                if entry is not None:
                    found[entry.path] = entry
        except _Malformed as problem:
            raise FetchError(
                f"The Hub's list of {self.title} is not usable: {problem}. Nothing was written. "
                "Check HF_ENDPOINT, or try again later."
            ) from None
        return list(found.values())

    def _entries_of_pages(self) -> Iterator[Any]:
        """Yield the entries of all pages, up to the bounds."""
        address, entries, size = self.address, 0, 0
        for _ in range(PAGES):
            page, following = self._request_page(address)
            rows = _parse_page(page)
            entries, size = entries + len(rows), size + len(page)
            self._require_at_most(entries, ENTRIES, "entries")
            self._require_at_most(size, LISTING_BYTES, "bytes")
            yield from rows
            if not following:
                return
            address = self._next_address(following)
        self._require_at_most(PAGES + 1, PAGES, "pages")

    def _require_at_most(self, count: int, most: int, what: str) -> None:
        if count > most:
            raise FetchError(
                f"The Hub's list of {self.title} has more than {most:,} {what}; no known "
                "repository has so many. Nothing was written; pipeline/tools/fetch/listing.py sets "
                "this bound."
            )

    def _next_address(self, following: str) -> str:
        """Return the address of the next page, which must be on the host of the first."""
        try:
            address = urljoin(self.address, following)
        except ValueError:
            raise _Malformed(f"its next page is {reprlib.repr(following)}") from None
        if origin(address) != origin(self.address):
            raise FetchError(
                f"The Hub's list of {self.title} continues on another host ({address[:100]}), "
                "which is not followed: the token is for the first host only. Check HF_ENDPOINT."
            )
        return address

    def _request_page(self, address: str) -> tuple[bytes, str]:
        """Return one page and the address of the next one; temporary failures are retried."""
        for failures in range(TRIES):
            wait = 0.0
            try:
                return self._receive_page(address)
            except urllib.error.HTTPError as error:
                problem, wait = self._retry_or_raise(error)
            except (OSError, http.client.HTTPException) as error:
                problem = plain_text(getattr(error, "reason", error)) or type(error).__name__
            self.limit.check()
            if failures < TRIES - 1:
                time.sleep(min(max(wait, WAIT_S * 2**failures), self.limit.left()))
        raise FetchError(self._unreachable_message(f"{problem}; {TRIES} attempts"))

    def _receive_page(self, address: str) -> tuple[bytes, str]:
        with (
            Watch(self.limit, ANSWER_S) as watch,
            open_address(address, self.headers, watch=watch) as response,
        ):
            watch.renew(SLOW_S)
            page = response.read(PAGE_BYTES + 1)
            self._require_at_most(len(page), PAGE_BYTES, "bytes in one page")
            if response.length:
                raise http.client.IncompleteRead(page[:0], response.length)
            links = ", ".join(response.headers.get_all("Link", []))
        found = _NEXT.search(links)
        return page, found[1] if found else ""

    def _retry_or_raise(self, error: urllib.error.HTTPError) -> tuple[str, float]:
        """Return problem and pause if the request should be retried; raise otherwise."""
        error.close()
        if error.code in (401, 403):
            raise FetchError(f"{self.title}: access refused. {self.refusal}")
        if error.code in PASSING:
            return f"status {error.code}", min(asked_pause(error.headers), LONGEST_WAIT_S)
        raise FetchError(self._unreachable_message(f"status {error.code}"))

    def _unreachable_message(self, problem: str) -> str:
        return (
            f"The Hub does not list {self.title} ({problem}). Check the network, HF_ENDPOINT and "
            "HF_HUB_OFFLINE; repository and revision are named in pipeline/raw/sources.yaml."
        )


def _parse_page(page: bytes) -> Sequence[Any]:
    try:
        rows = parse_json(page)
    except JsonError as error:
        raise _Malformed(str(error)[:200]) from None
    if not isinstance(rows, list):
        raise _Malformed("a page is not a list")
    return rows


def _parse_entry(row: Any) -> Entry | None:
    """Return one file of the list, None for a folder."""
    if not isinstance(row, dict):
        raise _Malformed(f"an entry is {reprlib.repr(row)}")
    path, kind, size = row.get("path"), row.get("type"), row.get("size")
    if not isinstance(path, str) or not isinstance(kind, str):
        raise _Malformed(f"an entry has the path {reprlib.repr(path)}, type {reprlib.repr(kind)}")
    if kind != "file":
        return None
    shown = reprlib.repr(path)
    if type(size) is not int or not 0 <= size <= LARGEST:
        raise _Malformed(f"{shown} has the size {reprlib.repr(size)}")
    large = row.get("lfs")
    if large is None:
        return Entry(path, size, git_sha1=_require_digest(row.get("oid"), _SHA1, shown))
    if not isinstance(large, dict) or large.get("size", size) != size:
        raise _Malformed(f"{shown} has two sizes or none as a large file")
    return Entry(path, size, sha256=_require_digest(large.get("oid"), _SHA256, shown))


def _require_digest(value: Any, form: re.Pattern[str], shown: str) -> str:
    """Return a digest; without one a download could not be checked."""
    if not isinstance(value, str) or not form.fullmatch(value):
        raise _Malformed(f"{shown} has the digest {reprlib.repr(value)}")
    return value
