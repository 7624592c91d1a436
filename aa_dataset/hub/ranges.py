# SPDX-License-Identifier: Apache-2.0
"""Bytes of a file on the Hub: exactly the range that was asked for, continued after a cut."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from aa_dataset.hub.errors import DownloadError, not_the_hub, reason_of
from aa_dataset.hub.patience import WAITS, wait_to_retry
from aa_dataset.hub.place import Origin

_MOST_ATTEMPTS = 50  # for one range, even if each brings some bytes


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file of one commit; `size` [B] is that of the whole file."""

    origin: Origin
    path: str
    size: int

    def error(self, reason: str) -> DownloadError:
        """Return the error that names this file."""
        return DownloadError(f"cannot download {self.path} of {self.origin}: {reason}")


class _CutError(ConnectionError):
    """A body ended before the range did."""


def read_range(file: RemoteFile, start: int, size: int) -> Iterator[bytes]:
    """Yield the bytes of a range; after a cut the rest is asked for, nothing twice.

    Parameters
    ----------
    file : RemoteFile
        A file of the repository.
    start, size : int [B]
        The range, which is inside the file and not empty.

    Raises
    ------
    DownloadError
        If the Hub refuses, stays away, or sends something else.
    """
    place, end, attempt = start, start + size, 0
    for _ in range(_MOST_ATTEMPTS):
        before = place
        try:
            for chunk in _answer(file, place, end):
                place += len(chunk)
                yield chunk
            if place == end:
                return
            raise _CutError(f"{end - place:,} bytes are absent")
        except DownloadError:
            raise
        except Exception as error:  # the client and its transport raise many types
            attempt = 0 if place > before else attempt
            if attempt == len(WAITS) or not wait_to_retry(error, WAITS[attempt]):
                raise file.error(_reason(error, file.origin)) from error
            attempt += 1
    raise file.error("the connection breaks again and again. Try another network.")


def _reason(error: Exception, origin: Origin) -> str:
    if isinstance(error, _CutError):
        return f"the answer ends too early again and again ({error}). Run the same again."
    return reason_of(error, repo_id=origin.repo_id, revision=origin.commit)


def _answer(file: RemoteFile, place: int, end: int) -> Iterator[bytes]:
    """Yield what one request brings of the range."""
    from huggingface_hub import constants, hf_hub_url
    from huggingface_hub.utils import (  # type: ignore[attr-defined]
        build_hf_headers,
        get_session,
        hf_raise_for_status,
    )

    address = hf_hub_url(
        file.origin.repo_id,
        file.path,
        repo_type="dataset",
        revision=file.origin.commit,
        endpoint=constants.ENDPOINT,
    )
    headers = {"Range": f"bytes={place}-{end - 1}", "Accept-Encoding": "identity"}
    with get_session().stream(
        "GET",
        address,
        headers=build_hf_headers() | headers,
        timeout=constants.HF_HUB_DOWNLOAD_TIMEOUT,
        follow_redirects=True,
    ) as response:
        if response.status_code >= 400:
            hf_raise_for_status(response)
        _require_range(response, file, place, end)
        for chunk in response.iter_raw():  # with a size it would keep back what arrived
            place += len(chunk)
            if place > end:
                raise file.error(not_the_hub("more bytes than the range has"))
            yield chunk


def _require_range(response: Any, file: RemoteFile, place: int, end: int) -> None:
    """Raise `DownloadError` unless an answer holds exactly the range."""
    status, headers = response.status_code, response.headers
    whole = place == 0 and end == file.size
    kind = headers.get("content-type", "").split(";")[0].strip().lower()
    if kind == "text/html":
        raise file.error(not_the_hub("a web page"))
    if headers.get("content-encoding", "identity") != "identity":
        raise file.error(not_the_hub("packed bytes"))
    if status == 200 and whole:
        length = headers.get("content-length", str(file.size))
        found, wanted = f"{length} bytes", f"{file.size} bytes"
    elif status == 206:
        found = headers.get("content-range", "no range")
        wanted = f"bytes {place}-{end - 1}/{file.size}"
    else:
        raise file.error(not_the_hub(f"status {status} to the request of a range"))
    if found != wanted:
        raise file.error(
            f"the Hub has {found[:60]!r} where {wanted!r} is listed, so the repository does not "
            "match its own tables. Tell its owner, or choose another `revision`."
        )
